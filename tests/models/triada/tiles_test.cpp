// Products larger than the mesh: the bits of an untiled run, and the time of a schedule worked out here.
#include <algorithm>
#include <complex>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/mesh_config.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr unsigned orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};

template <class T> std::uint64_t total(const gemt_outcome<T>& o, triada::event e) { return o.counts[e]; }

// ---- bits ----

class tiles_bits : public sim_test_with_param<int> {};

// The oracle of the untiled device: it is told of no mesh.
template <class T> void expect_untiled_bits(unsigned order, std::uint64_t seed)
{
    case_maker maker(seed);
    const shape3 meshes[] = {{3, 5, 2}, {4, 4, 4}, {1, 2, 3}, {16, 16, 1}};
    const shape3 most{9, 11, 7};
    std::vector<gemt_case<T>> cases;
    for (unsigned i = 0; i < 4; ++i) {
        auto g = maker.make_any<T>(most, case_maker::specials::zeros);
        std::copy_n(orders[order], 3, g.order.begin());
        g.mask = 7;
        for (unsigned m = 0; m < 3; ++m) {
            g.shape[m] = meshes[i][m] + 2;
            g.out[m] = 1 + maker.below(2 * meshes[i][m] + 2);
            g.matrices[m] = maker.numbers<T>(std::size_t{g.shape[m]} * g.out[m], case_maker::specials::wild);
            g.row_orders[m].clear();
        }
        g.x = maker.numbers<T>(g.volume(), case_maker::specials::wild);
        if (i % 2 == 0) {
            g.initial.clear();
        } else {
            g.initial.assign(g.result_volume(), sum_of<T>(3));
        }
        g.esop = i < 2;
        g.threshold = 0;
        g.sums_wanted = false;
        cases.push_back(g);
    }
    std::vector<gemt_outcome<T>> outcomes(cases.size());
    std::vector<std::unique_ptr<triada_bench>> benches;
    for (unsigned i = 0; i < cases.size(); ++i) {
        benches.push_back(std::make_unique<triada_bench>("bench_" + std::to_string(i),
                                                         mesh_config(meshes[i], base::element_type_of<T>),
                                                         [&, i](triada_bench& b) { outcomes[i] = b.run(cases[i]); }));
    }
    sc_core::sc_start();
    for (unsigned i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_TRUE(benches[i]->finished());
        EXPECT_TRUE(outcomes[i].result.done);
        EXPECT_TRUE(same_bits(outcomes[i].y, oracle_result(cases[i])));
        unsigned passes = 0;
        for (const auto& row : outcomes[i].rows) { passes += row.cause == "load" ? 1 : 0; }
        EXPECT_GT(passes, 3u); // it was tiled
    }
}

TEST_P(tiles_bits, are_those_of_an_untiled_run_with_the_diagonal_order)
{
    const auto order = static_cast<unsigned>(GetParam()) % 6;
    const auto seed = static_cast<std::uint64_t>(GetParam());
    switch (GetParam() / 6) {
    case 0: expect_untiled_bits<double>(order, seed); break;
    case 1: expect_untiled_bits<float>(order, seed); break;
    case 2: expect_untiled_bits<std::complex<double>>(order, seed); break;
    case 3: expect_untiled_bits<std::complex<float>>(order, seed); break;
    case 4: expect_untiled_bits<arithmetic::bfloat16>(order, seed); break;
    default: expect_untiled_bits<std::int8_t>(order, seed); break;
    }
}

INSTANTIATE_TEST_SUITE_P(orders_and_formats, tiles_bits, ::testing::Range(0, 36));

// ---- time ----

class tiles_time : public sim_test_with_param<int> {};

/// A dense product of doubles, of sizes up to about three blocks of a mesh that goes with it.
struct timed_case {
    gemt_case<double> g;
    triada::config config;
};

timed_case make_timed_case(std::uint64_t seed)
{
    case_maker maker(seed);
    timed_case c;
    c.config.mesh = {1 + maker.below(4), 1 + maker.below(4), 1 + maker.below(4)};
    c.config.load_elements = 1 + maker.below(6);
    c.config.step_cycles = 1 + maker.below(12);
    c.config.cell_registers = 1 + maker.below(5);
    const shape3 most{c.config.mesh[0] * 3, c.config.mesh[1] * 3, c.config.mesh[2] * 3};
    do {
        c.g = maker.make_any<double>(most, case_maker::specials::none);
    } while (c.g.fits(c.config.mesh));
    c.g.esop = maker.chance(0.5);
    c.g.partials = maker.below(c.config.cell_registers + 1);
    for (unsigned m = 0; m < 3; ++m) { // no row of zeros
        c.g.matrices[m].assign(std::size_t{c.g.shape[m]} * c.g.out[m], 1.5);
        c.g.row_orders[m].clear();
    }
    return c;
}

