// Blocks, mappings and splits chosen for energy: what a plan is estimated to take, and that no objective is met worse
// than by the fastest plan.
#include <array>
#include <random>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction/run.h>
#include "random_contraction.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using fetta::device_limits;
using fetta::event;
using test::small_device;

// Costs of all events but cycles, which a reference does not count alike; powers of two keep sums of counts exact.
costs::energy_model priced_model(double leakage_mw)
{
    costs::energy_model model;
    model.events = fetta::events;
    model.costs.resize(fetta::event_count);
    const event priced[] = {event::mac,        event::padding_mac,      event::ia_row_read, event::ib_row_read,
                            event::ia_element, event::result_row_write, event::ib_element,  event::reduction_element,
                            event::load_row,   event::accumulator_psum, event::store_row};
    double pj = 0.25;
    for (const event e : priced) {
        model.costs[static_cast<std::size_t>(e)].pj = pj;
        pj = pj == 4 ? 0.25 : 2 * pj;
    }
    model.leakage.push_back({"all", leakage_mw, false, ""});
    return model;
}

contraction_settings settings_for_objective(tensor_layout layout, mapping_objective objective)
{
    contraction_settings s;
    s.layout = layout;
    s.request.objective = objective;
    s.costs = mapping_costs(priced_model(3), 1);
    s.memory.read_pj_per_byte = 12;
    s.memory.write_pj_per_byte = 8;
    s.memory.pj_per_cycle = 200;
    s.memory.burst_bytes = 32;
    return s;
}

const std::pair<const char*, const char*> cases[] = {
    {"ik,kj->ij", "i=90,k=110,j=70"},      {"ki,kj->ij", "k=300,i=17,j=29"}, {"bik,kj->bji", "b=5,i=30,j=50,k=33"},
    {"abc,cd->abd", "a=16,b=16,c=16,d=8"}, {"i,j->ji", "i=150,j=130"},
};

TEST(objective_test, energy_of_a_plan_is_that_of_the_counts_of_its_run)
{
    std::mt19937 random(51);
    const device_limits g = small_device();
    const auto model = priced_model(0);
    for (const auto& [einsum, sizes] : cases) {
        const contraction p = parse_einsum(einsum, sizes);
        for (const auto objective : {mapping_objective::latency, mapping_objective::energy}) {
            auto s = settings_for_objective(tensor_layout::ideal, objective);
            s.costs = mapping_costs(model, 1);
            s.memory = {};
            s.request.store_bf16 = einsum == cases[1].first;
            const auto plan = plan_contraction(p, g, s);
            EXPECT_GT(plan.commands, 1u);
            test::fetta_reference machine(g);
            const auto ran = run_contraction(machine, plan, test::random_elements(random, p.extent(p.a)),
                                             test::random_elements(random, p.extent(p.b)));
            const auto counts = ran.total().counts;
            double pj = 0;
            for (std::size_t e = 0; e < fetta::event_count; ++e) {
                pj += model.costs[e].pj * static_cast<double>(counts.data()[e]);
            }
            EXPECT_EQ(plan.estimated_pj, pj) << einsum;
        }
    }
}

TEST(objective_test, memory_is_charged_by_bytes_and_cycles)
{
    auto s = settings_for_objective(tensor_layout::ideal, mapping_objective::latency);
    const auto p = parse_einsum("ik,kj->ij", "i=64,k=64,j=64");
    s.overlap = false; // one CONTRACT, each tensor moved once
    s.memory = {};
    const auto device = plan_contraction(p, {}, s).estimated_pj;
    s.memory.read_pj_per_byte = 12;
    s.memory.write_pj_per_byte = 8;
    const std::uint64_t commands =
        4 * 16 + 3 * (isa::transfer_command::payload_bytes) + fetta::contract_command::payload_bytes;
    EXPECT_EQ(plan_contraction(p, {}, s).estimated_pj - device,
              12.0 * (2 * 64 * 64 * 2 + commands) + 8.0 * 64 * 64 * 4);
    s.memory = {};
    s.memory.pj_per_cycle = 200;
    const auto plan = plan_contraction(p, {}, s);
    EXPECT_EQ(plan.estimated_pj - device, 200.0 * static_cast<double>(plan.estimated_cycles));
}

