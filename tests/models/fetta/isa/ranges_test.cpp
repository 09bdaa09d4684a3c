// What a CONTRACT takes of the unified memory, against every access of it.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/fetta/isa/operand_layout.h>
#include "naive_accesses.h"
#include "random_contraction.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using namespace fetta;

/// (bank, row of 16-bit elements) of everything that a command touches of each tensor.
struct touched {
    std::set<std::pair<unsigned, std::int64_t>> rows[3];
    /// Written twice by different elements.
    bool repeats = false;
};

touched touched_by(const contract_command& c, const device_limits& g)
{
    touched all;
    std::map<std::int64_t, std::array<std::uint64_t, 3>> writer; // of an element of a linear result
    std::map<std::pair<unsigned, std::int64_t>, std::array<std::uint64_t, 3>> row_writer;
    naive_accesses(c, g).visit([&](const naive_row& row) {
        const bool linear = (c.flags >> (3 + row.role)) % 2 == 1;
        const element_type type = row.role != 2                              ? g.operand
                                  : c.has(contract_command::flag_store_bf16) ? element_type::bf16
                                                                             : element_type::f32;
        const auto touch = [&](unsigned bank, std::int64_t r) {
            if (type == element_type::bf16) {
                all.rows[row.role].insert({bank, r});
            } else {
                all.rows[row.role].insert({bank, 2 * r});
                all.rows[row.role].insert({bank, 2 * r + 1});
            }
        };
        if (!linear) {
            touch(row.bank, row.row);
            if (row.role == 2) {
                const auto& first = row.elements.front().index;
                all.repeats |= row_writer.emplace(std::pair(row.bank, row.row), first).first->second != first;
            }
            return;
        }
        for (const auto& e : row.elements) {
            const std::int64_t row_of_elements = e.linear / g.side; // bases keep it above 0
            touch(static_cast<unsigned>(row_of_elements % g.engines), row_of_elements / g.engines);
            if (row.role == 2) { all.repeats |= writer.emplace(e.linear, e.index).first->second != e.index; }
        }
    });
    return all;
}

/// The last tile along the rows of an operand has rows that no port has: then its range may end later than what is
/// touched.
bool has_padding_rows(const contract_command& c, const device_limits& g, int role)
{
    const auto padded = [&](std::uint32_t extent, std::uint32_t mask) {
        const std::uint64_t tile = std::uint64_t{g.side} << __builtin_popcount(mask);
        return extent > tile && extent % tile != 0 && extent % tile < g.side;
    };
    if (role == 2) { return c.mapping >= 4 && padded(c.ia_free, c.mask_ia); }
    if (role == 0 || c.mapping >= 4) { return false; }
    const bool horizontal = c.mapping == 1 || c.mapping == 3;
    return horizontal ? padded(c.ib_free, c.mask_ib) : padded(c.contracted, c.mask_contracted);
}

TEST(contract_ranges, are_the_blocks_from_the_first_row_touched_to_the_last)
{
    random_contraction random(21);
    unsigned exact = 0, padded = 0;
    for (int i = 0; i < 400; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, 30);
        random.places(c, g, 100001, 20000003);
        if (random.coin()) { c.flags |= contract_command::flag_store_bf16; }
        const touched all = touched_by(c, g);
        const memory_range ranges[] = {ia_range(c, g), ib_range(c, g), result_range(c, g)};
        for (int role = 0; role < 3; ++role) {
            std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
            for (const auto& [bank, row] : all.rows[role]) {
                first = std::min(first, row);
                last = std::max(last, row);
            }
            const std::uint64_t block = std::uint64_t{4} * g.side * g.engines;
            const std::uint64_t begin = first / 2 * block, end = (last / 2 + 1) * block;
            const bool linear = (c.flags >> (3 + role)) % 2 == 1;
            if (linear || !has_padding_rows(c, g, role)) {
                ASSERT_EQ(ranges[role].first, begin) << i << " " << role;
                ASSERT_EQ(ranges[role].end, end) << i << " " << role;
                ++exact;
            } else {
                ASSERT_LE(ranges[role].first, begin) << i << " " << role;
                ASSERT_GE(ranges[role].end, end) << i << " " << role;
                ++padded;
            }
        }
    }
    EXPECT_GT(exact, 900u);
    EXPECT_GT(padded, 20u);
}

