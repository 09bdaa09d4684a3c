// The scans of every kernel against a loop over the elements' classes.
#include <cmath>
#include <limits>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/ordered_gemm.h>

namespace tensorloom::test {
namespace {

template <class R> class scan_test : public testing::Test {
protected:
    using limits = std::numeric_limits<R>;

    // Zeros, denormals, ordinary numbers; with `wild` also infinities and NaNs.
    std::vector<R> values(std::size_t n, bool wild)
    {
        const R calm_values[] = {R(0),          -R(0), limits::denorm_min(), -limits::denorm_min(),
                                 limits::min(), R(1),  -limits::max()};
        const R wild_values[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN()};
        std::vector<R> v(n);
        for (auto& x : v) { x = calm_values[m_random() % 7]; }
        if (wild && n > 0) { v[m_random() % n] = wild_values[m_random() % 4]; }
        return v;
    }
    static bool finite(const std::vector<R>& v)
    {
        for (R x : v) {
            if (!std::isfinite(x)) { return false; }
        }
        return true;
    }

    std::mt19937 m_random{7};
};

using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(scan_test, reals);

TYPED_TEST(scan_test, row_counts_elements_that_are_not_zero)
{
    for (const auto* kernel : arithmetic::gemm_kernels<TypeParam>()) {
        for (std::size_t n = 0; n <= 80; ++n) {
            const auto re = this->values(n, n % 3 == 0);
            const auto im = this->values(n, n % 5 == 0);
            std::uint64_t expected = 0;
            for (std::size_t k = 0; k < n; ++k) { expected += re[k] != 0 || im[k] != 0 ? 1 : 0; }
            bool finite = true;
            EXPECT_EQ(kernel->scan_row(re.data(), im.data(), n, &finite), expected) << kernel->name << " " << n;
            EXPECT_EQ(finite, this->finite(re) && this->finite(im)) << kernel->name << " " << n;
        }
    }
}

TYPED_TEST(scan_test, columns_add_to_their_counts)
{
    for (const auto* kernel : arithmetic::gemm_kernels<TypeParam>()) {
        for (std::size_t n = 0; n <= 80; ++n) {
            const auto re = this->values(n, n % 3 == 0);
            const auto im = this->values(n, n % 5 == 0);
            std::vector<std::uint32_t> counts(n + 1, 100);
            std::vector<std::uint32_t> expected(n + 1, 100);
            for (std::size_t k = 0; k < n; ++k) { expected[k] += re[k] != 0 || im[k] != 0 ? 1 : 0; }
            bool finite = true;
            kernel->scan_columns(re.data(), im.data(), n, counts.data(), &finite);
            EXPECT_EQ(counts, expected) << kernel->name << " " << n;
            EXPECT_EQ(finite, this->finite(re) && this->finite(im)) << kernel->name << " " << n;
        }
    }
}

TYPED_TEST(scan_test, real_elements_are_given_twice)
{
    for (const auto* kernel : arithmetic::gemm_kernels<TypeParam>()) {
        const std::vector<TypeParam> v{0, 1, -TypeParam(0), 2};
        bool finite = true;
        EXPECT_EQ(kernel->scan_row(v.data(), v.data(), 4, &finite), 2u) << kernel->name;
    }
}

TYPED_TEST(scan_test, each_single_wild_value_is_seen)
{
    using numbers = std::numeric_limits<TypeParam>;
    for (const auto* kernel : arithmetic::gemm_kernels<TypeParam>()) {
        for (TypeParam wild :
             {numbers::infinity(), -numbers::infinity(), numbers::quiet_NaN(), -numbers::quiet_NaN()}) {
            for (std::size_t at = 0; at < 40; ++at) {
                const std::vector<TypeParam> calm(40, numbers::max());
                auto spoilt = calm;
                spoilt[at] = wild;
                std::vector<std::uint32_t> counts(40, 0);
                bool re_finite = true;
                bool im_finite = true;
                kernel->scan_row(spoilt.data(), calm.data(), 40, &re_finite);
                kernel->scan_columns(calm.data(), spoilt.data(), 40, counts.data(), &im_finite);
                EXPECT_FALSE(re_finite) << kernel->name << " " << at;
                EXPECT_FALSE(im_finite) << kernel->name << " " << at;
            }
        }
    }
}

TYPED_TEST(scan_test, finite_values_leave_the_mark_as_it_is)
{
    for (const auto* kernel : arithmetic::gemm_kernels<TypeParam>()) {
        const std::vector<TypeParam> v(5, TypeParam(1));
        std::vector<std::uint32_t> counts(5, 0);
        bool finite = false;
        kernel->scan_row(v.data(), v.data(), 5, &finite);
        kernel->scan_columns(v.data(), v.data(), 5, counts.data(), &finite);
        EXPECT_FALSE(finite) << kernel->name;
    }
}

} // namespace
} // namespace tensorloom::test
