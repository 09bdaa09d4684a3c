#include <tensorloom/models/fetta/isa/schedule.h>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction/run.h>
#include "random_contraction.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using fetta::device_limits;
using fetta::event;

// The counts that the reference interpreter makes element by element, of everything but transfers.
TEST(contract_counts_test, equal_what_the_reference_counts)
{
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        device_limits g;
        if (i % 5 == 0) { g.operand = base::element_type::f32; }
        g.accumulator_bank_bytes = 1024; // streams of several pieces
        g.engines = i % 7 == 0 ? 4 : 16;
        contraction_settings settings;
        settings.request.mapping = static_cast<fetta::mapping>(i % 6);
        settings.request.store_bf16 = i % 4 == 1;
        settings.overlap = false;
        engine_split split;
        std::uint32_t* const parts[] = {&split.batch, &split.contracted, &split.ia_free, &split.ib_free};
        for (unsigned bit = 0; bit < g.index_bits(); ++bit) { *parts[random() % 4] *= 2; }
        settings.request.split = split;
        // One free index may be long: several pieces of 64 steps.
        const contraction p = i % 8 == 0
                                  ? parse_einsum("ik,kj->ij", "i=" + std::to_string(1 + random() % 600) + ",k=5,j=3")
                                  : test::random_contraction(random, 7, 2000);
        const contraction_plan plan = plan_contraction(p, g, settings);
        ASSERT_EQ(plan.commands, 1u);
        test::fetta_reference machine(g);
        const auto ran = run_contraction(machine, plan, test::random_elements(random, p.extent(p.a)),
                                         test::random_elements(random, p.extent(p.b)));
        const auto counts = fetta::contract_counts(plan.command(plan.steps()[0]), g);
        for (std::size_t e = 0; e < fetta::event_count; ++e) {
            const auto which = static_cast<event>(e);
            if (which == event::load_row || which == event::store_row) { continue; }
            EXPECT_EQ(counts[which], ran.total().counts[which])
                << fetta::event_definitions[e].name << " of " << p.a << "," << p.b << "->" << p.c << " mapping "
                << i % 6 << " split " << engine_split_text(split);
        }
        if (HasFailure()) { return; }
    }
}

// A command that keeps its sums writes no result.
TEST(contract_counts_test, sums_that_stay_are_not_written)
{
    const device_limits g;
    auto c = contract_of({2, 9, 5, 6}, fetta::mapping::ws_v, {2, 2, 2, 2}, false);
    const auto written = fetta::contract_counts(c, g);
    c.flags |= fetta::contract_command::flag_keep;
    const auto kept = fetta::contract_counts(c, g);
    EXPECT_EQ(written[event::result_row_write], 2u * 2 * 5 * 2); // float32 rows count as two
    EXPECT_EQ(kept[event::result_row_write], 0u);
    EXPECT_EQ(kept[event::accumulator_psum], written[event::accumulator_psum]);
}

} // namespace
} // namespace tensorloom::workloads
