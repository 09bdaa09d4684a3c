// Conflicts of rows in banks against counting in maps.
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>

namespace {

using tensorloom::fetta::bank_requests;

TEST(bank_requests, take_the_cycles_of_the_busiest_bank)
{
    std::mt19937_64 random(1);
    for (const unsigned banks : {4u, 16u, 64u}) {
        bank_requests requests(banks, 64);
        unsigned conflicts = 0, repeated = 0;
        for (unsigned n = 0; n < 2000; ++n) {
            requests.clear();
            std::map<unsigned, std::set<std::uint64_t>> rows;
            const std::uint64_t spread = std::uint64_t{1} << random() % 12;
            for (std::uint64_t left = random() % 65; left > 0; --left) {
                const auto bank = static_cast<unsigned>(random() % (n % 3 == 0 ? 2 : banks));
                const std::uint64_t row = random() % 50 * spread;
                repeated += rows[bank].insert(row).second ? 0 : 1;
                const auto& r = requests.rows()[requests.add(row, bank)];
                ASSERT_EQ(r.row, row);
                ASSERT_EQ(r.bank, bank);
            }
            std::size_t most = 0, all = 0;
            for (const auto& [bank, in_bank] : rows) {
                most = std::max(most, in_bank.size());
                all += in_bank.size();
            }
            conflicts += most > 1 ? 1 : 0;
            ASSERT_EQ(requests.cycles(), most);
            ASSERT_EQ(requests.rows().size(), all);
        }
        EXPECT_GT(conflicts, 1000u);
        EXPECT_GT(repeated, 1000u);
    }
}

TEST(bank_requests, bank_serves_one_row_per_cycle_without_a_gap)
{
    std::mt19937_64 random(2);
    bank_requests requests(8, 100);
    for (unsigned n = 0; n < 200; ++n) {
        requests.clear();
        for (unsigned i = 0; i < 100; ++i) { requests.add(random() % 30, static_cast<unsigned>(random() % 8)); }
        std::map<unsigned, std::set<unsigned>> turns;
        std::map<unsigned, unsigned> rows;
        for (const auto& r : requests.rows()) {
            ASSERT_TRUE(turns[r.bank].insert(r.turn).second);
            ++rows[r.bank];
        }
        for (const auto& [bank, of_bank] : turns) { ASSERT_EQ(*of_bank.rbegin() + 1, rows[bank]); }
    }
}

// The example of docs/fetta-memory.md: X[64][64] of bf16 in rows of 4, in 16 banks.
TEST(bank_requests, matrix_that_is_read_across_its_rows_waits_in_one_bank)
{
    const auto cycles = [](unsigned along_m, unsigned along_k) {
        bank_requests requests(16, 64);
        for (unsigned m = 0; m < along_m; ++m) {
            for (unsigned k = 0; k < along_k; ++k) {
                const unsigned row = (64 * m + k) / 4;
                requests.add(row / 16, row % 16);
            }
        }
        return requests.cycles();
    };
    EXPECT_EQ(cycles(1, 64), 1u);
    EXPECT_EQ(cycles(4, 1), 4u);
    EXPECT_EQ(cycles(64, 1), 64u);
}

TEST(bank_requests, worst_case_is_every_row_in_one_bank)
{
    bank_requests requests(64, 1024);
    for (unsigned n = 0; n < 2; ++n) {
        requests.clear();
        EXPECT_EQ(requests.cycles(), 0u);
        for (unsigned i = 0; i < 1024; ++i) { EXPECT_EQ(requests.add(std::uint64_t{i} << 20, 63), i); }
        for (unsigned i = 0; i < 1024; ++i) { EXPECT_EQ(requests.add(std::uint64_t{i} << 20, 63), i); }
        EXPECT_EQ(requests.cycles(), 1024u);
        EXPECT_EQ(requests.rows().size(), 1024u);
    }
}

} // namespace
