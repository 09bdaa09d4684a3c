// Chains of products and pointwise work on a tensor that stays in the cells: bits and counts of every time-step are
// those of a mesh simulated cell by cell, in all fidelities.
#include <cstring>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/rtl/amount.h"
#include "models/triada/cell_mesh.h"
#include "models/triada/chain_maker.h"
#include "models/triada/chain_run.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using triada::event;
using triada::gemt_command;

unsigned chains_per_process() { return static_cast<unsigned>(amount(10, 100)); }

std::string difference_of(const triada::counts& found, const triada::counts& expected)
{
    std::string text;
    for (std::size_t e = 0; e < triada::event_count; ++e) {
        if (found.data()[e] != expected.data()[e]) {
            text += std::string(triada::event_definitions[e].name) + " " + std::to_string(found.data()[e]) +
                    ", expected " + std::to_string(expected.data()[e]) + "; ";
        }
    }
    return text;
}

// The counts of all transfers of a command but those of cycles, which the oracle does not know.
triada::counts transfers(const std::vector<triada_row>& rows, std::size_t command, const std::string& cause)
{
    triada::counts sum;
    for (const auto& row : rows) {
        if (row.command == command && row.cause == cause) { sum += row.counts; }
    }
    sum[event::load_cycle] = sum[event::unload_cycle] = sum[event::overlapped_cycle] = 0;
    return sum;
}

/// A chain and what the oracle makes of it. It ends with the first step for which a cell has too few registers.
template <class T> struct expected_chain {
    chain<T> steps;
    std::vector<mesh_outcome<T>> outcomes;
    cell_mesh<T> mesh; // after it

    expected_chain(const chain<T>& made, cell_mesh<T>& on) : mesh(on)
    {
        for (const auto& step : made) {
            steps.push_back(step);
            outcomes.push_back(on.run(step));
            if (outcomes.back().refused) { break; }
        }
        mesh = on;
    }
};

// One of the registers holds the sums of the tensor that stayed, and +0 around it.
template <class T> void expect_held(const byte_string& registers, const cell_mesh<T>& expected)
{
    const auto held = expected.held();
    if (held.empty() || registers.empty()) { return; }
    const std::size_t bytes = held.size() * sizeof held.front();
    bool found = false;
    for (std::size_t at = 0; at < registers.size(); at += bytes) {
        found = found || std::memcmp(registers.data() + at, held.data(), bytes) == 0;
    }
    EXPECT_TRUE(found);
}

template <class T>
void expect_step(const mesh_outcome<T>& expected, const step_outcome<T>& s, const std::vector<triada_row>& rows,
                 unsigned step_cycles)
{
    EXPECT_TRUE(same_bits(s.y, expected.y));
    EXPECT_TRUE(same_bits(s.sums, expected.sums));
    EXPECT_TRUE(same_bits(s.previous, expected.previous));
    EXPECT_TRUE(same_bits(s.previous_sums, expected.previous_sums));
    EXPECT_EQ(difference_of(transfers(rows, s.command, "load"), expected.loaded), "");
    EXPECT_EQ(difference_of(transfers(rows, s.command, "unload"), expected.unloaded), "");
    EXPECT_EQ(difference_of(transfers(rows, s.command, "matrices"), expected.matrices), "");
    std::size_t at = 0;
    for (const auto& row : rows) {
        if (row.command != s.command || row.cause != "compute") { continue; }
        ASSERT_LT(at, expected.steps.size());
        const auto& e = expected.steps[at++];
        EXPECT_EQ(row.phase, e.phase);
        EXPECT_EQ(row.id, e.id);
        EXPECT_EQ(row.detail, e.detail);
        EXPECT_EQ(row.cycles, step_cycles * e.counts[event::step]);
        EXPECT_EQ(difference_of(row.counts, e.counts), "") << row.phase << " " << row.id;
    }
    EXPECT_EQ(at, expected.steps.size());
}

