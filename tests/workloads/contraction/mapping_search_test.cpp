#include <tensorloom/workloads/contraction/mapping_search.h>
#include <algorithm>
#include <random>
#include <tuple>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include "spec_cycles.h"

namespace tensorloom::workloads {
namespace {

using fetta::device_limits;
using fetta::event;
using fetta::mapping;

flat_extents random_extents(std::mt19937& random)
{
    static constexpr std::uint64_t most[] = {1, 3, 9, 40, 200, 3000};
    const auto extent = [&] { return 1 + random() % most[random() % 6]; };
    return {extent(), extent(), extent(), extent()};
}

TEST(mapping_search_test, cycles_are_those_of_the_mapping_model)
{
    std::mt19937 random(11);
    const device_limits g;
    for (int i = 0; i < 600; ++i) {
        const flat_extents e = random_extents(random);
        const auto candidates = mapping_candidates(e, g, mapping_costs(), {});
        ASSERT_EQ(candidates.size(), 6u * 35); // 4 bits of the engine index to 4 indices
        std::uint64_t least = ~std::uint64_t{0};
        for (const auto& c : candidates) {
            ASSERT_EQ(c.cycles, test::spec_cycles(e, c.mapping, c.split));
            least = std::min(least, c.cycles);
        }
        EXPECT_EQ(search_mapping(e, g, mapping_costs(), {}).cycles, least);
    }
}

// ---- choices and ties ----

costs::energy_model row_read_model(double ia_row_pj, double leakage_mw)
{
    costs::energy_model model;
    model.events = fetta::events;
    model.costs.resize(fetta::event_count);
    model.costs[static_cast<std::size_t>(event::ia_row_read)].pj = ia_row_pj;
    model.costs[static_cast<std::size_t>(event::ib_row_read)].pj = 1;
    model.leakage.push_back({"others", leakage_mw, false, ""});
    return model;
}

auto lexicographic(const mapping_choice& c)
{
    return std::make_tuple(c.mapping, c.split.batch, c.split.contracted, c.split.ia_free, c.split.ib_free);
}

class mapping_objective_test : public testing::TestWithParam<mapping_objective> {};

TEST_P(mapping_objective_test, best_comes_first_in_a_sort_of_all)
{
    std::mt19937 random(12);
    const device_limits g;
    const mapping_costs costs(row_read_model(0.25, 2.7), 2.0);
    mapping_request request;
    request.objective = GetParam();
    for (int i = 0; i < 200; ++i) {
        const flat_extents e = random_extents(random);
        auto all = mapping_candidates(e, g, costs, request);
        const auto key = [&](const mapping_choice& c) {
            const double value = GetParam() == mapping_objective::latency  ? 0.0
                                 : GetParam() == mapping_objective::energy ? c.pj
                                                                           : c.pj * static_cast<double>(c.cycles);
            return std::make_tuple(value, c.cycles, c.pj, lexicographic(c));
        };
        std::sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
        EXPECT_EQ(lexicographic(search_mapping(e, g, costs, request)), lexicographic(all[0]));
    }
}

INSTANTIATE_TEST_SUITE_P(all, mapping_objective_test,
                         testing::Values(mapping_objective::latency, mapping_objective::energy,
                                         mapping_objective::edp));

TEST(mapping_search_test, without_a_difference_the_first_in_order_wins)
{
    const auto best = search_mapping({16, 1, 1, 1}, device_limits{}, mapping_costs(), {});
    EXPECT_EQ(best.mapping, mapping::ws_v); // as fast as is-v, and ws-h, is-h
    EXPECT_EQ(best.split, (engine_split{16, 1, 1, 1}));
}

TEST(mapping_search_test, energy_breaks_ties_of_cycles)
{
    std::mt19937 random(13);
    const mapping_costs costs(row_read_model(100, 0), 1);
    int decided = 0;
    for (int i = 0; i < 200; ++i) {
        const flat_extents e = random_extents(random);
        const auto best = search_mapping(e, device_limits{}, costs, {});
        const auto all = mapping_candidates(e, device_limits{}, costs, {});
        const auto first = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.cycles == best.cycles; });
        EXPECT_LE(best.pj, first->pj); // which without energies is the choice
        EXPECT_EQ(lexicographic(search_mapping(e, device_limits{}, mapping_costs(), {})), lexicographic(*first));
        decided += best.pj < first->pj ? 1 : 0;
    }
    EXPECT_GT(decided, 20);
}

TEST(mapping_search_test, leakage_counts_per_cycle_of_the_clock)
{
    const flat_extents e{1, 4, 4, 4};
    mapping_request request;
    request.mapping = mapping::os_1;
    request.split = engine_split{16, 1, 1, 1};
    const auto at_2_ns = search_mapping(e, device_limits{}, mapping_costs(row_read_model(0, 3), 2), request);
    EXPECT_DOUBLE_EQ(at_2_ns.pj, static_cast<double>(at_2_ns.cycles) * 3 * 2 + 4); // a row of IB per step
}

TEST(mapping_search_test, what_the_user_decided_stays)
{
    mapping_request request;
    request.mapping = mapping::is_h;
    const auto best = search_mapping({1, 100, 64, 64}, device_limits{}, mapping_costs(), request);
    EXPECT_EQ(best.mapping, mapping::is_h);
    request.split = engine_split{1, 1, 16, 1};
    EXPECT_EQ(search_mapping({1, 100, 64, 64}, device_limits{}, mapping_costs(), request).split, *request.split);
    request.split = engine_split{1, 1, 4, 1};
    EXPECT_THROW(search_mapping({1, 100, 64, 64}, device_limits{}, mapping_costs(), request), base::input_error);
}

TEST(engine_split_test, is_written_as_four_powers_of_two)
{
    EXPECT_EQ(parse_engine_split("2,4,1,2", 16), (engine_split{2, 4, 1, 2}));
    EXPECT_EQ(engine_split_text({2, 4, 1, 2}), "2,4,1,2");
    for (const char* wrong : {"", "2,4,1", "2,4,1,2,1", "2,4,1,4", "3,4,1,1", "0,4,4,1", "2,4,,2", "2;4,1,2",
                              "-2,4,1,2", "99999999999999999999,1,1,1", "2,4,1,2 "}) {
        EXPECT_THROW(parse_engine_split(wrong, 16), base::input_error) << wrong;
    }
}

} // namespace
} // namespace tensorloom::workloads
