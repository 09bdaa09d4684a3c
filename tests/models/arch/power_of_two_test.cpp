// Powers of two and what lies between them.
#include <gtest/gtest.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::test {
namespace {

TEST(power_of_two, has_its_logarithm)
{
    EXPECT_FALSE(arch::is_power_of_two(0));
    for (unsigned bits = 0; bits < 64; ++bits) {
        EXPECT_TRUE(arch::is_power_of_two(std::uint64_t{1} << bits));
        EXPECT_EQ(arch::log2_of(std::uint64_t{1} << bits), bits);
        if (bits > 1) { EXPECT_FALSE(arch::is_power_of_two((std::uint64_t{1} << bits) + 1)); }
    }
}

} // namespace
} // namespace tensorloom::test
