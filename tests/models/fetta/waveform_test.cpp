// What a waveform of a device shows: cycles of each kind as often as they are counted, and nothing when the unit is at
// rest.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/fetta_program.h"
#include "models/fetta/traced_fetta.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::contract_command;
using fetta::event;
using fetta::mapping;

fetta::config settings(blocks::fidelity fidelity)
{
    fetta::config c;
    c.limits.bank_bytes = 4096;
    c.limits.engines = 4;
    c.fidelity = fidelity;
    return c;
}

const fetta::device_limits limits = settings(blocks::fidelity::fast).limits;

fetta_bench::program_type running(const std::vector<contract_command>& commands, fetta_outcome& outcome)
{
    return [commands, &outcome](fetta_bench& b) {
        std::vector<std::uint16_t> numbers(4096, 0x3f80);
        b.cpu().preload(fetta_bench::data_at, numbers.data(), 8192);
        fetta_program p(limits);
        p.load(fetta_bench::data_at, 0, 2048);
        for (const auto& c : commands) { p.contract(c); }
        outcome = b.run(p.bytes());
        EXPECT_TRUE(outcome.result.done);
    };
}

contract_command linear(mapping how)
{
    auto c = fetta_program::product(limits, 3000, 0, 512, 6, 9, 5);
    c.mapping = static_cast<std::uint32_t>(how);
    return c;
}

class fetta_waveform : public sim_test {};

TEST_F(fetta_waveform, shows_cycles_of_each_kind_as_often_as_they_are_counted)
{
    struct work {
        contract_command command;
        std::uint64_t writes; // steps, or rows in range of tiles
        bool conflicts;
        fetta_outcome outcome;
        std::unique_ptr<traced_fetta> device;
    } all[] = {{fetta_program::banked(limits, mapping::ws_v), 12, false, {}, {}},
               {fetta_program::banked(limits, mapping::is_h), 12, false, {}, {}},
               {fetta_program::banked(limits, mapping::os_1), 12, false, {}, {}},
               {linear(mapping::ws_h), 6, true, {}, {}},
               {linear(mapping::os_2), 6, true, {}, {}}};
    fetta::contraction_trace what;
    what.engines = {2};
    for (auto& w : all) {
        const std::string name = "device_" + std::to_string(&w - all);
        w.device = std::make_unique<traced_fetta>(name, settings(blocks::fidelity::detailed), what,
                                                  running({w.command}, w.outcome));
    }
    sc_core::sc_start();
    for (auto& w : all) {
        SCOPED_TRACE(&w - all);
        ASSERT_TRUE(w.device->finished());
        std::uint64_t busy = 0, step = 0, load = 0, stall = 0, write = 0, drain = 0, tiles = 0, rows = 0;
        vcd_signals(w.device->text()).visit([&](const auto& now, std::uint64_t ps) {
            if (signal(now, "busy") != 1) { return; }
            const std::uint64_t cycles = ps / 1000;
            busy += cycles;
            step += cycles * signal(now, "step");
            load += cycles * signal(now, "load");
            stall += cycles * signal(now, "stall");
            write += cycles * signal(now, "write");
            drain += cycles * signal(now, "drain");
            tiles = std::max(tiles, signal(now, "tile") + 1);
            rows += cycles * static_cast<unsigned>(__builtin_popcountll(signal(now, "engine_2.steps")));
            if (signal(now, "stall") == 0) { return; }
            EXPECT_EQ(signal(now, "step") + signal(now, "load") + signal(now, "drain") + signal(now, "write"), 0u);
            EXPECT_EQ(signal(now, "engine_2.steps") + signal(now, "engine_2.loads"), 0u);
        });
        const auto& counts = w.outcome.counts;
        const bool output_stationary = is_output_stationary(w.command.mapped());
        EXPECT_EQ(step, counts[event::compute_cycle]);
        EXPECT_EQ(stall, counts[event::conflict_cycle]);
        EXPECT_EQ(stall != 0, w.conflicts);
        EXPECT_EQ(tiles, counts[event::tile]);
        EXPECT_EQ(write, w.writes);
        EXPECT_EQ(load, output_stationary ? 0 : limits.side * tiles);
        EXPECT_EQ(drain, output_stationary ? tiles : 0);
        EXPECT_EQ(rows, limits.side * step); // each token of a step passes every row once
        EXPECT_EQ(busy,
                  step + stall + counts[event::fill_cycle] + counts[event::reload_cycle] + counts[event::psum_cycle]);
    }
}

