#include <tensorloom/workloads/contraction/reference.h>
#include <cmath>
#include <limits>
#include <utility>
#include <gtest/gtest.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

// Every index by itself: "kbi,jkb->ijb".
TEST(contraction_reference_test, sums_products_over_the_contracted_modes)
{
    const std::size_t nk = 5, nb = 2, ni = 3, nj = 4;
    const contraction p = parse_einsum("kbi,jkb->ijb", "k=5,b=2,i=3,j=4");
    std::vector<float> a(nk * nb * ni), b(nj * nk * nb);
    for (std::size_t e = 0; e < a.size(); ++e) { a[e] = static_cast<float>(e % 7) - 3; }
    for (std::size_t e = 0; e < b.size(); ++e) { b[e] = static_cast<float>(e % 5) - 2; }
    const auto result = contract_in_double(p, a, b);
    for (std::size_t i = 0; i < ni; ++i) {
        for (std::size_t j = 0; j < nj; ++j) {
            for (std::size_t g = 0; g < nb; ++g) {
                double sum = 0, magnitude = 0;
                for (std::size_t k = 0; k < nk; ++k) {
                    const double product = double{a[(k * nb + g) * ni + i]} * b[(j * nk + k) * nb + g];
                    sum += product;
                    magnitude += std::fabs(product);
                }
                EXPECT_EQ(result.c[(i * nj + j) * nb + g], sum);
                EXPECT_EQ(result.magnitude[(i * nj + j) * nb + g], magnitude);
            }
        }
    }
}

class contraction_bound : public testing::Test {
protected:
    bool passes(float found, element_type psum, element_type store) const
    {
        return check_contraction({{100.0}, {200.0}}, {found}, 8, psum, store).passed;
    }
};

// 2^-23 x (8 + 32) x 200 and 2^-8 x ...
TEST_F(contraction_bound, grows_with_the_format_and_the_sum_of_magnitudes)
{
    const float step = std::nextafter(100.0f, 200.0f) - 100.0f; // 2^-17: 125 of them are allowed
    EXPECT_TRUE(passes(100.0f + 125 * step, element_type::f32, element_type::f32));
    EXPECT_FALSE(passes(100.0f + 126 * step, element_type::f32, element_type::f32));
    EXPECT_TRUE(passes(131.25f, element_type::bf16, element_type::f32));
    EXPECT_FALSE(passes(131.3f, element_type::bf16, element_type::f32));
    EXPECT_TRUE(passes(131.3f, element_type::bf16, element_type::bf16)); // 100 x 2^-8 more
    EXPECT_FALSE(passes(131.7f, element_type::bf16, element_type::bf16));
}

TEST_F(contraction_bound, not_a_number_is_no_pass)
{
    EXPECT_FALSE(passes(std::numeric_limits<float>::quiet_NaN(), element_type::bf16, element_type::bf16));
    EXPECT_FALSE(passes(std::numeric_limits<float>::infinity(), element_type::bf16, element_type::bf16));
}

TEST_F(contraction_bound, that_is_not_finite_passes_nothing_but_the_number_itself)
{
    const contraction_reference unbounded{{1.0}, {std::numeric_limits<double>::infinity()}};
    EXPECT_TRUE(check_contraction(unbounded, {1.0f}, 8, element_type::f32, element_type::f32).passed);
    EXPECT_FALSE(check_contraction(unbounded, {2.0f}, 8, element_type::f32, element_type::f32).passed);
}

TEST_F(contraction_bound, a_sum_of_zeros_is_zero)
{
    const contraction_reference zero{{0.0}, {0.0}};
    EXPECT_TRUE(check_contraction(zero, {-0.0f}, 8, element_type::bf16, element_type::bf16).passed);
    EXPECT_FALSE(check_contraction(zero, {1e-30f}, 8, element_type::bf16, element_type::bf16).passed);
}

