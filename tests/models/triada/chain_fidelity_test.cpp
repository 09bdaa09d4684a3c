// Chains look the same from outside in both fidelities: their waveforms, and where an abort or a reset stops them.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/stopped_programs.h"
#include "models/traced_bench.h"
#include "models/triada/chain_maker.h"
#include "models/triada/chain_run.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class chain_waveform : public sim_test_with_param<int> {};

TEST_P(chain_waveform, same_bytes_after_the_header)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) {
        using T = decltype(element);
        case_maker maker(seed + 40);
        triada::config config = random_device(maker, base::element_type_of<T>);
        config.cell_registers = 2 + maker.below(3);
        draw_control(seed, config);
        chain_maker<T> chains(seed, config.mesh, true);
        std::vector<chain<T>> all;
        for (unsigned i = 0; i < 3; ++i) {
            all.push_back(chains.make(5, i == 2 ? case_maker::specials::wild : case_maker::specials::zeros));
        }
        const std::vector<shape3> cells{{0, 0, 0}, {config.mesh[0] - 1, config.mesh[1] / 2, config.mesh[2] / 3}};
        const auto running = [&all](triada_bench& b) {
            for (const auto& steps : all) { run_chain(b, steps, false); }
        };
        using traced = traced_bench<triada_bench, std::vector<shape3>>;
        traced fast("fast", config, cells[0] == cells[1] ? std::vector<shape3>{cells[0]} : cells, running);
        config.fidelity = triada::fidelity::detailed;
        traced detailed("detailed", config, cells[0] == cells[1] ? std::vector<shape3>{cells[0]} : cells, running);
        run_to_end(fast, detailed);
        const std::string expected = detailed.changes();
        EXPECT_GT(std::count(expected.begin(), expected.end(), '#'), 20);
        EXPECT_TRUE(fast.changes() == expected);
    });
}
INSTANTIATE_TEST_SUITE_P(seeds, chain_waveform, ::testing::Range(0, 12));

// A product that loads the next tensor beside its work, pointwise work, a product that stays, and one of the next
// tensor that stores what stayed.
chain<double> chain_to_stop()
{
    case_maker maker(6);
    const shape3 shape{4, 3, 5};
    const auto numbers = [&maker](std::size_t n) { return maker.numbers<double>(n, case_maker::specials::zeros); };
    chain<double> steps(4);
    for (auto& step : steps) {
        auto& g = step.product;
        g.shape = g.out = shape;
        for (unsigned m = 0; m < 3; ++m) { g.matrices[m] = numbers(std::size_t{shape[m]} * shape[m]); }
        step.from = tensor_place::held;
        step.hold = true;
    }
    steps[0].from = tensor_place::memory;
    steps[0].product.x = numbers(60);
    steps[0].next = next_tensor<double>{shape, numbers(60)};
    auto& filter = steps[1].pointwise.emplace();
    filter.shape = shape;
    filter.operand = numbers(60);
    steps[3].from = tensor_place::next;
    steps[3].hold = false;
    steps[3].previous = previous_tensor{shape, false};
    return steps;
}

class chain_stop : public sim_test_with_param<std::tuple<how, int>> {};

TEST_P(chain_stop, same_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, number] = GetParam();
    const auto steps = chain_to_stop();
    const auto running = [&steps, stop = stop](std::optional<std::uint64_t> after_ps,
                                               stopped_program<triada_bench>& s) {
        return [&steps, stop, after_ps, &s](triada_bench& b) {
            std::vector<chain_command> commands;
            b.restart();
            for (const auto& step : steps) { commands.push_back(place_step(b, step)); }
            stopped_job job;
            job.program = program_of(commands);
            job.stored = {commands.back().y, 60 * sizeof(double)};
            stopping(job, stop, after_ps, s)(b);
        };
    };
    const auto after_ps = static_cast<std::uint64_t>(15 * number) * 1000 + (number % 2 == 0 ? 0 : 250);
    triada::config config;
    config.mesh = {4, 3, 5};
    config.load_elements = 1 + static_cast<unsigned>(number) % 5;
    stopped_program<triada_bench> fast, detailed, fresh;
    triada_bench a("fast", config, running(after_ps, fast));
    triada_bench f("fresh", config, running(std::nullopt, fresh));
    config.fidelity = triada::fidelity::detailed;
    triada_bench d("detailed", config, running(after_ps, detailed));
    run_to_end(a, d, f);
    expect_same_stop(stop, fast, detailed, fresh);
}

// The whole takes more than 220 cycles.
INSTANTIATE_TEST_SUITE_P(times, chain_stop,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Range(1, 15)));

} // namespace