template <class T>
void expect_as_cell_by_cell(const expected_chain<T>& expected, const chain_outcome<T>& found, unsigned step_cycles)
{
    const auto& last = expected.outcomes.back();
    for (const auto& program : found.programs) {
        const bool refused = last.refused && &program == &found.programs.back();
        EXPECT_STREQ(isa::error_text(program.result.error),
                     isa::error_text(refused ? isa::error_code::too_large : isa::error_code::none));
        if (refused) { EXPECT_EQ(program.result.error_command, found.steps.back().command); }
        EXPECT_EQ(program.counts, program.window);
        EXPECT_EQ(program.logged_cycles(), program.result.cycles);
        const auto& counts = program.counts;
        EXPECT_EQ(program.result.cycles, program.cycles_of("fetch") + program.cycles_of("matrices") +
                                             step_cycles * counts[event::step] + counts[event::load_cycle] +
                                             counts[event::unload_cycle] - counts[event::overlapped_cycle]);
    }
    for (std::size_t i = 0; i < expected.steps.size(); ++i) {
        if (expected.outcomes[i].refused) { break; }
        SCOPED_TRACE("step " + std::to_string(i));
        const auto& s = found.steps[i];
        expect_step(expected.outcomes[i], s, found.programs[s.program].rows, step_cycles);
    }
    expect_held(found.registers, expected.mesh);
}

template <class T> void expect_same(const chain_outcome<T>& a, const chain_outcome<T>& b)
{
    ASSERT_EQ(a.programs.size(), b.programs.size());
    for (std::size_t p = 0; p < a.programs.size(); ++p) {
        EXPECT_TRUE(a.programs[p].rows == b.programs[p].rows);
        EXPECT_EQ(a.programs[p].result.cycles, b.programs[p].result.cycles);
    }
    for (std::size_t s = 0; s < a.steps.size(); ++s) {
        EXPECT_TRUE(same_bits(a.steps[s].y, b.steps[s].y));
        EXPECT_TRUE(same_bits(a.steps[s].sums, b.steps[s].sums));
        EXPECT_TRUE(same_bits(a.steps[s].previous, b.steps[s].previous));
        EXPECT_TRUE(same_bits(a.steps[s].previous_sums, b.steps[s].previous_sums));
    }
}

template <class T> void compare_with_cells(std::uint64_t seed)
{
    case_maker maker(seed);
    triada::config config = random_device(maker, base::element_type_of<T>);
    for (auto& cells : config.mesh) { cells = 1 + maker.below(5); }
    config.cell_registers = 1 + maker.below(8);
    const bool debug = maker.chance(0.5);
    draw_control(seed, config);
    chain_maker<T> chains(seed + 1000, config.mesh, seed % 4 >= 2);
    cell_mesh<T> mesh(config.mesh, config.cell_registers + 2, config.line_extent == triada::line_extent::mesh,
                      config.look_ahead);
    std::vector<expected_chain<T>> all;
    static constexpr case_maker::specials kinds[] = {case_maker::specials::none, case_maker::specials::zeros,
                                                     case_maker::specials::wild};
    for (unsigned i = 0; i < chains_per_process(); ++i) {
        all.emplace_back(chains.make(1 + maker.below(6), kinds[i % 3]), mesh);
        if (all.back().outcomes.back().refused) { chains.forget_operand(); }
    }

    std::vector<chain_outcome<T>> fast, detailed, rtl;
    const auto running = [&all, debug](std::vector<chain_outcome<T>>& outcomes) {
        return [&all, &outcomes, debug](triada_bench& bench) {
            for (const auto& expected : all) { outcomes.push_back(run_chain(bench, expected.steps, debug)); }
        };
    };
    config.stream_burst = maker.chance(0.5) ? 0 : 1 + maker.below(4);
    config.threads = maker.chance(0.8) ? 1 : 2;
    triada_bench a("fast", config, running(fast));
    config.fidelity = triada::fidelity::detailed;
    config.stream_burst = 0;
    triada_bench b("detailed", config, running(detailed));
    config.fidelity = triada::fidelity::rtl;
    if (triada::validate(config)) { // there is none in this format
        run_to_end(a, b);
    } else {
        triada_bench c("rtl", config, running(rtl));
        run_to_end(a, b, c);
    }

    for (unsigned i = 0; i < chains_per_process(); ++i) {
        SCOPED_TRACE("chain " + std::to_string(i) + " of seed " + std::to_string(seed));
        expect_as_cell_by_cell(all[i], fast[i], config.step_cycles);
        expect_as_cell_by_cell(all[i], detailed[i], config.step_cycles);
        expect_same(fast[i], detailed[i]);
        if (rtl.empty()) { continue; }
        expect_as_cell_by_cell(all[i], rtl[i], config.step_cycles);
        expect_same(fast[i], rtl[i]);
    }
}

