// The controller against the table of cycles in fetta/isa/schedule.h, filled in tile by tile, and the formulas of
// contract_index.h.
#include <cstdint>
#include <map>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/controller.h>
#include "models/fetta/naive_memory.h"
#include "models/fetta/random_contraction.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::contract_command;
using fetta::contract_index;
using fetta::contract_tile;
using fetta::device_limits;
using fetta::operand_role;

/// A row in the cycle in which it passes the ports.
struct timed_row {
    contract_tile tile;
    std::uint64_t row = 0;
    bool first = false; // of its tile
};
using timed_rows = std::map<std::uint64_t, timed_row>;

/// The table of schedule.h for a command.
struct timetable {
    timetable(const contract_command& c, const device_limits& g) : index(c, g)
    {
        const bool os = fetta::is_output_stationary(c.mapped());
        const std::uint64_t p = g.side, r = g.index_bits(), l = g.mac_latency, apart = os ? l : 1;
        std::uint64_t start = os ? 0 : p;
        contract_tile tile = index.first_tile();
        bool more = true;
        for (; more; more = index.next(tile)) {
            ++tiles;
            for (std::uint64_t t = 0; t < tile.steps; ++t) {
                ia[start + apart * t] = {tile, tile.first_step + t, t == 0};
                number[start + apart * t] = tiles - 1;
                if (os) { ib[start + l * t] = {tile, t, t == 0}; }
                if (!os) { result[start + t + l * p - 1 + r + 1] = {tile, tile.first_step + t, t == 0}; }
            }
            for (std::uint64_t m = 0; m < p; ++m) {
                if (!os) { ib[start - 1 - m] = {tile, m, m == p - 1}; }
                if (os) { result[start + l * tile.steps + p - 1 + (p - 1 - m) + r + 1] = {tile, m, m == p - 1}; }
            }
            if (os) { finish[start + l * tile.steps] = tile; }
            start += std::max(apart * tile.steps, p);
        }
    }

    contract_index index;
    timed_rows ia, ib, result;
    std::map<std::uint64_t, std::uint64_t> number; // of the tile, by cycle of a step
    std::map<std::uint64_t, contract_tile> finish;
    std::uint64_t tiles = 0;
};

class controller_test : public sim_test_with_param<int> {
protected:
    controller_test()
        : m_limits(limits_without_latency_of_buffers()), m_maker(static_cast<std::uint64_t>(GetParam()), m_limits, 0)
    {}

    // The owner of the buffers waits for them before and after the cycles that the controller counts.
    static device_limits limits_without_latency_of_buffers()
    {
        device_limits limits = random_limits(static_cast<std::uint64_t>(GetParam()));
        limits.buffer_cycles = 0;
        return limits;
    }

    void expect_rows(const fetta::beat_addresses& found, const timed_rows& table, std::uint64_t cycle,
                     operand_role role, const contract_command& c, const contract_index& index) const
    {
        const auto at = table.find(cycle);
        ASSERT_EQ(found.due, at != table.end()) << "cycle " << cycle;
        if (!found.due) { return; }
        const auto& [tile, line, first] = at->second;
        ASSERT_EQ(found.first, first);
        const fetta::banked_operand banked(c, role, m_limits);
        const fetta::linear_operand linear(c, role, m_limits);
        const bool is_linear = fetta::is_linear(c, role);
        const auto place = banked.at(role == operand_role::ia   ? index.ia_counters(tile, line)
                                     : role == operand_role::ib ? index.ib_counters(tile, line)
                                                                : index.result_counters(tile, line));
        if (!is_linear) { ASSERT_EQ(found.place.row, place.row); }
        ASSERT_EQ(found.place.bank_index, place.bank_index);
        for (std::uint32_t e = 0; e < m_limits.engines; ++e) {
            if ((e & fetta::shared_mask(c, role)) != 0) {
                ASSERT_FALSE(found.beats[e].present);
                continue;
            }
            const auto row = role == operand_role::ia   ? index.ia_beat(tile, line, e)
                             : role == operand_role::ib ? index.ib_beat(tile, line, e)
                                                        : index.result_beat(tile, line, e);
            ASSERT_EQ(found.beats[e].present, row.present);
            ASSERT_EQ(found.beats[e].lanes, row.lanes);
            ASSERT_EQ(found.beats[e].index, row.index);
            if (!is_linear) { continue; }
            std::vector<std::uint64_t> elements(m_limits.side);
            linear.elements(row, elements.data());
            for (std::uint32_t lane = 0; lane < row.lanes; ++lane) {
                ASSERT_EQ(found.elements[e * m_limits.side + lane], elements[lane]);
            }
        }
    }

