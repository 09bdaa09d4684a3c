// Quotients against the multiple that they stand for.
#include <gtest/gtest.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::test {
namespace {

TEST(integer_quotient, up_is_the_least_multiple_that_is_enough)
{
    for (std::uint64_t a = 0; a < 60; ++a) {
        for (std::uint64_t b = 1; b < 20; ++b) {
            const std::uint64_t q = arch::quotient_up(a, b);
            EXPECT_GE(q * b, a);
            EXPECT_TRUE(q == 0 || (q - 1) * b < a);
        }
    }
}

TEST(integer_quotient, down_leaves_a_remainder_that_is_not_negative)
{
    for (std::int64_t a = -60; a < 60; ++a) {
        for (std::int64_t b = 1; b < 20; ++b) {
            const std::int64_t rest = a - arch::quotient_down(a, b) * b;
            EXPECT_GE(rest, 0);
            EXPECT_LT(rest, b);
        }
    }
}

} // namespace
} // namespace tensorloom::test