class chains : public sim_test_with_param<int> {};

TEST_P(chains, bits_and_counts_of_every_step_are_those_of_the_cells)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) { compare_with_cells<decltype(element)>(seed); });
}

INSTANTIATE_TEST_SUITE_P(seeds, chains, ::testing::Range(0, 30)); // 300 chains

// A tensor of 7 x 5 x 6 on its way there and back, with a threshold and a filter between them.
chain<double> way_there_and_back()
{
    case_maker maker(4);
    const shape3 shape{7, 5, 6};
    chain<double> steps(4);
    for (const unsigned i : {0u, 3u}) {
        auto& g = steps[i].product;
        g.shape = g.out = shape;
        g.esop = false;
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m] = maker.numbers<double>(std::size_t{shape[m]} * shape[m], case_maker::specials::none);
        }
    }
    steps[0].product.x = maker.numbers<double>(210, case_maker::specials::none);
    for (const unsigned i : {1u, 2u}) {
        auto& p = steps[i].pointwise.emplace();
        p.shape = shape;
        p.work = i == 1 ? pointwise_work::threshold : pointwise_work::multiply;
        if (i == 2) { p.operand = maker.numbers<double>(210, case_maker::specials::zeros); }
    }
    steps[1].pointwise->value = 0.25;
    for (unsigned i = 0; i < 4; ++i) {
        if (i > 0) { steps[i].from = tensor_place::held; }
        steps[i].hold = i < 3;
    }
    return steps;
}

class chain_cycles : public sim_test_with_param<triada::fidelity> {};

// The tensor and the filter are loaded once and the result is unloaded once, in the time that a product alone takes for
// them; the rest are time-steps.
TEST_P(chain_cycles, are_those_of_one_load_and_one_unload_and_of_the_time_steps)
{
    triada::config config;
    config.mesh = {7, 5, 6};
    config.fidelity = GetParam();
    config.load_elements = 4;
    const auto steps = way_there_and_back();
    bench_outcome<triada::counts> chained, alone, filter_alone;
    triada_bench bench("bench", config, [&](triada_bench& b) {
        std::vector<chain_command> commands;
        for (const auto& step : steps) { commands.push_back(place_step(b, step)); }
        chained = b.run(program_of(commands));
        auto product = gemt_command::decode(commands[0].flags, commands[0].payload.data());
        product.flags = 0;
        product.y = gemt_command::decode(0, commands[3].payload.data()).y;
        alone = b.run(program_of({product}));
        product.x = isa::pointwise_command::decode(0, commands[2].payload.data()).operand;
        filter_alone = b.run(program_of({product}));
    });
    run_to_end(bench);
    EXPECT_TRUE(chained.result.done);
    EXPECT_EQ(chained.cycles_of("load"), alone.cycles_of("load") + filter_alone.cycles_of("load"));
    EXPECT_EQ(chained.cycles_of("unload"), alone.cycles_of("unload"));
    EXPECT_EQ(alone.cycles_of("compute"), 3u * (7 + 5 + 6));
    EXPECT_EQ(chained.cycles_of("compute"), 3u * (2 * (7 + 5 + 6) + 2));
    EXPECT_EQ(chained.result.cycles, chained.cycles_of("fetch") + chained.cycles_of("matrices") +
                                         chained.cycles_of("load") + chained.cycles_of("compute") +
                                         chained.cycles_of("unload"));
    EXPECT_EQ(chained.counts[event::element_load], 2u * 210);
    EXPECT_EQ(chained.counts[event::element_unload], 210u);
}

INSTANTIATE_TEST_SUITE_P(fidelities, chain_cycles,
                         ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed));

} // namespace