    void expect_cycle(const fetta::contract_controls& found, const timetable& t, std::uint64_t cycle,
                      const contract_command& c) const
    {
        const bool os = fetta::is_output_stationary(c.mapped());
        const auto step = t.ia.find(cycle);
        const auto ib = t.ib.find(cycle);
        const auto finish = t.finish.find(cycle);
        const auto& token = found.engines;
        ASSERT_EQ(token.step, step != t.ia.end());
        ASSERT_EQ(token.start, token.step && step->second.first);
        ASSERT_EQ(token.load, !os && ib != t.ib.end());
        ASSERT_EQ(token.load_start, token.load && ib->second.first);
        ASSERT_EQ(token.finish, finish != t.finish.end());
        if (token.step) { ASSERT_EQ(found.tile, t.number.at(cycle)); }
        for (std::uint32_t e = 0; e < m_limits.engines; ++e) {
            std::uint32_t valid = 0;
            if (token.step && !os) { valid = t.index.result_beat(step->second.tile, step->second.row, e).lanes != 0; }
            for (std::uint32_t m = 0; token.finish && m < m_limits.side; ++m) {
                valid |= std::uint32_t{t.index.result_beat(finish->second, m, e).lanes != 0} << m;
            }
            ASSERT_EQ(found.valid[e], valid) << "engine " << e;
        }
        const auto enters = t.result.find(cycle + m_limits.index_bits());
        ASSERT_EQ(found.result.enters, enters != t.result.end());
        if (found.result.enters) {
            const fetta::banked_operand banked(c, operand_role::result, m_limits);
            const auto place = banked.at(t.index.result_counters(enters->second.tile, enters->second.row));
            ASSERT_EQ(found.result.bank_index, place.bank_index);
        }
        const auto arrives = t.result.find(cycle);
        if (arrives == t.result.end()) { return; }
        const auto& tile = arrives->second.tile;
        const bool last = tile.contracted + 1 == t.index.loops().contracted_tiles;
        ASSERT_EQ(found.result.what.row, t.index.accumulator_row(tile, arrives->second.row));
        ASSERT_EQ(found.result.what.adds, tile.contracted > 0 || c.has(contract_command::flag_accumulate));
        ASSERT_EQ(found.result.what.passes_on, last && !c.has(contract_command::flag_keep));
    }

    device_limits m_limits;
    contraction_maker m_maker;
};

TEST_P(controller_test, tells_every_block_what_the_table_of_cycles_says)
{
    fetta::controller controller("controller", m_limits);
    for (unsigned n = 0; n < 12; ++n) {
        contract_command c = m_maker.contraction();
        if (n % 4 == 1 && !fetta::is_linear(c, operand_role::result)) {
            c.flags |= contract_command::flag_accumulate;
            if (n % 8 == 5) { c.flags |= contract_command::flag_keep; }
        }
        const timetable t(c, m_limits);
        controller.start(c);
        const std::uint64_t cycles = fetta::ideal_cycles(c, m_limits).total();
        for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
            SCOPED_TRACE("command " + std::to_string(n) + " cycle " + std::to_string(cycle));
            ASSERT_FALSE(controller.ended());
            const auto& found = controller.next_cycle();
            ASSERT_NO_FATAL_FAILURE(expect_cycle(found, t, cycle, c));
            ASSERT_NO_FATAL_FAILURE(expect_rows(found.ia, t.ia, cycle, operand_role::ia, c, t.index));
            ASSERT_NO_FATAL_FAILURE(expect_rows(found.ib, t.ib, cycle, operand_role::ib, c, t.index));
            ASSERT_NO_FATAL_FAILURE(
                expect_rows(found.result.arrives, t.result, cycle, operand_role::result, c, t.index));
        }
        ASSERT_TRUE(controller.ended());
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, controller_test, ::testing::Range(0, 12));

} // namespace
