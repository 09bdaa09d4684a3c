#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction/run.h>
#include "random_contraction.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

class own_program_test : public testing::Test {
protected:
    own_program_test()
    {
        std::mt19937 random(41);
        a = test::random_elements(random, p.extent(p.a));
        b = test::random_elements(random, p.extent(p.b));
    }

    const contraction p = parse_einsum("bik,kjb->jib", "b=3,i=5,k=9,j=6");
    std::vector<float> a, b;
    fetta::device_limits g;
    test::fetta_reference machine{g};
};

// Operands and result lie where a plan in C order has them: its program is a program of one's own.
TEST_F(own_program_test, runs_on_operands_in_c_order)
{
    contraction_settings settings;
    settings.layout = tensor_layout::conflicted;
    for (const bool store_bf16 : {false, true}) {
        settings.request.store_bf16 = store_bf16;
        const auto plan = plan_contraction(p, g, settings);
        const auto programs = write_programs(plan, machine.data_base(), machine.data_bytes());
        ASSERT_EQ(programs.programs.size(), 1u);
        const auto expected = run_contraction(machine, plan, a, b);
        const auto own = run_own_program(machine, p, store_bf16, programs.programs[0].bytes, a, b);
        EXPECT_EQ(own.c, expected.c);
        EXPECT_EQ(own.total().counts, expected.total().counts);
    }
}

TEST_F(own_program_test, a_program_that_stores_nothing_leaves_zeros)
{
    contraction_settings settings;
    settings.layout = tensor_layout::conflicted;
    run_contraction(machine, plan_contraction(p, g, settings), a, b); // leaves other values there
    const auto program = isa::program_builder().add(isa::opcode::halt).bytes();
    EXPECT_EQ(run_own_program(machine, p, false, program, a, b).c, std::vector<float>(p.extent(p.c)));
}

TEST_F(own_program_test, places_are_multiples_of_4096_one_after_the_other)
{
    const auto at = linear_addresses(parse_einsum("ik,kj->ij", "i=100,k=100,j=10"), g, true, 0x10000, 1u << 20);
    EXPECT_EQ(at.a, 0x10000u);
    EXPECT_EQ(at.b, 0x10000u + 20480); // 20,000 bytes
    EXPECT_EQ(at.c, 0x10000u + 24576); // 2,000
    EXPECT_EQ(at.end, 0x10000u + 28672);
    EXPECT_THROW(linear_addresses(p, g, true, 0x10000, 4096), base::input_error);
}

TEST(rounded_operand_test, rounds_once_to_nearest_even)
{
    const std::vector<double> values{1.0 + 0x1p-8, 1.0 + 0x1p-8 + 0x1p-40, 1.0 + 0x1p-24, 0.1};
    EXPECT_EQ(rounded_operand(values, base::element_type::bf16),
              (std::vector<float>{1.0f, 1.0f + 0x1p-7f, 1.0f, 0x1.9ap-4f}));
    EXPECT_EQ(rounded_operand(values, base::element_type::f32),
              (std::vector<float>{1.0f + 0x1p-8f, 1.0f + 0x1p-8f, 1.0f, 0.1f}));
}

} // namespace
} // namespace tensorloom::workloads
