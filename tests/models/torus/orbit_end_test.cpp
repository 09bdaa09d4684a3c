// How programs of transforms end and go on: stopped, saved and restored, watched, beside other devices.
#include <algorithm>
#include <gtest/gtest.h>
#include "models/saved_state.h"
#include "models/stopped_programs.h"
#include "models/torus/orbit_bench.h"
#include "models/traced_bench.h"
#include "models/unbound_device.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

orbit_command keeping_all(orbit_command command)
{
    command.flags = orbit_command::flag_keep_matrices | orbit_command::flag_keep_tensor;
    command.x = command.matrix[0] = command.matrix[1] = command.matrix[2] = {};
    return command;
}

// ---- stops ----

/// What is stopped: a stream with double buffering, or a transform in tiles.
enum class work { stream, tiles };

class orbit_stop : public sim_test_with_param<std::tuple<how, work, int>> {
protected:
    static orbit_bench::program_type running(const orbital_case<double>& c, work kind, how stop,
                                             std::optional<std::uint64_t> after_ps, stopped_program<orbit_bench>& s)
    {
        return [&c, kind, stop, after_ps, &s](orbit_bench& b) {
            auto command = b.place(c);
            if (kind == work::stream) {
                const auto f64 = base::element_type::f64;
                command.flags = orbit_command::flag_double_buffer;
                command.x = isa::dense_descriptor(command.x.base, f64, {3, c.n[0], c.n[1], c.n[2]});
                command.x.stride[0] = 0;
                command.y =
                    isa::dense_descriptor(b.reserve(3 * 8 * isa::volume_of(c.k)), f64, {3, c.k[0], c.k[1], c.k[2]});
            }
            stopped_job job;
            job.program = torus::driver::program({command});
            job.stored = {command.y.base, command.y.elements() * sizeof(double)};
            job.counters_first = true;
            stopping(job, stop, after_ps, s)(b);
        };
    }
};

TEST_P(orbit_stop, same_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, kind, number] = GetParam();
    std::mt19937 random(31);
    const orbital_case<double> c(2, {4, 3, 4}, {4, 4, 3}, direction::forward, random);
    auto config = torus_config(2, kind == work::stream ? 2 : 1, base::element_type::f64);
    config.load_elements = 1 + static_cast<unsigned>(number) % 3;
    config.dma_ports = number % 4 == 3 ? 5 : 1;
    const std::uint64_t after_ps =
        static_cast<std::uint64_t>((kind == work::stream ? 28 : 79) * number) * 1000 + (number % 2 == 0 ? 0 : 250);
    stopped_program<orbit_bench> fast, detailed, fresh;
    orbit_bench a("fast", config, running(c, kind, stop, after_ps, fast));
    orbit_bench f("fresh", config, running(c, kind, stop, std::nullopt, fresh));
    config.fidelity = fidelity::detailed;
    orbit_bench d("detailed", config, running(c, kind, stop, after_ps, detailed));
    run_to_end(a, d, f);
    expect_same_stop(stop, fast, detailed, fresh);
}

// The counters are read before the stop is asked for, which takes a while. The stream takes about 600 cycles, the tiles
// 1100: stops fall into every phase, on cycle boundaries and off them.
INSTANTIATE_TEST_SUITE_P(times, orbit_stop,
                         ::testing::Combine(::testing::Values(how::abort, how::reset),
                                            ::testing::Values(work::stream, work::tiles), ::testing::Range(0, 12)));

// Steps are not cut: what was logged of a stopped transform are whole steps.
class orbit_stop_test : public sim_test {};

TEST_F(orbit_stop_test, acts_at_the_end_of_a_step_and_leaves_nothing_on_the_torus)
{
    std::mt19937 random(32);
    const orbital_case<double> c(2, {8, 8, 8}, {8, 8, 8}, direction::forward, random);
    orbit_bench::outcome_type whole, stopped;
    isa::program_result kept;
    std::uint64_t asked_at = 0;
    orbit_bench bench("bench", torus_config(2, 4, base::element_type::f64), [&](orbit_bench& b) {
        const auto command = b.place(c);
        whole = b.run({command});
        const auto step = std::find_if(whole.rows.begin(), whole.rows.end(),
                                       [](const auto& r) { return r.phase == "stage_II" && r.cause == "compute"; });
        asked_at = step->start_cycle + step->cycles / 2;
        auto driver = b.driver();
        driver.start(orbit_bench::program_at);
        wait(sc_core::sc_time(static_cast<double>(asked_at), sc_core::SC_NS));
        driver.abort();
        stopped.result = driver.finish(orbit_bench::timeout_ns);
        b.collect(stopped, driver);
        kept = b.run({keeping_all(command)}).result;
    });
    run_to_end(bench);
    ASSERT_TRUE(stopped.result.aborted);
    const std::vector<log_row<torus::counts>> before(whole.rows.begin(), whole.rows.begin() + stopped.rows.size());
    EXPECT_TRUE(stopped.rows == before); // its last step, too
    EXPECT_GT(stopped.result.cycles, asked_at);
    EXPECT_EQ(stopped.rows.back().cause, "roll");
    EXPECT_EQ(kept.error, isa::error_code::not_resident);
}

