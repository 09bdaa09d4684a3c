// Addresses by counting against the formulas of fetta/isa/contract_index.h, row by row in the order of the engines;
// what rows hold against a walk element by element.
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>
#include <tensorloom/models/fetta/operand_address_generator.h>
#include "models/fetta/isa/naive_accesses.h"
#include "models/fetta/naive_memory.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::contract_command;
using fetta::contract_index;
using fetta::contract_operand;
using fetta::device_limits;
using fetta::operand_role;

class random_contraction {
public:
    explicit random_contraction(unsigned seed) : m_random(seed) {}

    std::uint64_t below(std::uint64_t n) { return m_random() % n; }

    /// Addresses need not lie in the memory: only how they are made is of interest here.
    contract_command command(const device_limits& g, fetta::mapping mapping)
    {
        contract_command c;
        c.mapping = static_cast<std::uint32_t>(mapping);
        std::uint32_t* const masks[] = {&c.mask_batch, &c.mask_contracted, &c.mask_ia, &c.mask_ib};
        for (unsigned bit = 0; bit < g.index_bits(); ++bit) { *masks[below(4)] |= 1u << bit; }
        c.batch = 1 + static_cast<std::uint32_t>(below(5));
        c.contracted = 1 + static_cast<std::uint32_t>(below(30));
        c.ia_free = 1 + static_cast<std::uint32_t>(below(below(3) == 0 ? 3 * g.accumulator_rows() : 20));
        c.ib_free = 1 + static_cast<std::uint32_t>(below(30));
        if (below(4) == 0) { c.flags |= contract_command::flag_accumulate; }
        fill(c.ia, g, {c.batch, c.contracted, c.ia_free});
        fill(c.ib, g, {c.batch, c.contracted, c.ib_free});
        fill(c.result, g, {c.batch, c.ia_free, c.ib_free});
        return c;
    }

private:
    void fill(contract_operand& o, const device_limits& g, const std::array<std::uint32_t, 3>& extents)
    {
        o.base = 100000 + static_cast<std::uint32_t>(below(100000));
        o.bank = static_cast<std::uint32_t>(below(g.engines));
        for (auto& s : o.stride) { s = static_cast<std::int32_t>(below(201)) - 100; }
        unsigned mode = 0;
        for (unsigned group = 0; group < 3; ++group) {
            const unsigned first = mode;
            std::uint32_t rest = extents[group];
            for (const std::uint32_t factor : {2u, 3u}) {
                if (rest % factor == 0 && mode - first < 2) {
                    o.mode[mode++] = {factor, static_cast<std::int32_t>(below(201)) - 100};
                    rest /= factor;
                }
            }
            if (mode < 6) { // at most two modes of each group of eight in all
                o.mode[mode++] = {rest, static_cast<std::int32_t>(below(201)) - 100};
            } else {
                o.mode[mode - 1].size *= rest;
            }
            o.modes[group] = mode - first;
        }
    }

    std::mt19937_64 m_random;
};

/// The formulas for one role.
struct formulas {
    formulas(operand_role which, const contract_command& c, const device_limits& g)
        : role(which), index(c, g), banked(c, which, g)
    {}

    std::array<std::uint64_t, 4> counters(const fetta::contract_tile& tile, std::uint64_t row) const
    {
        return role == operand_role::ia   ? index.ia_counters(tile, row)
               : role == operand_role::ib ? index.ib_counters(tile, row)
                                          : index.result_counters(tile, row);
    }
    /// Rows of a tile in the order of the engines.
    std::vector<std::uint64_t> rows(const fetta::contract_tile& tile, bool output_stationary, std::uint32_t side) const
    {
        std::vector<std::uint64_t> all;
        const bool in_tile =
            role == operand_role::ib ? !output_stationary : role == operand_role::result && output_stationary;
        if (in_tile) {
            for (std::uint64_t r = side; r > 0; --r) { all.push_back(r - 1); }
        } else {
            for (std::uint64_t r = 0; r < tile.steps; ++r) { all.push_back(tile.first_step + r); }
        }
        return all;
    }

    operand_role role;
    contract_index index;
    fetta::banked_operand banked;
};

/// What the rows of a command hold (naive_accesses.h).
class naive_rows {
public:
    naive_rows(const contract_command& c, const device_limits& g)
    {
        naive_accesses(c, g).visit([&](const naive_row& row) { m_rows[key_of(row)] = row.elements; });
        // A port takes part, with zeros, where only contracted indices are missing: where it has elements when none of
        // them is.
        contract_command whole = c;
        const std::uint32_t parts = 1u << __builtin_popcount(c.mask_contracted);
        const std::uint32_t round = is_output_stationary(c.mapped()) ? parts : parts * g.side;
        whole.contracted = (c.contracted + round - 1) / round * round;
        naive_accesses(whole, g).visit([&](const naive_row& row) { m_present[key_of(row)] = true; });
    }

