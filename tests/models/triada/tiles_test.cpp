// Products larger than the mesh: the bits of an untiled run, the time of a schedule worked out here, and clean ends.
#include <algorithm>
#include <complex>
#include <gtest/gtest.h>
#include "models/triada/device_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::triada_event;

constexpr unsigned orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};

template <class T> std::uint64_t total(const gemt_outcome<T>& o, triada_event e)
{
    return o.counts[static_cast<std::size_t>(e)];
}

triada::config mesh_config(const shape3& mesh, arch::element_type format)
{
    triada::config config;
    config.mesh = mesh;
    config.format = format;
    return config;
}

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
    std::vector<std::unique_ptr<device_bench>> benches;
    for (unsigned i = 0; i < cases.size(); ++i) {
        benches.push_back(std::make_unique<device_bench>("bench_" + std::to_string(i),
                                                         mesh_config(meshes[i], arch::element_type_of<T>),
                                                         [&, i](device_bench& b) { outcomes[i] = b.run(cases[i]); }));
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
    const shape3 most{c.config.mesh[0] * 3, c.config.mesh[1] * 3, c.config.mesh[2] * 3};
    do {
        c.g = maker.make_any<double>(most, case_maker::specials::none);
    } while (c.g.fits(c.config.mesh));
    c.g.esop = maker.chance(0.5);
    for (unsigned m = 0; m < 3; ++m) { // no row of zeros
        c.g.matrices[m].assign(std::size_t{c.g.shape[m]} * c.g.out[m], 1.5);
        c.g.row_orders[m].clear();
    }
    return c;
}

