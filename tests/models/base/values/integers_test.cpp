// Quotients against the multiple that they stand for, powers of two and what lies between them, the wires of a
// transpose layer.
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::test {
namespace {

TEST(integer_quotient, up_is_the_least_multiple_that_is_enough)
{
    for (std::uint64_t a = 0; a < 60; ++a) {
        for (std::uint64_t b = 1; b < 20; ++b) {
            const std::uint64_t q = base::quotient_up(a, b);
            EXPECT_GE(q * b, a);
            EXPECT_TRUE(q == 0 || (q - 1) * b < a);
        }
    }
}

TEST(integer_quotient, down_leaves_a_remainder_that_is_not_negative)
{
    for (std::int64_t a = -60; a < 60; ++a) {
        for (std::int64_t b = 1; b < 20; ++b) {
            const std::int64_t rest = a - base::quotient_down(a, b) * b;
            EXPECT_GE(rest, 0);
            EXPECT_LT(rest, b);
        }
    }
}

TEST(power_of_two, has_its_logarithm)
{
    EXPECT_FALSE(base::is_power_of_two(0));
    for (unsigned bits = 0; bits < 64; ++bits) {
        EXPECT_TRUE(base::is_power_of_two(std::uint64_t{1} << bits));
        EXPECT_EQ(base::log2_of(std::uint64_t{1} << bits), bits);
        if (bits > 1) { EXPECT_FALSE(base::is_power_of_two((std::uint64_t{1} << bits) + 1)); }
    }
}

TEST(port_transposition, is_its_own_inverse_and_turns_rows_of_ports_into_columns)
{
    for (unsigned port = 0; port < 16; ++port) { EXPECT_EQ(base::transposed(port, 4), port % 4 * 4 + port / 4); }
    for (unsigned port = 0; port < 64; ++port) { EXPECT_EQ(base::transposed(base::transposed(port, 6), 6), port); }
}

} // namespace
} // namespace tensorloom::test
