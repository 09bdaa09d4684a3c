#include <cstdint>
#include <random>
#include <vector>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using boost::multiprecision::cpp_int;
using mmv::event;
using namespace workloads;
using whole = std::vector<std::int64_t>;

cpp_int number_of(const whole& limbs)
{
    cpp_int n = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) { n = (n << 16) + limbs[i]; }
    return n;
}

whole limbs_of(cpp_int n, std::size_t count)
{
    whole limbs;
    for (std::size_t i = 0; i < count; ++i, n >>= 16) { limbs.push_back(static_cast<std::int64_t>(n & 0xffff)); }
    EXPECT_EQ(n, 0);
    return limbs;
}

TEST(long_product, is_that_of_multiprecision_integers)
{
    std::mt19937_64 source(1);
    for (const std::uint32_t q : {2u, 3u, 4u, 8u}) {
        checked_machine machine(q, element_type::int64, 1u << 20);
        for (std::uint64_t n = 1; n <= 40; n += 1 + n / 5) {
            for (const bool largest : {false, true}) {
                const whole x = random_whole(source, n, largest ? 65535 : 0, 65535);
                const whole y = random_whole(source, n, largest ? 65535 : 0, 65535);
                const whole expected = limbs_of(number_of(x) * number_of(y), 2 * n);
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = long_product(machine, shape, x, y, n);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n;
                    ASSERT_EQ(cost_of(r), long_product_cost(n, q, shape));
                }
                for (const std::uint64_t cutoff : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{16}}) {
                    const auto r = karatsuba_product(machine, call_shape::tall, x, y, n, cutoff);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n << " " << cutoff;
                    ASSERT_EQ(cost_of(r), karatsuba_cost(n, cutoff, q, call_shape::tall));
                    const auto scalar = karatsuba_product_scalar(machine, x, y, n, cutoff);
                    ASSERT_EQ(std::get<whole>(scalar.values), expected) << n << " " << cutoff;
                    ASSERT_EQ(cost_of(scalar), scalar_karatsuba_cost(n, cutoff));
                }
                const auto scalar = long_product_scalar(machine, x, y, n);
                ASSERT_EQ(std::get<whole>(scalar.values), expected);
                ASSERT_EQ(cost_of(scalar), (tensor_unit_cost{0, 0, 2 * n * n + 6 * n}));
            }
        }
    }
}

TEST(long_product, of_unbalanced_numbers_takes_every_sign_in_karatsuba)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    const whole low{1, 2, 65535, 65535, 0, 0, 0, 0}, high{0, 0, 0, 0, 7, 65535, 65535, 1}, even(8, 65535);
    for (const auto& x : {low, high, even}) {
        for (const auto& y : {low, high, even}) {
            EXPECT_EQ(std::get<whole>(karatsuba_product(machine, call_shape::tall, x, y, 8, 2).values),
                      limbs_of(number_of(x) * number_of(y), 16));
        }
    }
}

TEST(long_product, karatsuba_on_the_processor_beats_the_schoolbook_there)
{
    for (const std::uint64_t n : {64u, 256u, 4096u}) {
        const auto best = best_scalar_karatsuba_cutoff(n);
        EXPECT_EQ(best, 16u) << n;
        for (std::uint64_t cutoff = 1; cutoff <= n; cutoff *= 2) {
            EXPECT_LE(scalar_karatsuba_cost(n, best).cpu_ops, scalar_karatsuba_cost(n, cutoff).cpu_ops) << cutoff;
        }
        EXPECT_LT(scalar_karatsuba_cost(n, best).cpu_ops, 2 * n * n + 6 * n);
    }
    // 3^k leaves of 16 limbs, 8 n (3 / 2)^j on the way down.
    EXPECT_EQ(scalar_karatsuba_cost(64, 16).cpu_ops, 9u * (2 * 256 + 96) + 8u * 64 + 3u * 8 * 32);
    EXPECT_EQ(best_scalar_karatsuba_cutoff(10), 10u);
}

TEST(long_product, residue_is_that_of_the_number)
{
    std::mt19937_64 source(2);
    const whole x = random_whole(source, 50, 0, 65535);
    EXPECT_EQ(residue_of_limbs(x), static_cast<std::uint64_t>(number_of(x) % 2147483647));
}