// ---- saved states ----

class orbit_state : public sim_test_with_param<int> {};

// A transform, then back by the matrices and the tensor that lie there; tiles; another layout.
template <class T> void expect_that_a_torus_goes_on(int seed)
{
    std::mt19937 random(seed);
    const std::uint32_t side = 1 + random() % 3;
    const auto sizes = [&](std::uint32_t most) {
        shape3 s{};
        for (auto& size : s) { size = 1 + random() % most; }
        return s;
    };
    const auto way = seed % 2 == 0 ? direction::forward : direction::inverse;
    const auto n = sizes(2 * side), k = sizes(2 * side), m = sizes(5 * side);
    orbital_case<T> first(side, n, k, way, random), larger(side, m, sizes(5 * side), way, random);
    first.problem.vector = all_vectors()[random() % 8];
    first.problem.order = {2, 1, 3};
    auto config = torus_config(side, 2, base::element_type_of<T>);
    config.coefficient_elements = 300;
    const std::vector<host_step<orbit_bench>> steps{
        [&](orbit_bench& b) {
            b.restart();
            return b.run({b.place(first)});
        },
        [&](orbit_bench& b) {
            b.restart();
            auto back = keeping_all(b.place(first));
            back.way = way == direction::forward ? direction::inverse : direction::forward;
            back.y.size = first.problem.way == direction::forward ? decltype(back.y.size){n[0], n[1], n[2]}
                                                                  : decltype(back.y.size){k[0], k[1], k[2]};
            const auto outcome = b.run({back});
            EXPECT_TRUE(outcome.result.done) << isa::error_text(outcome.result.error);
            return outcome;
        },
        [&](orbit_bench& b) {
            b.restart();
            return b.run({b.place(larger)});
        },
        [&](orbit_bench& b) {
            b.restart();
            const auto outcome = b.run({keeping_all(b.place(first))});
            EXPECT_EQ(outcome.result.error, isa::error_code::not_resident);
            return outcome;
        },
    };
    expect_that_it_goes_on_when_restored(config, steps, seed % 4 < 2);
}

TEST_P(orbit_state, goes_on_when_restored)
{
    switch (GetParam() % 3) {
    case 0: return expect_that_a_torus_goes_on<double>(GetParam());
    case 1: return expect_that_a_torus_goes_on<std::complex<float>>(GetParam());
    default: return expect_that_a_torus_goes_on<arithmetic::bfloat16>(GetParam());
    }
}
INSTANTIATE_TEST_SUITE_P(seeds, orbit_state, ::testing::Range(0, 9));

class orbit_debug : public sim_test_with_param<fidelity> {};

