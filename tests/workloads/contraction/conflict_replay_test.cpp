#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/workloads/contraction/run.h>
#include "bank_replay.h"
#include "random_contraction.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using fetta::device_limits;
using fetta::event;
using fetta::mapping;

TEST(conflict_replay_test, conflicts_of_linear_operands_are_those_of_a_replay_bank_by_bank)
{
    std::mt19937 random(21);
    int with_conflicts = 0;
    for (int i = 0; i < 200; ++i) {
        device_limits g;
        if (i % 10 == 0) { g.operand = base::element_type::f32; }
        g.accumulator_bank_bytes = i % 3 == 0 ? 1024 : 8192;
        contraction_settings settings;
        settings.layout = tensor_layout::conflicted;
        settings.request.store_bf16 = i % 4 == 0;
        if (i % 2 == 0) { settings.request.mapping = static_cast<mapping>(i / 2 % 6); }
        settings.flattening = i % 5 == 0 ? flattening::contiguous : flattening::any;
        const contraction p = i % 9 == 0
                                  ? parse_einsum("ki,jk->ij", "i=" + std::to_string(1 + random() % 300) + ",k=5,j=9")
                                  : test::random_contraction(random, 9, 2500);
        const contraction_plan plan = plan_contraction(p, g, settings);
        std::uint64_t expected = 0;
        for (const auto& step : plan.steps()) {
            const auto c = plan.command(step);
            const auto replayed = test::bank_replay(c, g, plan.choice.split).conflicts();
            ASSERT_EQ(fetta::linear_accesses(c, g).all().conflict_cycles, replayed) << "case " << i;
            expected += replayed;
        }
        test::fetta_reference machine(g);
        const auto ran = run_contraction(machine, plan, test::random_elements(random, p.extent(p.a)),
                                         test::random_elements(random, p.extent(p.b)));
        const auto total = ran.total();
        ASSERT_EQ(total.counts[event::conflict_cycle], expected) << p.a << "," << p.b << "->" << p.c << " case " << i;
        ASSERT_EQ(total.cycles, plan.tcu_cycles + expected);
        with_conflicts += expected != 0 ? 1 : 0;
    }
    EXPECT_GT(with_conflicts, 100); // else the test shows nothing
}

} // namespace
} // namespace tensorloom::workloads
