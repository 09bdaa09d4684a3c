// Random words by their counter: the published vectors of Random123 for Philox-2x32 of ten rounds, and what is made of
// them.
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/counter_random.h>

namespace tensorloom::test {
namespace {

using arithmetic::philox_2x32;
using arithmetic::random_fraction;
using words = std::array<std::uint32_t, 2>;

TEST(counter_random, words_of_random123)
{
    EXPECT_EQ(philox_2x32(0, 0, 0), (words{0xff1dae59, 0x6cd10df2}));
    EXPECT_EQ(philox_2x32(0xffffffff, 0xffffffff, 0xffffffff), (words{0x2c3f628b, 0xab4fd7ad}));
    EXPECT_EQ(philox_2x32(0x243f6a88, 0x85a308d3, 0x13198a2e), (words{0xdd7ce038, 0xf62a4c12}));
}

TEST(counter_random, fractions_are_the_upper_24_bits_of_words)
{
    EXPECT_EQ(random_fraction(0, 0, 0), 0xff1dae / 16777216.0f);
    EXPECT_EQ(random_fraction(0, 0, 1), 0x6cd10d / 16777216.0f);
    EXPECT_EQ(random_fraction(0x13198a2e, 0x85a308d3, 2u * 0x243f6a88), 0xdd7ce0 / 16777216.0f);
    EXPECT_EQ(random_fraction(0x13198a2e, 0x85a308d3, 2u * 0x243f6a88 + 1), 0xf62a4c / 16777216.0f);
}

// Mean and variance of a uniform distribution, and no correlation of neighbours, streams and keys: within five
// deviations.
TEST(counter_random, fractions_are_uniform_and_independent)
{
    constexpr unsigned count = 20000;
    double mean = 0, square = 0, neighbours = 0, streams = 0, keys = 0;
    for (unsigned i = 0; i < count; ++i) {
        const double x = random_fraction(7, 3, i) - 0.5;
        ASSERT_GE(x, -0.5);
        ASSERT_LT(x, 0.5);
        mean += x / count;
        square += x * x / count;
        neighbours += x * (random_fraction(7, 3, i + 1) - 0.5) / count;
        streams += x * (random_fraction(7, 4, i) - 0.5) / count;
        keys += x * (random_fraction(8, 3, i) - 0.5) / count;
    }
    const double deviation = std::sqrt(1 / 12.0 / count);
    EXPECT_LT(std::abs(mean), 5 * deviation);
    EXPECT_NEAR(square, 1 / 12.0, 5 * std::sqrt(1 / 180.0 / count));
    for (const double product : {neighbours, streams, keys}) {
        EXPECT_LT(std::abs(product), 5 / 12.0 / std::sqrt(1.0 * count));
    }
}

} // namespace
} // namespace tensorloom::test