    void expect(operand_role role, std::uint64_t tile, fetta::operand_address_generator& g, unsigned engine) const
    {
        const key at{static_cast<int>(role), tile, g.row(), engine};
        const auto found = g.elements(engine);
        ASSERT_EQ(found.present, m_present.count(at) == 1);
        const auto row = m_rows.find(at);
        ASSERT_EQ(found.lanes, row == m_rows.end() ? 0 : row->second.size());
        std::vector<std::uint64_t> to(16, 7);
        g.places(engine, found, to.data());
        for (std::uint32_t lane = 0; lane < found.lanes; ++lane) {
            auto index = found.index;
            index[found.along] += lane;
            ASSERT_EQ(row->second[lane].lane, lane);
            ASSERT_EQ(row->second[lane].index, index);
            ASSERT_EQ(static_cast<std::int64_t>(to[lane]), row->second[lane].linear);
        }
        for (std::size_t beyond = found.lanes; beyond < to.size(); ++beyond) { ASSERT_EQ(to[beyond], 7u); }
    }

private:
    using key = std::tuple<int, std::uint64_t, std::uint64_t, unsigned>; // role, tile, line, engine
    static key key_of(const naive_row& row) { return {row.role, row.tile, row.line, row.engine}; }

    std::map<key, std::vector<naive_row::element>> m_rows;
    std::map<key, bool> m_present;
};

void expect_row(const formulas& f, const fetta::contract_tile& tile, std::uint64_t row,
                fetta::operand_address_generator& g)
{
    ASSERT_EQ(g.row(), row);
    ASSERT_EQ(g.tile().batch, tile.batch);
    ASSERT_EQ(g.tile().ia, tile.ia);
    ASSERT_EQ(g.tile().ib, tile.ib);
    ASSERT_EQ(g.tile().piece, tile.piece);
    ASSERT_EQ(g.tile().contracted, tile.contracted);
    ASSERT_EQ(g.tile().first_step, tile.first_step);
    ASSERT_EQ(g.tile().steps, tile.steps);
    const auto place = f.banked.at(f.counters(tile, row));
    ASSERT_EQ(g.place().row, place.row);
    ASSERT_EQ(g.place().bank_index, place.bank_index);
}

class operand_address_generator_test : public testing::TestWithParam<device_limits> {};

INSTANTIATE_TEST_SUITE_P(sizes, operand_address_generator_test, testing::ValuesIn(small_geometries()),
                         testing::PrintToStringParamName());

TEST_P(operand_address_generator_test, counts_to_what_the_formulas_say)
{
    const device_limits& g = GetParam();
    random_contraction random(g.engines);
    unsigned with_pieces = 0, with_contracted_tiles = 0;
    for (unsigned n = 0; n < 60; ++n) {
        const auto c = random.command(g, static_cast<fetta::mapping>(n % fetta::mapping_count));
        const naive_rows naive(c, g);
        for (const auto role : {operand_role::ia, operand_role::ib, operand_role::result}) {
            const formulas f(role, c, g);
            with_pieces += f.index.loops().pieces.size() > 1 ? 1 : 0;
            with_contracted_tiles += f.index.loops().contracted_tiles > 1 ? 1 : 0;
            fetta::operand_address_generator generator(role, g);
            for (unsigned turn = 0; turn < 2; ++turn) { // started anew, it begins anew
                generator.start(c, f.index);
                bool more = true;
                auto tile = f.index.first_tile();
                std::uint64_t number = 0;
                do {
                    for (const std::uint64_t row : f.rows(tile, is_output_stationary(c.mapped()), g.side)) {
                        ASSERT_TRUE(more) << "command " << n;
                        ASSERT_NO_FATAL_FAILURE(expect_row(f, tile, row, generator)) << "command " << n;
                        for (unsigned engine = 0; turn == 0 && engine < g.engines; ++engine) {
                            ASSERT_NO_FATAL_FAILURE(naive.expect(role, number, generator, engine)) << "command " << n;
                        }
                        more = generator.step();
                    }
                    ++number;
                } while (f.index.next(tile));
                ASSERT_FALSE(more) << "command " << n;
            }
        }
    }
    EXPECT_GT(with_pieces, 5u);
    EXPECT_GT(with_contracted_tiles, 10u);
}

// The bank changes where a loop wraps: 4 engines share IA in 2 bits, so every fourth position is a new row.
TEST(operand_address_generator, bank_index_takes_the_low_bits_of_positions)
{
    device_limits g = small_limits(16, 4);
    contract_command c;
    c.mask_ib = 0b0101;
    c.mask_ia = 0b1010;
    c.ia_free = 4 * 8; // 8 steps
    c.ib_free = 16;
    c.contracted = 4;
    c.ia.base = 10;
    c.ia.bank = 2;
    c.ia.stride = {0, 0, 1, 0};
    const contract_index index(c, g);
    fetta::operand_address_generator generator(operand_role::ia, g);
    generator.start(c, index);
    const std::uint32_t banks[] = {2, 2 ^ 1, 2 ^ 4, 2 ^ 5};
    for (unsigned step = 0; step < 8; ++step) {
        EXPECT_EQ(generator.place().row, 10 + step / 4);
        EXPECT_EQ(generator.place().bank_index, banks[step % 4]);
        EXPECT_EQ(generator.step(), step < 7);
    }
}

} // namespace
