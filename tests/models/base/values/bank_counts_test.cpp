// Banks by hand: who is held responsible for a wait, and that nothing is lost.
#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>
#include <tensorloom/models/base/values/bank_counts.h>

namespace {

using tensorloom::base::bank_counts;

std::vector<std::uint64_t> waits_of(const bank_counts& counts)
{
    std::vector<std::uint64_t> cycles;
    for (const auto& bank : counts.banks()) { cycles.push_back(bank.conflict_cycles); }
    return cycles;
}

void wait(bank_counts& counts, std::uint64_t cycles, std::initializer_list<unsigned> fullest)
{
    counts.wait(cycles, [&](unsigned bank) {
        for (const unsigned b : fullest) {
            if (b == bank) { return true; }
        }
        return false;
    });
}

using cycles = std::vector<std::uint64_t>;

TEST(bank_counts, wait_is_put_down_to_the_fullest_bank)
{
    bank_counts counts(4);
    wait(counts, 5, {2});
    wait(counts, 1, {2});
    wait(counts, 3, {0});
    EXPECT_EQ(waits_of(counts), (cycles{3, 0, 6, 0}));
}

TEST(bank_counts, equally_full_banks_take_turns)
{
    bank_counts counts(4);
    for (int i = 0; i < 4; ++i) { wait(counts, 1, {1, 3}); }
    wait(counts, 1, {0, 2}); // behind bank 3 comes bank 0
    EXPECT_EQ(waits_of(counts), (cycles{1, 2, 0, 2}));
    counts.begin_around();
    wait(counts, 1, {0, 1, 2, 3});
    EXPECT_EQ(waits_of(counts), (cycles{2, 2, 0, 2}));
}

TEST(bank_counts, wait_for_all_is_shared)
{
    bank_counts counts(4);
    wait(counts, 1, {0});
    counts.wait_for_all(10);
    EXPECT_EQ(waits_of(counts), (cycles{3, 3, 3, 2}));
    counts.wait_for_all(0);
    EXPECT_EQ(waits_of(counts), (cycles{3, 3, 3, 2}));
}

TEST(bank_counts, sums_add_up)
{
    bank_counts one(2), other(2);
    one.access(0);
    other.access(0, 4);
    other.access(1, 2);
    wait(other, 7, {1});
    one.add(other);
    EXPECT_EQ(one.banks()[0].accesses, 5u);
    EXPECT_EQ(one.banks()[1].accesses, 2u);
    EXPECT_EQ(waits_of(one), (cycles{0, 7}));
}

} // namespace