/// The schedule of a product, worked out from its blocks: `cycles(elements)` is what a transfer of so many elements
/// takes.
struct schedule {
    std::uint64_t cycles = 0;     // of load, compute and unload
    std::uint64_t port = 0;       // of the memory port
    std::uint64_t overlapped = 0; // of those, with a pass at the same time
};

/// Blocks of a mode, by size.
std::vector<std::uint64_t> blocks_of(std::uint32_t size, std::uint32_t tile)
{
    std::vector<std::uint64_t> blocks;
    for (std::uint32_t at = 0; at < size; at += tile) { blocks.push_back(std::min(tile, size - at)); }
    return blocks;
}

template <class Cycles> schedule schedule_of(const timed_case& c, const Cycles& cycles)
{
    const auto& g = c.g;
    schedule total;
    shape3 shape = g.shape;
    for (unsigned stage = 0; stage < 3; ++stage) {
        if (!g.runs(stage)) { continue; }
        const unsigned mode = g.order[stage] - 1;
        const bool last = g.mask >> (stage + 1) == 0;
        const auto rows = blocks_of(shape[mode], c.config.mesh[mode]);
        shape[mode] = g.out[mode];

        struct timed_pass {
            std::uint64_t load, compute, initial, unload; // 0: none
            std::size_t operand;
            bool opens;
            std::uint64_t begin = 0, end = 0;
        };
        // Blocks along the summed mode in groups that share operands; the other modes one by one.
        const std::size_t partials = std::max(g.partials, 1u);
        std::vector<std::vector<std::vector<std::uint64_t>>> groups(3);
        for (unsigned m = 0; m < 3; ++m) {
            for (const auto size : blocks_of(shape[m], c.config.mesh[m])) {
                if (groups[m].empty() || m != mode || groups[m].back().size() == partials) { groups[m].emplace_back(); }
                groups[m].back().push_back(size);
            }
        }
        std::vector<timed_pass> passes;
        std::vector<std::size_t> last_pass; // of each operand
        for (const auto& i : groups[0]) {
            for (const auto& j : groups[1]) {
                for (const auto& k : groups[2]) {
                    const auto& results = mode == 0 ? i : mode == 1 ? j : k;
                    const std::uint64_t fibres = i.front() * j.front() * k.front() / results.front();
                    for (std::size_t r = 0; r < rows.size(); ++r) {
                        for (std::size_t n = 0; n < results.size(); ++n) {
                            const std::uint64_t result = fibres * results[n];
                            passes.push_back({n == 0 ? cycles(fibres * rows[r]) : 0, rows[r] * c.config.step_cycles,
                                              r == 0 && last && !g.initial.empty() ? cycles(result) : 0,
                                              r + 1 == rows.size() ? cycles(result) : 0, last_pass.size(), r == 0});
                        }
                        last_pass.push_back(passes.size() - 1);
                    }
                }
            }
        }
        // The port does everything in one order; a pass waits for its operand and, when it opens a result, for its
        // accumulator.
        const std::size_t buffers = g.double_buffer ? 2 : 1;
        const std::size_t distance = g.double_buffer ? std::min<std::size_t>(c.config.cell_registers, 2 * partials) : 1;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> port_times;
        std::uint64_t port = 0, operand_ready = 0;
        const auto use_port = [&](std::uint64_t time) {
            if (time > 0) { port_times.emplace_back(port, port + time); }
            port += time;
        };
        for (std::size_t p = 0; p < passes.size() + distance; ++p) {
            const bool is_pass = p < passes.size();
            if (is_pass && passes[p].load > 0) {
                const std::size_t operand = passes[p].operand;
                if (operand >= buffers) { port = std::max(port, passes[last_pass[operand - buffers]].end); }
                use_port(passes[p].load);
                operand_ready = port;
            }
            if (p >= distance && passes[p - distance].unload > 0) {
                port = std::max(port, passes[p - distance].end);
                use_port(passes[p - distance].unload);
            }
            if (!is_pass) { continue; }
            const std::uint64_t before = p == 0 ? 0 : passes[p - 1].end;
            if (passes[p].opens && buffers == 1) { port = std::max(port, before); }
            use_port(passes[p].initial);
            passes[p].begin = std::max(before, passes[p].opens || buffers == 1 ? port : operand_ready);
            passes[p].end = passes[p].begin + passes[p].compute;
        }
        total.cycles += port; // the last thing is an unload
        for (const auto& [begin, end] : port_times) {
            total.port += end - begin;
            for (const auto& pass : passes) {
                const std::uint64_t from = std::max(begin, pass.begin);
                total.overlapped += std::max(from, std::min(end, pass.end)) - from;
            }
        }
    }
    return total;
}