TEST(contract_overlaps, none_gets_past_the_check)
{
    random_contraction random(22);
    unsigned fine = 0, overlapping = 0, cautious = 0;
    for (int i = 0; i < 3000; ++i) {
        device_limits g = random.device();
        g.bank_bytes = 1u << 17;
        contract_command c = random.sizes(g, 9);
        random.places(c, g, 1000, 1000 * g.side * g.engines);
        c.ib.base += random.below(30);
        for (contract_operand* o : {&c.ia, &c.result}) { o->base += random.below(300); }
        if (random.coin()) {
            c.flags |= contract_command::flag_store_bf16;
        } else {
            c.result.base /= 2;
        }
        const touched all = touched_by(c, g);
        bool meet = all.repeats;
        for (int role = 0; role < 2; ++role) {
            meet = meet || std::any_of(all.rows[role].begin(), all.rows[role].end(),
                                       [&](const auto& row) { return all.rows[2].count(row) != 0; });
        }
        const auto found = check(c, g);
        // Rows that two linear tensors share are no overlap of their elements.
        const bool elements_decide =
            c.has(contract_command::flag_linear_result) &&
            (c.has(contract_command::flag_linear_ia) || c.has(contract_command::flag_linear_ib));
        if (meet && !elements_decide) { ASSERT_TRUE(found) << i; }
        if (all.repeats) { ASSERT_TRUE(found) << i; }
        if (found) { ASSERT_EQ(found->code, error_code::bad_field) << found->text; }
        fine += !found;
        overlapping += meet;
        cautious += found && !meet;
    }
    EXPECT_GT(fine, 100u);
    EXPECT_GT(overlapping, 300u);
    EXPECT_GT(cautious, 10u);
}

bool repeats(const std::vector<strided_count>& counts)
{
    std::set<std::int64_t> sums;
    std::vector<std::uint64_t> index(counts.size(), 0);
    for (;;) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) { sum += std::int64_t(index[i]) * counts[i].stride; }
        if (!sums.insert(sum).second) { return true; }
        std::size_t next = 0;
        while (next < counts.size() && ++index[next] == counts[next].count) { index[next++] = 0; }
        if (next == counts.size()) { return false; }
    }
}

TEST(repeating_sums, are_found_exactly_where_strides_are_multiples_of_each_other)
{
    random_contraction random(23);
    unsigned both[2] = {};
    for (int i = 0; i < 3000; ++i) {
        std::vector<strided_count> counts;
        std::int64_t stride = random.from_to(0, 3);
        for (unsigned n = random.from_to(0, 4); n-- > 0;) {
            counts.push_back({random.from_to(1, 4), random.coin() ? stride : -stride});
            stride *= random.from_to(1, 4);
        }
        std::shuffle(counts.begin(), counts.end(), std::mt19937(i));
        const bool expected = repeats(counts);
        ASSERT_EQ(may_repeat(counts), expected) << i;
        ++both[expected];
    }
    EXPECT_GT(both[0], 300u);
    EXPECT_GT(both[1], 300u);
}

TEST(repeating_sums, are_never_missed)
{
    random_contraction random(24);
    for (int i = 0; i < 3000; ++i) {
        std::vector<strided_count> counts;
        for (unsigned n = random.from_to(1, 5); n-- > 0;) { counts.push_back({random.from_to(1, 4), random.stride()}); }
        if (repeats(counts)) { ASSERT_TRUE(may_repeat(counts)) << i; }
    }
}

TEST(repeating_sums, of_numbers_near_the_ends_of_their_types)
{
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    EXPECT_FALSE(may_repeat({{0xffffffff, 1}, {2, std::int64_t{1} << 32}}));
    EXPECT_TRUE(may_repeat({{0xffffffff, least}, {0xffffffff, least}}));
    EXPECT_TRUE(may_repeat({{0xffffffff, 0x7fffffff}, {0xffffffff, 0x7ffffffe}, {0xffffffff, 1}}));
    EXPECT_FALSE(reach_of({{0xffffffff, least}, {0xffffffff, least}, {0xffffffff, least}}));
    EXPECT_FALSE(reach_of({{0xffffffff, 200}, {0xffffffff, -200}}));
    const auto r = reach_of({{3, -5}, {4, 2}, {0xffffffff, 0}});
    ASSERT_TRUE(r);
    EXPECT_EQ(r->low, -10);
    EXPECT_EQ(r->high, 6);
}

} // namespace
} // namespace tensorloom::test