class contraction_range : public testing::Test {
protected:
    static constexpr float infinite = std::numeric_limits<float>::infinity();
    static constexpr float nan = std::numeric_limits<float>::quiet_NaN();

    bool passes(double reference, double magnitude, float found, element_type psum, element_type store) const
    {
        return check_contraction({{reference}, {magnitude}}, {found}, 8, psum, store).passed;
    }
};

// (8 + 32) x 2^-149, or 2^-133 where a format is bf16.
TEST_F(contraction_range, below_the_smallest_number_an_absolute_floor_holds)
{
    EXPECT_TRUE(passes(1e-50, 1e-50, 0x28p-149f, element_type::f32, element_type::f32));
    EXPECT_FALSE(passes(1e-50, 1e-50, 0x29p-149f, element_type::f32, element_type::f32));
    for (const auto& [psum, store] :
         {std::pair(element_type::bf16, element_type::f32), std::pair(element_type::f32, element_type::bf16)}) {
        EXPECT_TRUE(passes(1e-50, 1e-50, 0x28p-133f, psum, store));
        EXPECT_FALSE(passes(1e-50, 1e-50, 0x29p-133f, psum, store));
    }
}

TEST_F(contraction_range, beyond_the_largest_number_an_infinity_of_the_same_sign_is_right)
{
    const auto f32 = element_type::f32, bf16 = element_type::bf16;
    EXPECT_TRUE(passes(-1e39, 1e39, -infinite, f32, f32));
    EXPECT_FALSE(passes(-1e39, 1e39, infinite, f32, f32));
    EXPECT_FALSE(passes(-1e39, 1e39, nan, f32, f32));
    EXPECT_FALSE(passes(3e38, 3e38, infinite, f32, f32));
    EXPECT_FALSE(passes(3.395e38, 3.395e38, infinite, f32, f32));
    EXPECT_TRUE(passes(3.395e38, 3.395e38, infinite, f32, bf16)); // the largest bf16 is 3.3895e38
    EXPECT_TRUE(passes(3.395e38, 3.395e38, infinite, bf16, f32));
}

TEST_F(contraction_range, what_is_no_number_must_be_at_the_same_places)
{
    const auto f32 = element_type::f32;
    EXPECT_TRUE(passes(nan, 1, nan, f32, f32));
    EXPECT_FALSE(passes(nan, 1, 0, f32, f32));
    EXPECT_FALSE(passes(nan, 1, infinite, f32, f32));
    EXPECT_TRUE(passes(infinite, 1, infinite, f32, f32));
    EXPECT_FALSE(passes(infinite, 1, -infinite, f32, f32));
    EXPECT_FALSE(passes(infinite, 1, 1, f32, f32));
    EXPECT_FALSE(passes(infinite, 1, nan, f32, f32));
    EXPECT_TRUE(passes(infinite, 1e39, nan, f32, f32)); // finite products make the other infinity
    EXPECT_EQ(check_contraction({{nan, 1, infinite}, {0, 1, 0}}, {nan, 1, infinite}, 8, f32, f32).not_finite, 2u);
}

TEST_F(contraction_range, magnitudes_are_those_of_finite_products)
{
    const auto found = contract_in_double(parse_einsum("i,i->", "i=3"), {infinite, 2, 3}, {1, -1, 1});
    EXPECT_EQ(found.c[0], infinite);
    EXPECT_EQ(found.magnitude[0], 5);
}

TEST_F(contraction_bound, names_the_worst_element)
{
    const contraction_reference three{{1.0, 2.0, 4.0}, {1.0, 2.0, 4.0}};
    const auto check = check_contraction(three, {1.0f, 2.5f, 4.25f}, 1, element_type::f32, element_type::f32);
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.worst, 1u);
    EXPECT_EQ(check.max_abs_error, 0.5);
    EXPECT_EQ(check.max_rel_error, 0.25);
}

} // namespace
} // namespace tensorloom::workloads
