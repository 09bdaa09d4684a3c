#include "random_contraction.h"
#include <cstring>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/workloads/contraction/reference.h>
#include <tensorloom/workloads/contraction/run.h>
#include "ordered_sums.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::device_limits;
using fetta::event;
using fetta::mapping;

device_limits random_limits(std::mt19937& random)
{
    static constexpr std::uint32_t engines[] = {4, 16, 16, 16, 64}, sides[] = {2, 4, 4, 4, 8};
    device_limits g;
    g.engines = engines[random() % 5];
    g.side = sides[random() % 5];
    g.bank_bytes = random() % 2 == 0 ? 4096 : 32768;
    g.accumulator_bank_bytes = random() % 2 == 0 ? 1024 : 8192;
    g.operand = random() % 4 == 0 ? element_type::f32 : element_type::bf16;
    g.psum = g.operand == element_type::bf16 && random() % 3 == 0 ? element_type::bf16 : element_type::f32;
    return g;
}

contraction_settings random_settings(std::mt19937& random, const device_limits& g)
{
    contraction_settings s;
    s.layout = static_cast<tensor_layout>(random() % 3);
    s.flattening = static_cast<flattening>(random() % 3 == 0);
    s.request.store_bf16 = random() % 2 == 0;
    s.overlap = random() % 2 == 0;
    if (random() % 4 != 0) { s.request.mapping = static_cast<mapping>(random() % 6); }
    if (random() % 2 == 0) {
        engine_split split;
        std::uint32_t* const parts[] = {&split.batch, &split.contracted, &split.ia_free, &split.ib_free};
        for (unsigned bit = 0; bit < g.index_bits(); ++bit) { *parts[random() % 4] *= 2; }
        s.request.split = split;
    }
    return s;
}

std::string text_of(const contraction& p, const contraction_plan& plan)
{
    std::string text = p.a + "," + p.b + "->" + p.c;
    for (const char m : p.a + p.b) { text += " " + std::string(1, m) + "=" + std::to_string(p.size_of(m)); }
    return text + " mapping " + fetta::mapping_values[static_cast<unsigned>(plan.choice.mapping)].name + " split " +
           engine_split_text(plan.choice.split) + " layout " +
           tensor_layout_values[static_cast<unsigned>(plan.layout)].name + " commands " + std::to_string(plan.commands);
}

class random_contraction_test : public testing::TestWithParam<unsigned> {};

// Orders 0 to 8, batch, permuted and ragged modes, modes of 1, scalars, sums of one product, outer products: whatever
// the dice give.
TEST_P(random_contraction_test, is_bit_equal_to_the_ordered_sums_and_within_the_bound)
{
    std::mt19937 random(GetParam());
    for (int i = 0; i < 40; ++i) {
        const device_limits g = random_limits(random);
        const contraction p = test::random_contraction(random, 9, 2500);
        const contraction_plan plan = plan_contraction(p, g, random_settings(random, g));
        SCOPED_TRACE(text_of(p, plan));
        const auto a = test::random_elements(random, p.extent(p.a)), b = test::random_elements(random, p.extent(p.b));
        // Memory for the tensors and nothing behind: whatever reads or writes further is a bus error.
        const auto programs = write_programs(plan, 0x1000, 16u << 20);
        test::fetta_reference machine(g, {0x1000, programs.addresses.end - 0x1000});
        for (const auto& step : plan.steps()) {
            const auto wrong = fetta::check(plan.command(step), g);
            ASSERT_FALSE(wrong) << wrong->text;
        }
        const contraction_run ran = run_programs(machine, plan, programs, a, b);
        const auto expected = test::ordered_sums(plan, a, b);
        ASSERT_EQ(ran.c.size(), expected.size());
        EXPECT_EQ(std::memcmp(ran.c.data(), expected.data(), 4 * expected.size()), 0);
        const auto check = check_contraction(contract_in_double(p, a, b), ran.c, p.extent(p.contracted), g.psum,
                                             plan.type_of(contraction_tensor::c));
        EXPECT_TRUE(check.passed) << check.worst_share;

        // Padding of the result goes nowhere near the operands.
        const auto before = machine.memory();
        write_operands(machine, plan, programs.addresses, a, b);
        EXPECT_EQ(machine.memory(), before);

        const program_outcome<fetta::counts> total = ran.total();
        EXPECT_EQ(total.counts[event::mac], p.macs());
        EXPECT_EQ(total.counts[event::contract], plan.commands);
        if (plan.layout != tensor_layout::conflicted) {
            EXPECT_EQ(total.counts[event::conflict_cycle], 0u);
            EXPECT_EQ(total.cycles, plan.tcu_cycles);
        }
        if (HasFailure()) { return; }
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_contraction_test, testing::Range(1u, 13u));

} // namespace
} // namespace tensorloom::workloads
