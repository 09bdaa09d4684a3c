// Which elements stand at which port, and where they lie: against the formulas evaluated one element at a time.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include "naive_accesses.h"
#include "random_contraction.h"

namespace tensorloom::test {
namespace {

using namespace fetta;

constexpr std::uint32_t base = 100000;

using where = std::tuple<int, std::uint64_t, std::uint64_t, unsigned>; // role, tile, line, engine

class indexed {
public:
    indexed(const contract_command& command, const device_limits& limits)
        : c(command), g(limits),
          index(c, g), banked{{c, operand_role::ia, g}, {c, operand_role::ib, g}, {c, operand_role::result, g}},
          linear{{c, operand_role::ia, g}, {c, operand_role::ib, g}, {c, operand_role::result, g}}
    {}

    /// All rows with an element, as the index gives them.
    std::map<where, naive_row> rows()
    {
        std::map<where, naive_row> all;
        const bool os = c.mapping >= 4;
        contract_tile tile = index.first_tile();
        std::uint64_t number = 0;
        do {
            for (std::uint64_t s = tile.first_step; s < tile.first_step + tile.steps; ++s) {
                add(all, 0, number, s, tile);
                add(all, os ? 1 : 2, number, s, tile);
            }
            for (std::uint64_t r = 0; r < g.side; ++r) { add(all, os ? 2 : 1, number, r, tile); }
            ++number;
        } while (index.next(tile));
        EXPECT_EQ(number, index.loops().tiles());
        return all;
    }

private:
    void add(std::map<where, naive_row>& all, int role, std::uint64_t number, std::uint64_t line,
             const contract_tile& tile)
    {
        for (unsigned j = 0; j < g.engines; ++j) {
            const auto row = role == 0   ? index.ia_beat(tile, line, j)
                             : role == 1 ? index.ib_beat(tile, line, j)
                                         : index.result_beat(tile, line, j);
            if (row.lanes == 0) { continue; }
            EXPECT_TRUE(row.present);
            const auto counters = role == 0   ? index.ia_counters(tile, line)
                                  : role == 1 ? index.ib_counters(tile, line)
                                              : index.result_counters(tile, line);
            const auto place = banked[role].at(counters);
            naive_row r{role, j, number, line};
            r.row = static_cast<std::int64_t>(place.row);
            r.bank = banked[role].bank(place, j);
            std::uint64_t numbers[16] = {};
            if (c.has(linear_flags[role])) { linear[role].elements(row, numbers); }
            for (unsigned lane = 0; lane < row.lanes; ++lane) {
                auto at = row.index;
                at[row.along] += lane;
                r.elements.push_back({lane, at, static_cast<std::int64_t>(numbers[lane])});
            }
            all[{role, number, line, j}] = r;
        }
    }

    static constexpr std::uint16_t linear_flags[] = {contract_command::flag_linear_ia, contract_command::flag_linear_ib,
                                                     contract_command::flag_linear_result};

    const contract_command& c;
    const device_limits& g;
    contract_index index;
    banked_operand banked[3];
    linear_operand linear[3];
};

TEST(fetta_index, rows_are_those_of_the_formulas)
{
    random_contraction random(7);
    for (int i = 0; i < 120; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, i % 10 == 0 ? 150 : 25);
        random.places(c, g, base, base);
        if (i % 4 == 0) { c.flags |= contract_command::flag_accumulate; }
        auto rows = indexed(c, g).rows();
        std::size_t seen = 0;
        const bool linear[] = {c.has(contract_command::flag_linear_ia), c.has(contract_command::flag_linear_ib),
                               c.has(contract_command::flag_linear_result)};
        naive_accesses(c, g).visit([&](const naive_row& expected) {
            ++seen;
            const auto found = rows.find({expected.role, expected.tile, expected.line, expected.engine});
            ASSERT_NE(found, rows.end()) << i;
            const naive_row& row = found->second;
            ASSERT_EQ(row.elements.size(), expected.elements.size());
            for (std::size_t e = 0; e < row.elements.size(); ++e) {
                ASSERT_EQ(row.elements[e].lane, expected.elements[e].lane);
                ASSERT_EQ(row.elements[e].index, expected.elements[e].index);
                if (linear[expected.role]) { ASSERT_EQ(row.elements[e].linear, expected.elements[e].linear); }
            }
            if (!linear[expected.role]) {
                ASSERT_EQ(row.row, expected.row);
                ASSERT_EQ(row.bank, expected.bank);
            }
        });
        ASSERT_EQ(seen, rows.size());
    }
}

TEST(fetta_index, engines_have_one_bank_exactly_when_they_share_the_operand)
{
    random_contraction random(8);
    for (int i = 0; i < 50; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, 20);
        random.places(c, g, base, base);
        for (const operand_role role : operand_roles) {
            const banked_operand operand(c, role, g);
            const banked_place place = operand.at({random.below(9), random.below(9), random.below(9), 0});
            for (unsigned a = 0; a < g.engines; ++a) {
                ASSERT_LT(operand.bank(place, a), g.engines);
                for (unsigned b = 0; b < a; ++b) {
                    const bool share = ((a ^ b) & ~operand.shared()) == 0;
                    ASSERT_EQ(operand.bank(place, a) == operand.bank(place, b), share) << a << " " << b;
                }
            }
        }
    }
}

