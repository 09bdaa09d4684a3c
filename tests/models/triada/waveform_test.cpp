// Both fidelities write the same waveform, byte for byte: tiles, double buffering, rectangular and low-precision
// products.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_case.h"
#include "models/traced_bench.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr unsigned traced_products_per_process = 4;

using traced_device = traced_bench<triada_bench, std::vector<shape3>>;

template <class T> triada_bench::program_type running(const std::vector<gemt_case<T>>& cases)
{
    return [&cases](triada_bench& b) {
        for (const auto& g : cases) { b.run(g); }
    };
}

template <class T>
void expect_same_changes(triada::config config, const std::vector<gemt_case<T>>& cases,
                         const std::vector<shape3>& cells)
{
    traced_device fast("fast", config, cells, running(cases));
    config.fidelity = triada::fidelity::detailed;
    traced_device detailed("detailed", config, cells, running(cases));
    run_to_end(fast, detailed);
    const std::string expected = detailed.changes();
    EXPECT_GT(std::count(expected.begin(), expected.end(), '#'), 20);
    EXPECT_TRUE(fast.changes() == expected);
}

template <class T> void compare_waveforms(std::uint64_t seed)
{
    case_maker maker(seed);
    triada::config config = random_device(maker, base::element_type_of<T>);
    draw_control(seed, config);
    std::vector<gemt_case<T>> cases;
    for (unsigned i = 0; i < traced_products_per_process; ++i) {
        const shape3 most{config.mesh[0] * 5 / 2, config.mesh[1] * 5 / 2, config.mesh[2] * 5 / 2};
        const auto kind = maker.chance(0.5) ? case_maker::specials::zeros : case_maker::specials::wild;
        cases.push_back(maker.make_any<T>(i % 2 == 0 ? config.mesh : most, kind));
    }
    std::vector<shape3> cells;
    for (unsigned w = 0; w < 3; ++w) {
        const shape3 at{maker.below(config.mesh[0]), maker.below(config.mesh[1]), maker.below(config.mesh[2])};
        if (std::find(cells.begin(), cells.end(), at) == cells.end()) { cells.push_back(at); }
    }
    expect_same_changes(config, cases, cells);
}

class waveform_test : public sim_test_with_param<int> {};

TEST_P(waveform_test, same_bytes_after_the_header)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) { compare_waveforms<decltype(element)>(seed); });
}

INSTANTIATE_TEST_SUITE_P(seeds, waveform_test, ::testing::Range(0, 24)); // 96 products

class dense_waveform : public sim_test {};

// Infinities times the padding leave NaN in cells that the box of the last, short pass does not hold.
TEST_F(dense_waveform, shows_what_a_pass_left_outside_of_a_smaller_box)
{
    triada::config config;
    config.mesh = {8, 2, 2};
    gemt_case<double> g;
    g.shape = {13, 4, 2};
    g.out = {3, 4, 2};
    g.order = {1, 2, 3};
    g.mask = 1;
    g.esop = false;
    g.x.assign(g.volume(), 1);
    g.x[0] = std::numeric_limits<double>::infinity();
    g.matrices[0].assign(13 * 3, 2);
    std::vector<gemt_case<double>> cases(2, g);
    cases[1].double_buffer = true;
    expect_same_changes(config, cases, {{6, 0, 0}});
}

} // namespace
