// Abort and reset act at the next step boundary, of a tiled product also at the next burst boundary of the transfer
// beside it; up to there time and counters are the same in both fidelities.
#include <gtest/gtest.h>
#include "models/stopped_programs.h"
#include "models/triada/random_case.h"
#include "models/triada/random_device.h"
#include "models/triada/triada_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class stop_bench : public sim_test_with_param<std::tuple<how, int>> {
protected:
    static triada_bench::program_type running(const gemt_case<double>& g, how stop,
                                              std::optional<std::uint64_t> after_ps, stopped_program<triada_bench>& s)
    {
        return [&g, stop, after_ps, &s](triada_bench& b) {
            const auto command = b.place(g);
            stopped_job job;
            job.program = triada::driver::program({command});
            job.stored = {command.y.base, g.result_volume() * sizeof(double)};
            job.counters_first = true;
            stopping(job, stop, after_ps, s)(b);
        };
    }

    // Both fidelities stop in the same way, and the next job is as on a fresh device.
    static void expect_same_stop(triada::config config, const gemt_case<double>& g, how stop, std::uint64_t after_ps)
    {
        stopped_program<triada_bench> fast, detailed, fresh;
        triada_bench a("fast", config, running(g, stop, after_ps, fast));
        triada_bench f("fresh", config, running(g, stop, std::nullopt, fresh));
        config.fidelity = triada::fidelity::detailed;
        triada_bench d("detailed", config, running(g, stop, after_ps, detailed));
        run_to_end(a, d, f);
        test::expect_same_stop(stop, fast, detailed, fresh);
    }
};

class stop_test : public stop_bench {};

TEST_P(stop_test, same_in_both_fidelities_and_the_next_job_is_as_on_a_fresh_device)
{
    const auto [stop, after_ns] = GetParam();
    case_maker maker(2);
    auto g = maker.make<double>({6, 6, 6}, case_maker::specials::zeros);
    g.shape = {6, 6, 6};
    g.x = maker.numbers<double>(216, case_maker::specials::zeros);
    g.initial.clear();
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(36, case_maker::specials::zeros);
        g.row_orders[m].clear();
    }
    triada::config config;
    config.mesh = {6, 6, 6};
    config.dma.outstanding = 1; // leaves time to stop in
    expect_same_stop(config, g, stop, static_cast<std::uint64_t>(after_ns) * 1000 + 250);
}

// Fetch, matrices, load, the three stages, unload: about 47 + 30 + 33 + 54 + 33 cycles. The counters are read before
// the stop is asked for, which takes another 94.
INSTANTIATE_TEST_SUITE_P(times, stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset),
                                            ::testing::Values(3, 8, 28, 53, 63, 70, 75, 79, 82)));

class tiled_stop_test : public stop_bench {};

gemt_case<double> stopped_case(int number)
{
    case_maker maker(2);
    gemt_case<double> g;
    g.shape = {7, 5, 6};
    g.out = {6, 6, 5};
    g.x = maker.numbers<double>(g.volume(), case_maker::specials::zeros);
    g.initial = maker.numbers<double>(g.result_volume(), case_maker::specials::none);
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.out[m], case_maker::specials::zeros);
    }
    g.double_buffer = number % 3 != 0;
    return g;
}

triada::config stopped_device(int number)
{
    triada::config config;
    config.mesh = {3, 2, 4};
    config.load_elements = 1 + static_cast<unsigned>(number) % 5;
    config.dma_ports = number % 4 == 3 ? 3 : 1;
    draw_control(static_cast<std::uint64_t>(number), config);
    return config;
}

// Stops on cycle boundaries, which are those of steps, bursts and transfers, and off them.
TEST_P(tiled_stop_test, same_in_both_fidelities_and_the_next_job_is_as_on_a_fresh_device)
{
    const auto [stop, number] = GetParam();
    expect_same_stop(stopped_device(number), stopped_case(number), stop,
                     static_cast<std::uint64_t>(26 * number) * 1000 + (number % 2 == 0 ? 0 : 250));
}

// The whole takes about 1700 cycles.
INSTANTIATE_TEST_SUITE_P(times, tiled_stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Range(0, 60)));

class tile_layouts_stop_test : public stop_bench {};

// Likewise with tensors in tiles and copies, whose transfers follow each other without waiting.
TEST_P(tile_layouts_stop_test, same_in_both_fidelities_and_the_next_job_is_as_on_a_fresh_device)
{
    using command = triada::gemt_command;
    const auto [stop, number] = GetParam();
    auto g = stopped_case(number);
    g.layouts = number % 2 == 0 ? command::flag_x_tiles | command::flag_y_tiles | command::flag_work_tiles
                                : command::flag_convert_x | command::flag_convert_y | command::flag_work_tiles;
    g.partials = 1 + static_cast<unsigned>(number) % 3;
    auto config = stopped_device(number);
    config.cell_registers = 3;
    expect_same_stop(config, g, stop, static_cast<std::uint64_t>(14 * number) * 1000 + (number % 4 < 2 ? 0 : 250));
}

INSTANTIATE_TEST_SUITE_P(times, tile_layouts_stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Range(0, 50)));

// A tensor of 16 x 16 x 16 elements passes the port of one element per cycle long after its bursts have come. An abort
// does not wait for it, whether the transfer is a copy or that of a pass.
class slow_port_stop_test : public sim_test_with_param<std::tuple<triada::fidelity, std::uint16_t>> {};

TEST_P(slow_port_stop_test, an_abort_does_not_wait_for_the_port)
{
    const auto [fidelity, layouts] = GetParam();
    case_maker maker(3);
    gemt_case<double> g;
    g.shape = g.out = {32, 16, 16};
    g.x = maker.numbers<double>(g.volume(), case_maker::specials::none);
    g.matrices[0] = maker.numbers<double>(32 * 32, case_maker::specials::none);
    g.matrices[1] = g.matrices[2] = maker.numbers<double>(16 * 16, case_maker::specials::none);
    g.double_buffer = true;
    g.layouts = layouts;
    triada::config config;
    config.mesh = {16, 16, 16};
    config.load_elements = 1;
    config.fidelity = fidelity;
    constexpr std::uint64_t asked_cycle = 20'000, cycles_of_bursts = 100;
    triada_bench bench("bench", config, [&](triada_bench& b) {
        const auto program = triada::driver::program({b.place(g)});
        b.cpu().write_block(triada_bench::program_at, program.data(), program.size());
        auto driver = b.driver();
        driver.start(triada_bench::program_at);
        wait(sc_core::sc_time(asked_cycle, sc_core::SC_NS));
        driver.abort();
        const auto result = driver.finish(triada_bench::timeout_ns);
        EXPECT_TRUE(result.aborted);
        EXPECT_LT(result.cycles, asked_cycle + cycles_of_bursts);
        EXPECT_TRUE(b.run(program).result.done);
    });
    run_to_end(bench);
}

INSTANTIATE_TEST_SUITE_P(
    transfers, slow_port_stop_test,
    ::testing::Combine(::testing::Values(triada::fidelity::fast, triada::fidelity::detailed),
                       ::testing::Values(triada::gemt_command::flag_convert_x | triada::gemt_command::flag_work_tiles,
                                         triada::gemt_command::flag_x_tiles | triada::gemt_command::flag_work_tiles)));

} // namespace
