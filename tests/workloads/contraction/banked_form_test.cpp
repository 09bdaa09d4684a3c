// Operands by the networks alone: the same bytes in the same places as through gather and scatter buffers.
#include <tensorloom/workloads/contraction/banked_form.h>
#include <cstring>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include "banked_case.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using fetta::contract_command;
using fetta::device_limits;
using fetta::operand_role;

void expect_same_values(const device_limits& g, unsigned seed, bool transpose_layer)
{
    std::mt19937 random(seed);
    unsigned runs = 0, forms = 0, transposed = 0;
    for (int i = 0; i < 8000 && runs < 120; ++i) {
        const auto c = test::random_banked_case(random, g, transpose_layer);
        if (c.forms == 0 || !test::fits(c) || fetta::check(c.linear, g)) { continue; }
        const auto wrong = fetta::check(c.banked, g);
        ASSERT_FALSE(wrong) << wrong->text;
        test::fetta_reference machine(g);
        ASSERT_EQ(test::run_banked_case(machine, c, c.banked), test::run_banked_case(machine, c, c.linear)) << i;
        ++runs;
        forms += c.forms;
        transposed += c.transposed;
    }
    EXPECT_GE(runs, 60u); // else the test shows nothing
    EXPECT_GT(forms, runs);
    EXPECT_GE(transposed, transpose_layer ? 10u : 0u);
    EXPECT_TRUE(transpose_layer || transposed == 0);
}

TEST(banked_form_test, values_are_those_of_linear_operands) { expect_same_values({}, 1, true); }
TEST(banked_form_test, values_are_those_without_the_transpose_layer) { expect_same_values({}, 2, false); }
TEST(banked_form_test, other_engines_and_rows_are_no_different)
{
    device_limits g;
    g.engines = 4;
    g.bank_bytes = 131072;
    for (const std::uint32_t side : {2u, 8u}) {
        g.side = side;
        expect_same_values(g, side, true);
    }
}

// C[i][j] = sum over k of A[k][i] B[k][j], all three as they lie in C order.
contract_command weight_gradient(std::uint32_t k, std::uint32_t i, std::uint32_t j)
{
    contract_command c;
    c.mapping = static_cast<std::uint32_t>(fetta::mapping::os_1);
    c.contracted = k;
    c.ia_free = i;
    c.ib_free = j;
    c.mask_ia = 0x3; // 16 engines, 4 x 4
    c.mask_ib = 0xc;
    c.flags =
        contract_command::flag_linear_ia | contract_command::flag_linear_ib | contract_command::flag_linear_result;
    c.ia.modes = {0, 1, 1};
    c.ia.mode[0] = {k, static_cast<std::int32_t>(i)};
    c.ia.mode[1] = {i, 1};
    c.ib.modes = {0, 1, 1};
    c.ib.mode[0] = {k, static_cast<std::int32_t>(j)};
    c.ib.mode[1] = {j, 1};
    c.result.modes = {0, 1, 1};
    c.result.mode[0] = {i, static_cast<std::int32_t>(j)};
    c.result.mode[1] = {j, 1};
    return c;
}

TEST(banked_form_test, of_two_operands_that_are_cut_along_rows_one_needs_the_transpose_layer)
{
    const auto c = weight_gradient(1000, 16, 16);
    const auto ia = banked_form_of(c, operand_role::ia, {}, true), ib = banked_form_of(c, operand_role::ib, {}, true);
    ASSERT_TRUE(ia && ib);
    EXPECT_FALSE(ia->transposed);
    EXPECT_TRUE(ib->transposed);
    EXPECT_EQ(ib->operand.stride, (std::array<std::int32_t, 4>{0, 1, 0, 0}));
    EXPECT_FALSE(banked_form_of(c, operand_role::ib, {}, false));
}

TEST(banked_form_test, what_has_none)
{
    EXPECT_FALSE(banked_form_of(weight_gradient(1000, 18, 16), operand_role::ia, {}, true));     // rows begin anywhere
    EXPECT_FALSE(banked_form_of(weight_gradient(1000, 20, 16), operand_role::ia, {}, true));     // rows of 5
    EXPECT_FALSE(banked_form_of(weight_gradient(1000, 16, 16), operand_role::result, {}, true)); // i x 4 rows in a bank
    auto from_row_1 = weight_gradient(1000, 16, 16);
    from_row_1.ia.base = 4;
    EXPECT_FALSE(banked_form_of(from_row_1, operand_role::ia, {}, true));
}

} // namespace
} // namespace tensorloom::workloads
