// All tensor cores do what a cell-by-cell oracle does: bits, counts, times and waveforms; over regions, registers,
// formats and specials.
#include <memory>
#include <vector>
#include <gtest/gtest.h>
#include "models/triada/core_bench.h"
#include "models/triada/core_case.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr unsigned core_cases_per_process = 6;
constexpr unsigned passes_per_case = 5;

// Equal as waveforms show them: NaN is NaN.
bool same(const arithmetic::traced_element& a, const arithmetic::traced_element& b)
{
    const auto same_part = [](double x, double y) {
        return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
    };
    return same_part(a.re, b.re) && same_part(a.im, b.im);
}

bool same(const triada::cell_waveform& a, const triada::cell_waveform& b)
{
    bool equal = a.x_valid == b.x_valid && a.tag == b.tag && same(a.coefficient, b.coefficient) &&
                 a.y_valid == b.y_valid && same(a.operand, b.operand);
    for (unsigned r = 0; r < triada::config{}.registers(); ++r) { equal &= same(a.element[r], b.element[r]); }
    return equal;
}

void expect_same_records(const core_record& a, const core_record& b)
{
    EXPECT_EQ(a.end_ps, b.end_ps);
    EXPECT_EQ(a.saturated, b.saturated);
    ASSERT_EQ(a.reads.size(), b.reads.size());
    for (std::size_t i = 0; i < a.reads.size(); ++i) { EXPECT_TRUE(a.reads[i] == b.reads[i]) << "read " << i; }
    ASSERT_EQ(a.steps.size(), b.steps.size());
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
        EXPECT_EQ(a.steps[i].counts, b.steps[i].counts) << "step " << i;
        EXPECT_TRUE(a.steps[i] == b.steps[i]) << "step " << i;
    }
}

template <class Element> struct compared_case {
    triada::config config;
    std::vector<core_pass> passes;
    std::vector<shape3> watched;
    core_record expected;
    std::unique_ptr<core_oracle<Element>> oracle;
    std::unique_ptr<core_bench<Element>> fast;
    std::unique_ptr<core_bench<Element>> unwatched;
    std::unique_ptr<core_bench<Element>> detailed;
    std::unique_ptr<core_bench<Element>> rtl; // where there is one
};

template <class Element> compared_case<Element> make_case(std::uint64_t seed, const std::string& name)
{
    case_maker maker(seed);
    compared_case<Element> c;
    c.config = random_device(maker, base::element_type_of<Element>);
    c.config.threads = 1 + maker.below(2);
    c.passes = core_case_maker<Element>(seed, c.config.mesh).make(passes_per_case);
    for (unsigned w = 0; w < 4; ++w) {
        c.watched.push_back(
            {maker.below(c.config.mesh[0]), maker.below(c.config.mesh[1]), maker.below(c.config.mesh[2])});
    }
    c.oracle = std::make_unique<core_oracle<Element>>(
        c.config.mesh, c.config.line_extent == triada::line_extent::active, 1000 * c.config.step_cycles);
    c.expected = c.oracle->run(c.passes);
    const auto make = [&](const char* kind, const std::vector<shape3>& watched) {
        return std::make_unique<core_bench<Element>>((name + kind).c_str(), c.config, c.passes, watched);
    };
    c.fast = make("_fast", c.watched);
    c.unwatched = make("_unwatched", {});
    c.config.fidelity = triada::fidelity::detailed;
    c.detailed = make("_detailed", c.watched);
    c.config.fidelity = triada::fidelity::rtl;
    if (!triada::validate(c.config)) { c.rtl = make("_rtl", c.watched); }
    return c;
}

// Watched cells show what the oracle's registers held after every step, in all fidelities.
template <class Element> void expect_shown(const compared_case<Element>& c)
{
    ASSERT_EQ(c.fast->shown().size(), c.expected.steps.size());
    ASSERT_EQ(c.detailed->shown().size(), c.expected.steps.size());
    for (std::size_t step = 0; step < c.expected.steps.size(); ++step) {
        for (std::size_t w = 0; w < c.watched.size(); ++w) {
            const auto& fast = c.fast->shown()[step][w];
            EXPECT_TRUE(same(fast, c.detailed->shown()[step][w])) << "step " << step << ", cell " << w;
            if (c.rtl) { EXPECT_TRUE(same(fast, c.rtl->shown()[step][w])) << "step " << step << ", cell " << w; }
            for (unsigned r = 0; r < triada::config{}.registers(); ++r) {
                EXPECT_TRUE(same(fast.element[r], arithmetic::shown(c.oracle->after(step, c.watched[w], r))))
                    << "step " << step << ", cell " << w << ", register " << r;
            }
        }
    }
}

template <class Element> void compare_cores(std::uint64_t seed)
{
    std::vector<compared_case<Element>> cases;
    for (unsigned i = 0; i < core_cases_per_process; ++i) {
        cases.push_back(make_case<Element>(seed * core_cases_per_process + i, "case_" + std::to_string(i)));
    }
    sc_core::sc_start();
    for (unsigned i = 0; i < core_cases_per_process; ++i) {
        SCOPED_TRACE("case " + std::to_string(i) + " of seed " + std::to_string(seed));
        const auto& c = cases[i];
        ASSERT_TRUE(c.fast->finished());
        ASSERT_TRUE(c.unwatched->finished());
        ASSERT_TRUE(c.detailed->finished());
        expect_same_records(c.detailed->record(), c.expected);
        if (c.rtl) {
            ASSERT_TRUE(c.rtl->finished());
            expect_same_records(c.rtl->record(), c.expected);
        }
        expect_same_records(c.fast->record(), c.expected);
        expect_same_records(c.unwatched->record(), c.expected);
        expect_shown(c);
    }
}

class core_fidelity_test : public sim_test_with_param<int> {};

TEST_P(core_fidelity_test, same_bits_counts_times_and_waveforms_as_the_cells_of_an_oracle)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) { compare_cores<decltype(element)>(seed); });
}

// A request acts at the first step boundary after it; also in the middle of a burst, watched or not.
TEST_P(core_fidelity_test, stops_at_the_next_step_boundary)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    case_maker maker(seed);
    triada::config config = random_device(maker, base::element_type::f64);
    const auto passes = core_case_maker<double>(seed, config.mesh).make(2);
    const std::uint64_t step_ps = 1000 * config.step_cycles;
    const std::uint64_t all =
        core_oracle<double>(config.mesh, config.line_extent == triada::line_extent::active, step_ps).run(passes).end_ps;
    const std::uint64_t stop_ps = 1 + maker.below(static_cast<std::uint32_t>(all));
    const std::vector<shape3> watched{{0, 0, 0}};
    const core_bench<double> fast("fast", config, passes, watched, stop_ps);
    const core_bench<double> unwatched("unwatched", config, passes, {}, stop_ps);
    config.fidelity = triada::fidelity::detailed;
    const core_bench<double> detailed("detailed", config, passes, watched, stop_ps);
    sc_core::sc_start();
    const std::uint64_t end_ps = std::min(all, (stop_ps / step_ps + 1) * step_ps);
    for (const auto* bench : {&fast, &unwatched, &detailed}) {
        EXPECT_TRUE(bench->finished());
        EXPECT_EQ(bench->record().end_ps, end_ps) << bench->name();
        EXPECT_EQ(bench->record().steps.size(), end_ps / step_ps) << bench->name();
        EXPECT_TRUE(bench->record().steps == detailed.record().steps) << bench->name();
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, core_fidelity_test, ::testing::Range(0, 60)); // 360 cases of 5 passes

} // namespace