// The memory port takes one element per cycle, the bus eight doubles: a transfer takes as many cycles as it has
// elements.
TEST_P(tiles_time, is_that_of_the_schedule_and_double_buffering_is_never_slower)
{
    auto c = make_timed_case(static_cast<std::uint64_t>(GetParam()));
    gemt_outcome<double> outcomes[2][2]; // by fidelity and buffering
    std::vector<std::unique_ptr<triada_bench>> benches;
    std::vector<gemt_case<double>> cases{c.g, c.g};
    cases[0].double_buffer = false;
    cases[1].double_buffer = true;
    c.config.load_elements = 1;
    c.config.dma.use_dmi = bus::dmi_use::on; // the SRAM grants it with the time of its beats
    for (unsigned f = 0; f < 2; ++f) {
        auto config = c.config;
        config.fidelity = f == 0 ? triada::fidelity::fast : triada::fidelity::detailed;
        benches.push_back(std::make_unique<triada_bench>("bench_" + std::to_string(f), config, [&, f](triada_bench& b) {
            for (unsigned d = 0; d < 2; ++d) { outcomes[f][d] = b.run(cases[d]); }
        }));
    }
    sc_core::sc_start();
    for (unsigned f = 0; f < 2; ++f) {
        ASSERT_TRUE(benches[f]->finished());
        for (unsigned d = 0; d < 2; ++d) {
            SCOPED_TRACE(std::string(f == 0 ? "fast" : "detailed") + (d == 0 ? ", one buffer" : ", two"));
            const auto& o = outcomes[f][d];
            ASSERT_TRUE(o.result.done);
            c.g.double_buffer = d == 1;
            const auto expected = schedule_of(c, [](std::uint64_t elements) { return elements; });
            std::uint64_t by_row = 0, steps = 0, all = 0;
            for (const auto& row : o.rows) {
                EXPECT_EQ(row.start_cycle >= all || row.cycles == 0, true);
                all += row.cycles;
                by_row += row.cause == "load" || row.cause == "unload" || row.cause == "compute" ? row.cycles : 0;
                steps += row.cause == "compute" ? row.cycles : 0;
            }
            EXPECT_EQ(all, o.result.cycles); // the causes sum to the total
            EXPECT_EQ(by_row, expected.cycles);
            EXPECT_EQ(steps, total(o, triada::event::step) * c.config.step_cycles);
            EXPECT_EQ(total(o, triada::event::load_cycle) + total(o, triada::event::unload_cycle), expected.port);
            EXPECT_EQ(total(o, triada::event::overlapped_cycle), expected.overlapped);
            EXPECT_EQ(expected.cycles, steps + expected.port - expected.overlapped);
        }
        EXPECT_LE(outcomes[f][1].result.cycles, outcomes[f][0].result.cycles);
        EXPECT_EQ(total(outcomes[f][0], triada::event::overlapped_cycle), 0u);
        EXPECT_EQ(total(outcomes[f][0], triada::event::element_load),
                  total(outcomes[f][1], triada::event::element_load));
    }
}

INSTANTIATE_TEST_SUITE_P(cases, tiles_time, ::testing::Range(0, 40));

TEST_P(tiles_time, elements_and_steps_are_those_of_the_plan)
{
    const auto c = make_timed_case(static_cast<std::uint64_t>(GetParam()) + 1000);
    gemt_outcome<double> outcome;
    triada::gemt_plan plan;
    triada_bench bench("bench", c.config, [&](triada_bench& b) {
        plan = triada::plan_gemt(b.place(c.g), c.config.mesh);
        outcome = b.run(c.g);
    });
    run_to_end(bench);
    std::uint64_t loaded = c.g.initial.size();
    std::uint64_t unloaded = 0;
    const auto elements = [](const shape3& n) { return std::uint64_t{n[0]} * n[1] * n[2]; };
    for (const auto& stage : plan.stages) {
        for (std::uint64_t p = 0; p < stage.passes() && !plan.fits; ++p) {
            const auto pass = stage.pass(p);
            const bool shared = p > 0 && stage.pass(p - 1).operand_number == pass.operand_number;
            loaded += shared ? 0 : elements(pass.operand.size);
            unloaded += stage.pass(p).closes ? elements(stage.pass(p).result.size) : 0;
        }
    }
    EXPECT_EQ(total(outcome, triada::event::element_load), plan.fits ? loaded + c.g.volume() : loaded);
    EXPECT_EQ(total(outcome, triada::event::element_unload), plan.fits ? c.g.result_volume() : unloaded);
    EXPECT_EQ(total(outcome, triada::event::step), plan.steps());
    std::uint32_t next[3] = {};
    for (const auto& row : outcome.rows) {
        if (row.cause != "compute") { continue; }
        EXPECT_EQ(row.id, next[row.phase.back() - '1']++); // steps count on through the passes of a stage
    }
}

} // namespace