// Its operand advances, so that it is refused when it should run, not when the program is loaded.
TEST_F(fetta_waveform, does_not_show_a_command_that_is_refused)
{
    auto refused = fetta_program::banked(limits, mapping::os_2);
    refused.ia.base = 511;
    refused.ia.step = {1, 0};
    fetta_outcome outcome;
    traced_fetta device("device", settings(blocks::fidelity::fast), {}, [&](fetta_bench& b) {
        fetta_program p(limits), next(limits);
        p.load(fetta_bench::data_at, 0, 2048).contract(fetta_program::banked(limits, mapping::os_2));
        outcome = b.run(p.contract(refused).bytes());
        EXPECT_TRUE(b.run(next.load(fetta_bench::data_at, 0, 16).bytes()).result.done);
    });
    sc_core::sc_start();
    ASSERT_TRUE(device.finished());
    EXPECT_EQ(outcome.result.error, isa::error_code::too_large);
    EXPECT_EQ(outcome.result.error_command, 2u);
    std::uint64_t last = 0;
    vcd_signals(device.text()).visit([&](const auto& now, std::uint64_t) {
        last = std::max(last, signal(now, "command"));
    });
    EXPECT_EQ(last, 1u);
}

TEST_F(fetta_waveform, shows_nothing_when_the_unit_is_at_rest)
{
    std::vector<contract_command> commands;
    for (const auto how : {mapping::ws_v, mapping::is_h, mapping::os_1}) {
        commands.push_back(fetta_program::banked(limits, how));
        commands.push_back(linear(how));
    }
    fetta_outcome outcome;
    traced_fetta device("device", settings(blocks::fidelity::detailed), traced_fetta::everything(),
                        running(commands, outcome));
    sc_core::sc_start();
    ASSERT_TRUE(device.finished());
    unsigned at_rest = 0, at_work = 0;
    vcd_signals(device.text()).visit([&](const auto& now, std::uint64_t) {
        if (signal(now, "busy") == 0) {
            ++at_rest;
            EXPECT_EQ(active_signals(now), "");
        } else if (active_signals(now).find("accumulation_unit.out.valid") != std::string::npos) {
            ++at_work;
        }
    });
    EXPECT_GT(at_rest, 1u);
    EXPECT_GT(at_work, 20u);
}

TEST_F(fetta_waveform, is_the_same_twice_and_changes_nothing)
{
    const std::vector<contract_command> commands{fetta_program::banked(limits, mapping::ws_v), linear(mapping::ws_v)};
    fetta_outcome of_a, of_b, of_fast;
    traced_fetta a("a", settings(blocks::fidelity::detailed), traced_fetta::everything(), running(commands, of_a));
    traced_fetta b("b", settings(blocks::fidelity::detailed), traced_fetta::everything(), running(commands, of_b));
    traced_fetta fast("fast", settings(blocks::fidelity::fast), {}, running(commands, of_fast));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished() && fast.finished());
    const std::string text = a.text();
    EXPECT_GT(std::count(text.begin(), text.end(), '#'), 60);
    EXPECT_TRUE(b.changes() == a.changes());
    for (const char* name :
         {"step", "stall", "tile", "engine_0", "engine_3", "pe_3_3", "psum_shadow", "ib_active", "distribution_network",
          "reduction_network", "level_1", "diagonal", "accumulation_unit", "passes_on", "opcode", "busy", "irq"}) {
        EXPECT_NE(text.find(name), std::string::npos) << name;
    }
    EXPECT_EQ(text.find("engine_1"), std::string::npos);
    EXPECT_TRUE(of_a.rows == of_fast.rows);
    EXPECT_EQ(of_a.result.cycles, of_fast.result.cycles);
    EXPECT_GT(of_a.cycles_of("conflict"), 0u);

    std::uint64_t busy = 0;
    vcd_signals(fast.text()).visit([&](const auto& now, std::uint64_t ps) {
        busy += ps / 1000 * signal(now, "busy");
        EXPECT_EQ(signal(now, "step"), ~std::uint64_t{0}) << "a fast unit has only busy";
    });
    std::uint64_t logged = 0;
    for (const auto& row : of_fast.rows) { logged += row.phase == "contract" ? row.cycles : 0; }
    EXPECT_EQ(busy, logged);
}

TEST_F(fetta_waveform, of_what_does_not_exist_is_an_error)
{
    expected_report report("/tensorloom/fetta/trace");
    fetta_outcome outcome;
    const auto trace = [&](const char* name, blocks::fidelity fidelity, const fetta::contraction_trace& what) {
        traced_fetta(name, settings(fidelity), what, running({}, outcome));
    };
    fetta::contraction_trace engine, network, elements;
    engine.engines = {4};
    EXPECT_THROW(trace("a", blocks::fidelity::detailed, engine), sc_core::sc_report);
    engine.engines = {0};
    EXPECT_THROW(trace("b", blocks::fidelity::fast, engine), sc_core::sc_report);
    network.networks = true;
    EXPECT_THROW(trace("c", blocks::fidelity::fast, network), sc_core::sc_report);
    elements.processing_elements = true;
    EXPECT_THROW(trace("d", blocks::fidelity::fast, elements), sc_core::sc_report);
    EXPECT_THROW(trace("e", blocks::fidelity::detailed, elements), sc_core::sc_report);
    EXPECT_EQ(report.count(), 5u);
}

} // namespace
