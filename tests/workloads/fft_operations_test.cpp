#include <tensorloom/workloads/transform.h>

#include <gmock/gmock.h>

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using workloads::operations_of_fft;

TEST(fft_operations, powers_of_two)
{
    const auto complex = operations_of_fft({2, 4, 8}, {2, 4, 8}, true); // 64 points; log2 64 = 1 + 2 + 3
    EXPECT_THAT(complex.by_mode, ElementsAre(320, 640, 960));
    EXPECT_EQ(complex.total, 1920);
    EXPECT_EQ(operations_of_fft({2, 4, 8}, {2, 4, 8}, false).total, 960);
}

TEST(fft_operations, any_size)
{
    const auto operations = operations_of_fft({96, 1, 5}, {96, 1, 5}, true);
    EXPECT_NEAR(operations.total, 5 * 480 * 8.906890595608518, 1e-9); // log2 480
    EXPECT_EQ(operations.by_mode[1], 0);
}

TEST(fft_operations, rectangular_problems_count_their_larger_sizes)
{
    EXPECT_THAT(operations_of_fft({2, 8, 4}, {4, 1, 4}, false).by_mode, ElementsAre(640, 960, 640)); // 4 x 8 x 4
}

TEST(fft_operations, a_multiply_add_is_two_operations_and_of_complex_numbers_eight)
{
    EXPECT_EQ(workloads::operations_per_mac(false), 2);
    EXPECT_EQ(workloads::operations_per_mac(true), 8);
}

} // namespace
} // namespace tensorloom::test
