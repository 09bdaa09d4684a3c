#include <tensorloom/models/arithmetic/pointwise.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/pointwise_kernel.h>

namespace tensorloom::test {
namespace {

using arithmetic::pointwise_kernel;
using arithmetic::pointwise_operation;
using arithmetic::pointwise_step;

template <class R> class pointwise_kernels : public testing::Test {
protected:
    // Zeros of both signs, infinities, NaN with other bits, the smallest and the largest numbers among random ones.
    static std::vector<R> numbers(unsigned seed)
    {
        using limits = std::numeric_limits<R>;
        const R special[] = {
            R(0),          -R(0),         limits::infinity(),   -limits::infinity(),   -limits::quiet_NaN(),
            limits::min(), limits::max(), limits::denorm_min(), -limits::denorm_min(), R(1)};
        std::mt19937 random(seed);
        std::vector<R> values(1003);
        for (auto& v : values) {
            v = random() % 3 == 0 ? special[random() % std::size(special)]
                                  : static_cast<R>(static_cast<double>(random()) / 2147483648.0 - 1);
        }
        return values;
    }
    static bool same_bits(const std::vector<R>& a, const std::vector<R>& b)
    {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(R)) == 0;
    }
};
using reals = testing::Types<double, float>;
TYPED_TEST_SUITE(pointwise_kernels, reals);

TYPED_TEST(pointwise_kernels, have_the_bits_and_counts_of_the_step_on_one_element)
{
    const auto x = this->numbers(1), b = this->numbers(2);
    for (const bool esop : {false, true}) {
        for (const TypeParam value :
             {TypeParam(1), TypeParam(-0.3), TypeParam(0), -std::numeric_limits<TypeParam>::max()}) {
            for (const auto operation :
                 {pointwise_operation::multiply, pointwise_operation::scale, pointwise_operation::add}) {
                pointwise_step<TypeParam> step;
                step.operation = operation;
                step.value = value;
                step.esop = esop;
                auto expected = x;
                std::uint64_t macs = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    bool multiplied = false;
                    expected[i] = arithmetic::pointwise(step, x[i], b[i], multiplied);
                    macs += multiplied ? 1 : 0;
                }
                for (const auto* kernel : arithmetic::runnable_kernels<pointwise_kernel<TypeParam>>()) {
                    auto found = x;
                    const auto n = found.size();
                    const auto done =
                        operation == pointwise_operation::multiply ? kernel->multiply(found.data(), b.data(), n, esop)
                        : operation == pointwise_operation::scale  ? kernel->scale(found.data(), value, n, esop)
                                                                  : kernel->add(found.data(), b.data(), value, n, esop);
                    EXPECT_TRUE(this->same_bits(found, expected))
                        << kernel->name << " " << int(operation) << " " << value;
                    EXPECT_EQ(done, macs) << kernel->name << " " << int(operation) << " " << value;
                }
            }
        }
    }
}

} // namespace
} // namespace tensorloom::test
