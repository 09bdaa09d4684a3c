// All fidelities are one behaviour: same bits, same log, same counts, same time; and they are what the paper's sums
// say.
#include <memory>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "models/rtl/amount.h"
#include "models/triada/triada_bench.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_case.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

unsigned products_per_process() { return static_cast<unsigned>(amount(8, 80)); }

template <class T> struct side {
    std::vector<gemt_outcome<T>> outcomes;
    std::vector<double> energies; // by record, of all cases
    std::unique_ptr<triada_bench> bench;
};

template <class T>
void build(side<T>& s, const char* name, triada::config config, const std::vector<gemt_case<T>>& cases)
{
    s.bench = std::make_unique<triada_bench>(name, config, [&s, &cases, config, name](triada_bench& bench) {
        for (const auto& g : cases) {
            s.outcomes.push_back(bench.run(g));
            const activity::energy_report energy(
                bench.log(), 1.0,
                {{std::string(name) + ".device",
                  triada::device_energy(costs::load_technology("45nm"), {config.mesh, config.format, 2})}});
            for (std::size_t r = 0; r < energy.records(); ++r) { s.energies.push_back(energy.record_total_pj(r)); }
        }
    });
}

// Compares everything that the two left behind for one case.
template <class T> void expect_same(const gemt_outcome<T>& a, const gemt_outcome<T>& b)
{
    EXPECT_TRUE(a.result.done);
    EXPECT_TRUE(b.result.done);
    EXPECT_EQ(a.result.cycles, b.result.cycles);
    EXPECT_TRUE(same_bits(a.y, b.y));
    EXPECT_TRUE(same_bits(a.sums, b.sums));
    EXPECT_EQ(a.window, b.window);
    EXPECT_EQ(a.counts, a.window);
    ASSERT_EQ(a.rows.size(), b.rows.size());
    for (std::size_t r = 0; r < a.rows.size(); ++r) { EXPECT_TRUE(a.rows[r] == b.rows[r]) << "row " << r; }
}

template <class T> void compare_devices(std::uint64_t seed)
{
    case_maker maker(seed);
    triada::config config = random_device(maker, base::element_type_of<T>);
    std::vector<gemt_case<T>> cases;
    for (unsigned i = 0; i < products_per_process(); ++i) {
        static constexpr case_maker::specials kinds[] = {case_maker::specials::none, case_maker::specials::zeros,
                                                         case_maker::specials::wild};
        // Square ones that fit, and any: up to about three blocks of the mesh in each mode.
        const shape3 most{config.mesh[0] * 5 / 2, config.mesh[1] * 5 / 2, config.mesh[2] * 5 / 2};
        const auto kind = kinds[i / 2 % 3];
        cases.push_back(i % 2 == 0 ? maker.make<T>(config.mesh, kind)
                                   : maker.make_any<T>(maker.chance(0.4) ? config.mesh : most, kind));
    }
    side<T> fast;
    side<T> detailed;
    side<T> rtl;
    config.stream_burst = maker.chance(0.5) ? 0 : 1 + maker.below(4);
    draw_control(seed, config);
    build(fast, "fast", config, cases);
    config.fidelity = triada::fidelity::detailed;
    config.stream_burst = 0;
    build(detailed, "detailed", config, cases);
    config.fidelity = triada::fidelity::rtl;
    const bool has_rtl = !triada::validate(config);
    if (has_rtl) {
        build(rtl, "rtl", config, cases);
        run_to_end(*fast.bench, *detailed.bench, *rtl.bench);
    } else {
        run_to_end(*fast.bench, *detailed.bench);
    }
    for (unsigned i = 0; i < products_per_process(); ++i) {
        SCOPED_TRACE("case " + std::to_string(i) + " of seed " + std::to_string(seed));
        expect_same(fast.outcomes[i], detailed.outcomes[i]);
        if (has_rtl) { expect_same(fast.outcomes[i], rtl.outcomes[i]); }
        if (cases[i].sums_wanted) {
            EXPECT_TRUE(same_bits(detailed.outcomes[i].sums, oracle_result_sums(cases[i], config.mesh)));
        } else {
            EXPECT_TRUE(same_bits(detailed.outcomes[i].y, oracle_result(cases[i], config.mesh)));
        }
    }
    EXPECT_EQ(fast.energies, detailed.energies);
    if (has_rtl) { EXPECT_EQ(fast.energies, rtl.energies); }
}

class fidelity_test : public sim_test_with_param<int> {};

TEST_P(fidelity_test, same_bits_counts_time_and_energy)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) { compare_devices<decltype(element)>(seed); });
}

INSTANTIATE_TEST_SUITE_P(seeds, fidelity_test, ::testing::Range(0, 90)); // 720 configurations

} // namespace