TEST(objective_test, none_is_met_worse_than_by_the_fastest_plan)
{
    unsigned thriftier = 0;
    for (const auto layout : {tensor_layout::ideal, tensor_layout::conflicted, tensor_layout::offchip}) {
        for (const auto& [einsum, sizes] : cases) {
            for (const bool overlap : {false, true}) {
                SCOPED_TRACE(std::string(einsum) + " " + std::to_string(static_cast<int>(layout)));
                const auto plan_for = [&, expression = einsum, extents = sizes](mapping_objective objective) {
                    auto s = settings_for_objective(layout, objective);
                    s.overlap = overlap;
                    return plan_contraction(parse_einsum(expression, extents), small_device(), s);
                };
                const auto edp = [](const contraction_plan& p) {
                    return p.estimated_pj * static_cast<double>(p.estimated_cycles);
                };
                const auto fast = plan_for(mapping_objective::latency);
                const auto thrifty = plan_for(mapping_objective::energy);
                EXPECT_LE(thrifty.estimated_pj, fast.estimated_pj);
                EXPECT_LE(edp(plan_for(mapping_objective::edp)), edp(fast));
                thriftier += thrifty.estimated_pj < 0.97 * fast.estimated_pj ? 1 : 0;
            }
        }
    }
    EXPECT_GE(thriftier, 3u);
}

TEST(objective_test, winner_is_the_best_of_all_plans_that_any_objective_finds)
{
    std::mt19937 random(52);
    for (unsigned n = 0; n < 200; ++n) {
        const contraction p = test::random_contraction(random, 40, 60'000);
        const auto layout = static_cast<tensor_layout>(random() % 3);
        SCOPED_TRACE(std::to_string(n) + " of layout " + std::to_string(static_cast<int>(layout)));
        const auto plan_for = [&](mapping_objective objective) {
            return plan_contraction(p, small_device(), settings_for_objective(layout, objective));
        };
        const std::array<contraction_plan, 3> plans{plan_for(mapping_objective::latency),
                                                    plan_for(mapping_objective::energy),
                                                    plan_for(mapping_objective::edp)};
        for (const auto& other : plans) {
            EXPECT_LE(plans[0].estimated_cycles, other.estimated_cycles);
            EXPECT_LE(plans[1].estimated_pj, other.estimated_pj);
            EXPECT_LE(plans[2].estimated_pj * static_cast<double>(plans[2].estimated_cycles),
                      other.estimated_pj * static_cast<double>(other.estimated_cycles));
        }
    }
}

// Blocks that hide transfers are loaded again and again.
TEST(objective_test, energy_asks_for_blocks_that_are_moved_less_often)
{
    const auto p = parse_einsum("ik,kj->ij", "i=256,k=256,j=256");
    const auto fast = plan_contraction(p, {}, settings_for_objective(tensor_layout::ideal, mapping_objective::latency));
    const auto thrifty =
        plan_contraction(p, {}, settings_for_objective(tensor_layout::ideal, mapping_objective::energy));
    EXPECT_LT(thrifty.transferred_bytes, fast.transferred_bytes);
    EXPECT_LT(thrifty.estimated_pj, 0.9 * fast.estimated_pj);
}

// LOADs and STOREs of the programs that are written, several for a block where a descriptor has too few modes.
TEST(objective_test, transfers_of_a_plan_are_counted)
{
    for (const auto layout : {tensor_layout::ideal, tensor_layout::conflicted, tensor_layout::offchip}) {
        const auto p = parse_einsum("ik,kj->ij", "i=128,k=96,j=64");
        const auto plan =
            plan_contraction(p, small_device(), settings_for_objective(layout, mapping_objective::latency));
        std::uint64_t transfers = 0;
        for (const auto& program : write_programs(plan, 0x1000, 1u << 24).programs) {
            if (program.phase != program_phase::contract) { continue; }
            for (const auto& text : program.descriptions) {
                transfers += text.rfind("load", 0) == 0 || text.rfind("store", 0) == 0 ? 1 : 0;
            }
        }
        EXPECT_EQ(plan.transfers, transfers);
    }
}

} // namespace
} // namespace tensorloom::workloads