TEST(fetta_index, ports_without_contracted_elements_take_part_with_zeros)
{
    device_limits g;
    contract_command c;
    c.mask_contracted = 3;
    c.mask_ib = 12;
    c.contracted = 5; // engines with c_k = 2, 3 have none
    c.ia_free = 9;
    c.ib_free = 14; // 4 + 4 + 4 + 2
    const contract_index index(c, g);
    const auto tile = index.first_tile();
    for (unsigned j = 0; j < 16; ++j) {
        const auto row = index.ia_beat(tile, 8, j);
        EXPECT_TRUE(row.present);
        EXPECT_EQ(row.lanes, j % 4 == 0 ? 4u : j % 4 == 1 ? 1u : 0u);
        const auto written = index.result_beat(tile, 8, j);
        EXPECT_EQ(written.lanes, j / 4 == 3 ? 2u : 4u);
    }
    EXPECT_FALSE(index.ia_beat(tile, 9, 0).present);
}

TEST(fetta_index, large_groups_divide_instead_of_keeping_a_table)
{
    const operand_mode modes[] = {{300, -7}, {1, 99}, {300, 5}};
    const mode_group large(modes, 3), small(modes + 1, 2);
    for (std::uint64_t i = 0; i < 90000; i += 77) {
        ASSERT_EQ(large.offset(i), -7 * std::int64_t(i / 300) + 5 * std::int64_t(i % 300));
    }
    for (std::uint64_t i = 0; i < 300; ++i) { ASSERT_EQ(small.offset(i), 5 * std::int64_t(i)); }
    EXPECT_EQ(mode_group(modes, 0).offset(0), 0);
}

TEST(fetta_index, elements_are_interleaved_over_the_banks_row_by_row)
{
    device_limits g;
    contract_command c;
    c.flags = contract_command::flag_linear_ia;
    const linear_operand ia(c, operand_role::ia, g);
    for (std::uint64_t e : {0u, 1u, 3u, 4u, 63u, 64u, 100u, 4095u}) {
        const auto place = ia.place(e);
        EXPECT_EQ(place.lane, e % 4);
        EXPECT_EQ(place.bank, e / 4 % 16);
        EXPECT_EQ(place.row, e / 64);
    }
}

TEST(fetta_index, sums_of_a_command_that_is_gone_on_with_have_accumulator_rows_of_their_own)
{
    random_contraction random(9);
    for (int i = 0; i < 100; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, 30);
        c.flags = contract_command::flag_keep;
        c.accumulator_row = random.below(50);
        const contract_index index(c, g);
        std::map<std::uint64_t, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>> user;
        auto tile = index.first_tile();
        do {
            const bool os = c.mapping >= 4;
            for (std::uint64_t r = 0; r < (os ? g.side : tile.steps); ++r) {
                const auto row = index.accumulator_row(tile, r);
                ASSERT_GE(row, c.accumulator_row);
                ASSERT_LT(row, c.accumulator_row + rows_of_sums(c, g));
                const std::tuple me(tile.batch, tile.ia, tile.ib, r);
                ASSERT_EQ(user.emplace(row, me).first->second, me); // contracted tiles share theirs
            }
        } while (index.next(tile));
        ASSERT_EQ(user.size(), rows_of_sums(c, g));
    }
}

TEST(fetta_index, pieces_start_again_at_the_first_accumulator_row)
{
    device_limits g;
    g.accumulator_bank_bytes = 1024; // 64 rows
    contract_command c;
    c.mask_contracted = 15;
    c.ia_free = 150;
    const contract_index index(c, g);
    auto tile = index.first_tile();
    ASSERT_TRUE(index.next(tile));
    EXPECT_EQ(tile.first_step, 64u);
    EXPECT_EQ(index.accumulator_row(tile, 64), 0u);
    EXPECT_EQ(index.accumulator_row(tile, 127), 63u);
}

} // namespace
} // namespace tensorloom::test