/// The schedule of a product, worked out from its blocks: `cycles(elements)` is what a transfer of so many elements takes.
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
            std::uint64_t begin = 0, end = 0;
        };
        std::vector<timed_pass> passes;
        for (auto i : blocks_of(shape[0], c.config.mesh[0])) {
            for (auto j : blocks_of(shape[1], c.config.mesh[1])) {
                for (auto k : blocks_of(shape[2], c.config.mesh[2])) {
                    const std::uint64_t result = i * j * k;
                    const std::uint64_t fibres = result / (mode == 0 ? i : mode == 1 ? j : k);
                    for (std::size_t r = 0; r < rows.size(); ++r) {
                        passes.push_back({cycles(fibres * rows[r]), rows[r] * c.config.step_cycles,
                                          r == 0 && last && !g.initial.empty() ? cycles(result) : 0,
                                          r + 1 == rows.size() ? cycles(result) : 0});
                    }
                }
            }
        }
        // The port does everything in one order; a pass waits for its operand and, when it opens a result, for its accumulator.
        const std::size_t buffers = g.double_buffer ? 2 : 1;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> port_times;
        std::uint64_t port = 0;
        const auto use_port = [&](std::uint64_t time) {
            if (time > 0) { port_times.emplace_back(port, port + time); }
            port += time;
        };
        for (std::size_t p = 0; p < passes.size() + buffers; ++p) {
            if (p >= buffers) { port = std::max(port, passes[p - buffers].end); }
            if (p < passes.size()) { use_port(passes[p].load); }
            const std::uint64_t operand_ready = port;
            if (p >= buffers) { use_port(passes[p - buffers].unload); }
            if (p >= passes.size()) { continue; }
            use_port(passes[p].initial);
            const bool opens = p % rows.size() == 0;
            const std::uint64_t before = p == 0 ? 0 : passes[p - 1].end;
            passes[p].begin = std::max(before, opens ? port : operand_ready);
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

// The memory port takes one element per cycle, the bus eight doubles: a transfer takes as many cycles as it has elements.
TEST_P(tiles_time, is_that_of_the_schedule_and_double_buffering_is_never_slower)
{
    auto c = make_timed_case(static_cast<std::uint64_t>(GetParam()));
    gemt_outcome<double> outcomes[2][2]; // by fidelity and buffering
    std::vector<std::unique_ptr<device_bench>> benches;
    std::vector<gemt_case<double>> cases{c.g, c.g};
    cases[0].double_buffer = false;
    cases[1].double_buffer = true;
    c.config.load_elements = 1;
    c.config.dma.use_dmi = true; // the SRAM grants it with the time of its beats
    for (unsigned f = 0; f < 2; ++f) {
        auto config = c.config;
        config.fidelity = f == 0 ? triada::fidelity::fast : triada::fidelity::detailed;
        benches.push_back(std::make_unique<device_bench>("bench_" + std::to_string(f), config, [&, f](device_bench& b) {
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
            EXPECT_EQ(steps, total(o, triada_event::step) * c.config.step_cycles);
            EXPECT_EQ(total(o, triada_event::load_cycle) + total(o, triada_event::unload_cycle), expected.port);
            EXPECT_EQ(total(o, triada_event::overlapped_cycle), expected.overlapped);
            EXPECT_EQ(expected.cycles, steps + expected.port - expected.overlapped);
        }
        EXPECT_LE(outcomes[f][1].result.cycles, outcomes[f][0].result.cycles);
        EXPECT_EQ(total(outcomes[f][0], triada_event::overlapped_cycle), 0u);
        EXPECT_EQ(total(outcomes[f][0], triada_event::element_load), total(outcomes[f][1], triada_event::element_load));
    }
}

INSTANTIATE_TEST_SUITE_P(cases, tiles_time, ::testing::Range(0, 40));

TEST_P(tiles_time, elements_and_steps_are_those_of_the_plan)
{
    const auto c = make_timed_case(static_cast<std::uint64_t>(GetParam()) + 1000);
    gemt_outcome<double> outcome;
    arch::gemt_plan plan;
    device_bench bench("bench", c.config, [&](device_bench& b) {
        plan = arch::plan_gemt(b.place(c.g), c.config.mesh);
        outcome = b.run(c.g);
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    std::uint64_t loaded = c.g.initial.size();
    std::uint64_t unloaded = 0;
    const auto elements = [](const shape3& n) { return std::uint64_t{n[0]} * n[1] * n[2]; };
    for (const auto& stage : plan.stages) {
        for (std::uint64_t p = 0; p < stage.passes() && !plan.fits; ++p) {
            loaded += elements(stage.pass(p).operand.size);
            unloaded += stage.pass(p).closes ? elements(stage.pass(p).result.size) : 0;
        }
    }
    EXPECT_EQ(total(outcome, triada_event::element_load), plan.fits ? loaded + c.g.volume() : loaded);
    EXPECT_EQ(total(outcome, triada_event::element_unload), plan.fits ? c.g.result_volume() : unloaded);
    EXPECT_EQ(total(outcome, triada_event::step), plan.steps());
    std::uint32_t next[3] = {};
    for (const auto& row : outcome.rows) {
        if (row.cause != "compute") { continue; }
        EXPECT_EQ(row.id, next[row.phase.back() - '1']++); // steps count on through the passes of a stage
    }
}

// ---- ends ----

class tiles_end : public sim_test {
protected:
    /// 5 x 6 x 7 on 3 x 3 x 3.
    static gemt_case<double> some_case(bool double_buffer)
    {
        case_maker maker(4);
        gemt_case<double> g;
        g.shape = {5, 6, 7};
        g.x = maker.numbers<double>(g.volume(), case_maker::specials::none);
        g.initial = maker.numbers<double>(g.volume(), case_maker::specials::none);
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.shape[m], case_maker::specials::none);
        }
        g.double_buffer = double_buffer;
        return g;
    }
};

TEST_F(tiles_end, kept_matrices_serve_tiled_and_untiled_products_alike)
{
    auto g = some_case(true);
    triada::config config = mesh_config({3, 3, 3}, arch::element_type::f64);
    std::vector<double> y;
    arch::program_result result, without;
    device_bench bench("bench", config, [&](device_bench& b) {
        const auto first = b.place(g);
        auto again = first;
        again.flags |= arch::gemt_command::flag_keep_matrices;
        again.matrix = {};
        again.y.base = b.reserve(g.volume() * sizeof(double));
        arch::triada_driver driver(b.cpu(), testbench::device_base);
        result = driver.run(arch::triada_driver::program({first, again}), device_bench::program_at,
                            device_bench::timeout_ns);
        b.fetch(again, y, g.volume());
        again.y.size[2] = 6; // C3 is 7 x 7
        again.initial_y.size[2] = 6;
        without = driver.run(arch::triada_driver::program({again}), device_bench::program_at, device_bench::timeout_ns);
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(same_bits(y, oracle_result(g)));
    EXPECT_EQ(without.error, arch::error_code::not_resident);
}

TEST_F(tiles_end, one_matrix_may_be_kept_while_a_stage_with_another_runs)
{
    auto whole = some_case(false);
    auto one = whole; // loads C1 alone
    one.mask = 2;
    one.initial.clear();
    std::vector<double> y;
    arch::program_result result;
    device_bench bench("bench", mesh_config({3, 3, 3}, arch::element_type::f64), [&](device_bench& b) {
        const auto first = b.place(whole);
        const auto y_of_one = b.reserve(one.volume() * sizeof(double));
        auto second = first;
        second.flags = arch::gemt_command::flag_esop;
        second.stage_mask = 2;
        second.initial_y = {};
        second.matrix[1] = second.matrix[2] = {};
        second.y.base = y_of_one;
        auto third = first;
        third.flags |= arch::gemt_command::flag_keep_matrices;
        third.matrix = {};
        arch::triada_driver driver(b.cpu(), testbench::device_base);
        result = driver.run(arch::triada_driver::program({first, second, third}), device_bench::program_at,
                            device_bench::timeout_ns);
        b.fetch(third, y, whole.volume());
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(same_bits(y, oracle_result(whole)));
}

TEST_F(tiles_end, completion_word_comes_after_the_last_block)
{
    const auto g = some_case(true);
    std::uint32_t word = 0;
    std::vector<logged_row> rows;
    device_bench bench("bench", mesh_config({3, 3, 3}, arch::element_type::f64), [&](device_bench& b) {
        auto c = b.place(g);
        c.flags |= arch::gemt_command::flag_completion;
        c.completion_address = b.reserve(16);
        arch::triada_driver driver(b.cpu(), testbench::device_base);
        driver.run(arch::triada_driver::program({c}), device_bench::program_at, device_bench::timeout_ns);
        word = b.cpu().read_word(c.completion_address);
        rows = rows_of(b.log());
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_EQ(word, 1u);
    EXPECT_EQ(rows.back().phase, "completion");
    EXPECT_EQ(rows.back().cause, "unload");
}

/// Where a bus error strikes, in both fidelities.
struct failing {
    arch::program_result result;
    std::vector<logged_row> rows;
    gemt_outcome<double> next;
};

class tiles_bus_error : public sim_test_with_param<std::tuple<bool, int>> {};

TEST_P(tiles_bus_error, ends_the_command_in_the_same_way_in_both_fidelities)
{
    const auto [double_buffer, where] = GetParam();
    case_maker maker(4);
    gemt_case<double> g;
    g.shape = {5, 6, 7};
    g.x = maker.numbers<double>(g.volume(), case_maker::specials::none);
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.shape[m], case_maker::specials::none);
    }
    g.double_buffer = double_buffer;
    const std::uint64_t end = testbench::memory_base + device_bench::memory_bytes;
    failing sides[2];
    std::vector<std::unique_ptr<device_bench>> benches;
    for (unsigned f = 0; f < 2; ++f) {
        auto config = mesh_config({3, 3, 3}, arch::element_type::f64);
        config.fidelity = f == 0 ? triada::fidelity::fast : triada::fidelity::detailed;
        benches.push_back(std::make_unique<device_bench>("bench_" + std::to_string(f), config, [&, f](device_bench& b) {
            auto c = b.place(g);
            // All of it lies in memory but the last 40 or so elements.
            auto& tensor = where == 0 ? c.x : where == 1 ? c.workspace : c.y;
            tensor.base = end - (tensor.elements() - 40) * sizeof(double);
            arch::triada_driver driver(b.cpu(), testbench::device_base);
            sides[f].result =
                driver.run(arch::triada_driver::program({c}), device_bench::program_at, device_bench::timeout_ns);
            sides[f].rows = rows_of(b.log());
            sides[f].next = b.run(g);
        }));
    }
    sc_core::sc_start();
    for (unsigned f = 0; f < 2; ++f) {
        ASSERT_TRUE(benches[f]->finished());
        EXPECT_EQ(sides[f].result.error, arch::error_code::bus_error);
        EXPECT_EQ(sides[f].result.error_address, end);
        EXPECT_TRUE(same_bits(sides[f].next.y, oracle_result(g)));
        std::uint64_t cycles = 0;
        for (const auto& row : sides[f].rows) { cycles += row.cycles; }
        EXPECT_EQ(cycles, sides[f].result.cycles);
        EXPECT_NE(sides[f].rows.back().cause, "compute"); // no pass began when the failure was known
    }
    EXPECT_EQ(sides[0].result.cycles, sides[1].result.cycles);
    EXPECT_TRUE(sides[0].rows == sides[1].rows);
}

INSTANTIATE_TEST_SUITE_P(places, tiles_bus_error, ::testing::Combine(::testing::Bool(), ::testing::Values(0, 1, 2)));

// All of Y lies in memory but its last element.
TEST_F(tiles_end, elements_of_a_transfer_that_fails_do_not_count)
{
    gemt_case<double> g;
    g.shape = {2, 3, 4};
    g.x.assign(g.volume(), 1);
    for (unsigned m = 0; m < 3; ++m) { g.matrices[m].assign(std::size_t{g.shape[m]} * g.shape[m], 1); }
    arch::program_result result;
    std::uint64_t loaded = 0, unloaded = 0;
    device_bench bench("bench", mesh_config({4, 4, 4}, arch::element_type::f64), [&](device_bench& b) {
        auto c = b.place(g);
        c.y.base = testbench::memory_base + device_bench::memory_bytes - (g.volume() - 1) * sizeof(double);
        arch::triada_driver driver(b.cpu(), testbench::device_base);
        result = driver.run(arch::triada_driver::program({c}), device_bench::program_at, device_bench::timeout_ns);
        loaded = driver.counter(static_cast<std::uint32_t>(triada_event::element_load));
        unloaded = driver.counter(static_cast<std::uint32_t>(triada_event::element_unload));
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_EQ(result.error, arch::error_code::bus_error);
    EXPECT_EQ(loaded, g.volume());
    EXPECT_EQ(unloaded, 0u);
}

// ---- overflow ----

class accumulator_overflow : public sim_test_with_param<std::tuple<bool, bool, bool>> {};

TEST_P(accumulator_overflow, ends_the_command_before_the_result_is_written)
{
    const auto [tiled, double_buffer, detailed] = GetParam();
    gemt_case<std::int8_t> g;
    g.shape = {2, 3, 4};
    g.x.assign(g.volume(), 127);
    for (unsigned m = 0; m < 3; ++m) { g.matrices[m].assign(std::size_t{g.shape[m]} * g.shape[m], 127); }
    g.initial.assign(g.volume(), 0);
    g.initial.back() = INT32_MAX - 2 * 127 * 127; // three products of saturated operands are added
    g.double_buffer = double_buffer;
    g.sums_wanted = true;
    const std::vector<std::int32_t> untouched(g.volume(), 0x5a5a5a5a);
    auto config = mesh_config(tiled ? shape3{1, 2, 3} : g.shape, arch::element_type::int8);
    config.fidelity = detailed ? triada::fidelity::detailed : triada::fidelity::fast;
    arch::program_result failed;
    std::uint64_t overflows = 0;
    std::vector<std::int32_t> y;
    gemt_outcome<std::int8_t> next;
    device_bench bench("bench", config, [&](device_bench& b) {
        const auto c = b.place(g);
        b.cpu().write_block(c.y.base, untouched.data(), untouched.size() * sizeof(std::int32_t));
        arch::triada_driver driver(b.cpu(), testbench::device_base);
        failed = driver.run(arch::triada_driver::program({c}), device_bench::program_at, device_bench::timeout_ns);
        overflows = driver.counter(static_cast<std::uint32_t>(triada_event::mac_overflowed));
        b.fetch(c, y, g.volume());
        g.initial.back() -= 127 * 127; // now they fit, just
        next = b.run(g);
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_FALSE(failed.done);
    EXPECT_EQ(failed.error, arch::error_code::accumulator_overflow);
    EXPECT_EQ(overflows, 1u);
    EXPECT_EQ(y.back(), untouched.back());
    if (!tiled) { EXPECT_EQ(y, untouched); }
    EXPECT_TRUE(next.result.done);
    EXPECT_EQ(next.sums.back(), INT32_MAX);
    EXPECT_TRUE(same_bits(next.sums, oracle_result_sums(g)));
}

INSTANTIATE_TEST_SUITE_P(runs, accumulator_overflow,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(), ::testing::Bool()));

} // namespace