TEST(long_product, refuses_what_is_no_limb)
{
    checked_machine machine(4, element_type::int64, 1u << 20), narrow(4, element_type::int32, 1u << 20);
    EXPECT_THROW(long_product(machine, call_shape::tall, whole{65536}, whole{1}, 1), base::input_error);
    EXPECT_THROW(long_product(machine, call_shape::tall, whole{1}, whole{-1}, 1), base::input_error);
    EXPECT_THROW(long_product(machine, call_shape::tall, whole{1}, whole{1, 2}, 1), base::input_error);
    EXPECT_THROW(long_product(narrow, call_shape::tall, whole{1}, whole{1}, 1), base::input_error);
    EXPECT_THROW(karatsuba_product(machine, call_shape::tall, whole{1}, whole{1}, 1, 0), base::input_error);
}

// ---- the operand layout that the paper prints ----

// x y on the host as the paper has it: T = A' B', B'[t][j] = y[n-1-t-jq], summed by h = 2(n-1) - i - jq. Row i of A'
// begins with limb n-i-1; `step` is the direction in which it goes on: -1 as printed, +1 corrected.
cpp_int product_by_layout(const whole& x, const whole& y, std::int64_t q, std::int64_t step)
{
    const auto n = static_cast<std::int64_t>(x.size());
    const auto limb = [n](const whole& number, std::int64_t i) {
        return i >= 0 && i < n ? number[static_cast<std::size_t>(i)] : 0;
    };
    cpp_int sum = 0;
    for (std::int64_t i = 0; i < n + q - 1; ++i) {
        for (std::int64_t j = 0; j * q < n; ++j) {
            cpp_int t_ij = 0;
            for (std::int64_t t = 0; t < q; ++t) { t_ij += limb(x, n - i - 1 + step * t) * limb(y, n - 1 - t - j * q); }
            const std::int64_t h = 2 * (n - 1) - i - j * q;
            if (h >= 0) { sum += t_ij << static_cast<unsigned>(16 * h); }
        }
    }
    return sum;
}

TEST(printed_operand_layout, is_no_convolution)
{
    std::mt19937_64 source(3);
    for (const std::int64_t q : {2, 4, 8}) {
        for (std::uint64_t n = 2; n <= 9; ++n) {
            const whole x = random_whole(source, n, 1, 65535), y = random_whole(source, n, 1, 65535);
            const cpp_int expected = number_of(x) * number_of(y);
            EXPECT_EQ(product_by_layout(x, y, q, 1), expected) << q << " " << n;
            EXPECT_NE(product_by_layout(x, y, q, -1), expected) << q << " " << n;
        }
    }
}

// ---- polynomials ----

TEST(polynomial_evaluation, is_that_of_exact_powers)
{
    std::mt19937_64 source(4);
    for (const std::uint32_t q : {2u, 3u, 4u, 16u}) {
        checked_machine machine(q, element_type::int64, 1u << 20);
        for (const std::uint64_t n : {1, 2, 5, 16, 17, 50}) {
            for (const std::uint64_t p : {1, 3, 20}) {
                const whole a = random_whole(source, n, 0, 1008);
                whole x = random_whole(source, p, 0, 1008), expected;
                x[0] = 0;
                for (const std::int64_t at : x) {
                    cpp_int sum = 0, power = 1;
                    for (const std::int64_t c : a) {
                        sum += c * power;
                        power *= at;
                    }
                    expected.push_back(static_cast<std::int64_t>(sum % 1009));
                }
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = evaluate_polynomial(machine, shape, a, x);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n << " " << p;
                    ASSERT_EQ(cost_of(r), polynomial_cost(n, p, q, shape));
                }
                const auto scalar = evaluate_polynomial_scalar(machine, a, x);
                ASSERT_EQ(std::get<whole>(scalar.values), expected);
                ASSERT_EQ(cost_of(scalar), (tensor_unit_cost{0, 0, 2 * n * p}));
            }
        }
    }
}

TEST(polynomial_evaluation, refuses_numbers_outside_of_the_field)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    EXPECT_THROW(evaluate_polynomial(machine, call_shape::tall, whole{1009}, whole{1}), base::input_error);
    EXPECT_THROW(evaluate_polynomial(machine, call_shape::tall, whole{1}, whole{-1}), base::input_error);
    EXPECT_THROW(evaluate_polynomial(machine, call_shape::tall, whole{}, whole{1}), base::input_error);
}

} // namespace
} // namespace tensorloom::test