TEST_P(orbit_debug, slots_and_matrices_are_there_for_debuggers)
{
    std::mt19937 random(33);
    orbital_case<double> c(2, {3, 4, 2}, {4, 3, 4}, direction::forward, random);
    c.problem.order = {1, 3, 2};
    auto config = torus_config(2, 2, base::element_type::f64, GetParam());
    config.coefficient_elements = 50;
    orbit_bench bench("bench", config, [&](orbit_bench& b) {
        const auto y = b.transformed(c);
        const auto bytes = debug_bytes(b.device());
        const auto number = [](const byte_string& all, std::size_t index) {
            double x = 0;
            std::memcpy(&x, all.data() + 8 * index, 8);
            return x;
        };
        ASSERT_EQ(bytes.size(), 7u);
        ASSERT_EQ(bytes[0].size(), 8u * 4 * 4 * 4);
        // X lies in 2 x 2 x 1 blocks on the torus, X3 in 2 x 2 x 2.
        for (std::size_t i = 0; i < 4 * 4 * 2; ++i) {
            const bool inside = i / 8 < 3;
            EXPECT_EQ(number(bytes[0], i), inside ? c.input.data[i] : 0.0) << i;
        }
        for (std::size_t i = 0; i < 4 * 4 * 4; ++i) {
            const std::size_t at[] = {i / 16, i / 4 % 4, i % 4};
            EXPECT_EQ(number(bytes[3], i), at[1] < 3 ? y[(at[0] * 3 + at[1]) * 4 + at[2]] : 0.0) << i;
        }
        for (unsigned m = 0; m < 3; ++m) {
            for (std::size_t e = 0; e < 4 * 50; ++e) {
                EXPECT_EQ(number(bytes[4 + m], e), e < c.matrices[m].size() ? c.matrices[m][e] : 0.0);
            }
        }
        const std::vector<std::string> names{"slot_X",   "slot_X1",  "slot_X2", "slot_X3",
                                             "matrix_1", "matrix_2", "matrix_3"};
        expect_debug_access(b, names);
        expect_what_a_busy_device_allows(b, torus::driver::program({b.place(c)}), 0);
        // what a debugger writes, the next command takes
        for (auto& x : c.matrices[1]) { x = -x; }
        b.device().debug_memories()[5].write(0, bytes_of(c.matrices[1]), 8 * c.matrices[1].size());
        for (auto& x : c.input.data) { x *= 3; }
        byte_string padded = bytes[0];
        std::memcpy(padded.data(), c.input.data.data(), 8 * c.input.data.size()); // of 3 x 4 x 2, as in 4 x 4 x 2
        b.device().debug_memories()[0].write(0, padded.data(), padded.size());
        auto again = keeping_all(b.place(c));
        EXPECT_TRUE(b.run({again}).result.done);
        EXPECT_TRUE(same_bits(b.fetch<double>(again), ordered_transform(c.problem).data));
        b.driver().reset();
        for (const auto& all : debug_bytes(b.device())) {
            EXPECT_EQ(std::count(all.begin(), all.end(), 0), static_cast<std::ptrdiff_t>(all.size()));
        }
    });
    run_to_end(bench);
}
INSTANTIATE_TEST_SUITE_P(fidelities, orbit_debug, ::testing::Values(fidelity::fast, fidelity::detailed));

// ---- waveforms ----

class orbit_waveform : public sim_test {};

TEST_F(orbit_waveform, of_the_device_is_the_same_in_both_fidelities)
{
    using traced_device = traced_bench<orbit_bench, std::vector<shape3>>;
    std::mt19937 random(34);
    const orbital_case<double> c(2, {4, 3, 4}, {4, 4, 3}, direction::inverse, random);
    const auto program = [&](orbit_bench& b) { b.transformed(c); };
    auto config = torus_config(2, 2, base::element_type::f64);
    traced_device fast("fast", config, {}, program);
    config.fidelity = fidelity::detailed;
    traced_device detailed("detailed", config, {}, program);
    traced_device watched("watched", config, {{1, 0, 1}}, program);
    run_to_end(fast, detailed, watched);
    const auto changes = fast.changes();
    EXPECT_GT(std::count(changes.begin(), changes.end(), '#'), 6); // steps, load, unload
    EXPECT_TRUE(detailed.changes() == changes);
    for (const char* name : {"phase", "stage", "step", "command"}) {
        EXPECT_NE(fast.text().find(name), std::string::npos) << name;
    }
    EXPECT_NE(watched.text().find("node_1_0_1"), std::string::npos);
    EXPECT_GT(watched.changes().size(), changes.size());
}

// ---- several devices ----

class several_tori : public sim_test {};

TEST_F(several_tori, of_different_formats_sizes_and_clocks_work_side_by_side)
{
    std::mt19937 random(35);
    const orbital_case<double> real(3, {5, 6, 7}, {4, 6, 3}, direction::forward, random);
    const orbital_case<std::complex<float>> complex(2, {4, 3, 2}, {4, 4, 4}, direction::inverse, random);
    std::vector<double> first;
    std::vector<std::complex<float>> second;
    orbit_bench a("a", torus_config(3, 3, base::element_type::f64),
                  [&](orbit_bench& b) { first = b.transformed(real); });
    auto config = torus_config(2, 2, base::element_type::c64, fidelity::detailed);
    config.clock_period = sc_core::sc_time(700, sc_core::SC_PS);
    orbit_bench b("b", config, [&](orbit_bench& bench) { second = bench.transformed(complex); });
    run_to_end(a, b);
    EXPECT_TRUE(same_bits(first, ordered_transform(real.problem).data));
    EXPECT_TRUE(same_bits(second, ordered_transform(complex.problem).data));
}

TEST_F(several_tori, irq_and_rst_may_stay_unbound)
{
    expect_that_irq_and_rst_may_stay_unbound<torus::device<32>>(torus_config(2, 2, base::element_type::f64));
}

} // namespace
} // namespace tensorloom::test
