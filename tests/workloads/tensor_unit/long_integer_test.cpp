#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include <tensorloom/workloads/tensor_unit/value_check.h>
#include "support/message_of.h"
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using boost::multiprecision::cpp_int;
using mmv::event;
using namespace workloads;
using whole = std::vector<std::int64_t>;

cpp_int number_of(const whole& limbs, unsigned bits = 16)
{
    cpp_int n = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) { n = (n << bits) + limbs[i]; }
    return n;
}

whole limbs_of(cpp_int n, std::size_t count, unsigned bits = 16)
{
    whole limbs;
    const cpp_int base = cpp_int(1) << bits;
    for (std::size_t i = 0; i < count; ++i, n >>= bits) { limbs.push_back(static_cast<std::int64_t>(n % base)); }
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

// Every width of a limb, up to the longest number whose sums fit in a word: its largest sum, n (2^(kappa/4) - 1)^2, is
// below 2^(kappa-1), that of one limb more is not.
TEST(long_product, has_limbs_of_a_quarter_of_a_word)
{
    std::mt19937_64 source(5);
    checked_machine machine(4, element_type::int64, 1u << 20);
    for (std::uint64_t kappa = 4; kappa <= 64; kappa += 4) {
        const auto bits = static_cast<unsigned>(kappa / 4);
        const cpp_int largest = (cpp_int(1) << bits) - 1, word = cpp_int(1) << static_cast<unsigned>(kappa - 1);
        const std::uint64_t most = most_limb_products(kappa);
        EXPECT_LT(most * largest * largest, word) << kappa;
        EXPECT_GE((most + 1) * largest * largest, word) << kappa;
        const std::uint64_t n = std::min<std::uint64_t>(most, 37);
        const auto top = static_cast<std::int64_t>(largest);
        for (const std::int64_t least : {std::int64_t{0}, top}) {
            const whole x = random_whole(source, n, least, top), y = random_whole(source, n, least, top);
            const whole expected = limbs_of(number_of(x, bits) * number_of(y, bits), 2 * n, bits);
            const auto terms = call_shape::tall;
            const auto r = long_product(machine, terms, x, y, n, kappa);
            EXPECT_EQ(std::get<whole>(r.values), expected) << kappa;
            EXPECT_EQ(cost_of(r), long_product_cost(n, 4, terms)) << "limbs cost the same whatever their width";
            EXPECT_EQ(std::get<whole>(long_product_scalar(machine, x, y, n, kappa).values), expected) << kappa;
            EXPECT_EQ(std::get<whole>(karatsuba_product(machine, terms, x, y, n, 2, kappa).values), expected) << kappa;
            EXPECT_EQ(std::get<whole>(karatsuba_product_scalar(machine, x, y, n, 1, charge_table::v1, kappa).values),
                      expected)
                << kappa;
        }
    }
}

TEST(long_product, refuses_words_that_do_not_hold_its_sums)
{
    checked_machine machine(4, element_type::int64, 1u << 20);
    const whole short_number(14, 3), long_number(15, 3); // 14 x 9 < 128
    EXPECT_NO_THROW(long_product(machine, call_shape::tall, short_number, short_number, 14, 8));
    EXPECT_EQ(message_of([&] { long_product(machine, call_shape::tall, long_number, long_number, 15, 8); }),
              "limbs of a product without divisions: found 15, expected at most 14, whose sums fit in words of kappa = "
              "8 bits");
    EXPECT_NO_THROW(karatsuba_product(machine, call_shape::tall, long_number, long_number, 15, 14, 8));
    EXPECT_THROW(karatsuba_product(machine, call_shape::tall, long_number, long_number, 15, 15, 8), base::input_error);
    EXPECT_THROW(long_product(machine, call_shape::tall, whole{4}, whole{1}, 1, 8), base::input_error);
    for (const std::uint64_t kappa : {0, 2, 6, 68}) {
        EXPECT_THROW(long_product(machine, call_shape::tall, whole{1}, whole{1}, 1, kappa), base::input_error);
    }
    EXPECT_EQ(best_scalar_karatsuba_cutoff(64, charge_table::v1, 8), 8u);
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

// Calls and operations counted in other words than the closed form's.
tensor_unit_cost plain_cost(std::uint64_t n, std::uint64_t p, std::uint64_t q, bool weak)
{
    tensor_unit_cost cost;
    for (std::uint64_t first = 0; first < n; first += q * q) { // a group of columns
        const std::uint64_t rows = p < q ? q : weak ? (p + q - 1) / q * q : p;
        cost.calls += weak ? rows / q : 1;
        cost.rows += rows;
    }
    for (std::uint64_t power = 1; power <= q && power < n; ++power) { cost.cpu_ops += p; } // x^q, too, if n > q
    for (std::uint64_t first = 0; first < n; first += q) { cost.cpu_ops += 2 * p; }
    return cost;
}

TEST(plain_polynomial, of_whole_numbers_is_exact)
{
    std::mt19937_64 source(6);
    for (const std::uint32_t q : {2u, 3u, 4u, 16u}) {
        checked_machine machine(q, element_type::int64, 1u << 20);
        for (const std::uint64_t n : {1, 2, 5, 16, 17, 20, 37}) {
            for (const std::uint64_t p : {1, 3, 20}) {
                const whole a = random_whole(source, n, -500, 500);
                const std::int64_t most = n <= 5 ? 1000 : n <= 20 ? 5 : 2; // values below 2^63
                const whole x = random_whole(source, p, -most, most);
                whole expected;
                for (const std::int64_t at : x) {
                    cpp_int sum = 0, power = 1;
                    for (const std::int64_t c : a) {
                        sum += c * power;
                        power *= at;
                    }
                    expected.push_back(static_cast<std::int64_t>(sum));
                }
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = evaluate_plain_polynomial(machine, shape, a, x);
                    ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n << " " << p;
                    ASSERT_EQ(cost_of(r), plain_polynomial_cost(n, p, q, shape)) << q << " " << n << " " << p;
                    ASSERT_EQ(cost_of(r), plain_cost(n, p, q, shape == call_shape::square));
                }
                const auto scalar = evaluate_plain_polynomial_scalar(machine, a, x);
                ASSERT_EQ(std::get<whole>(scalar.values), expected);
                ASSERT_EQ(cost_of(scalar), (tensor_unit_cost{0, 0, 2 * n * p}));
                tensor_unit_problem problem;
                const std::vector<tensor_unit_input> inputs{{"coefficients", {n}, a}, {"points", {p}, x}};
                ASSERT_EQ(std::get<whole>(find_tensor_unit_algorithm("polynomial").reference(problem, inputs)),
                          expected);
            }
        }
    }
}

TEST(plain_polynomial, of_real_numbers_is_within_its_bound_and_forms_no_power_that_it_does_not_need)
{
    std::mt19937_64 source(7);
    std::uniform_real_distribution<double> any(-1, 1);
    const auto numbers = [&](std::uint64_t n, double scale) {
        std::vector<double> all(n);
        for (double& x : all) { x = static_cast<double>(static_cast<float>(scale * any(source))); }
        return all;
    };
    for (const auto* name : {"polynomial", "polynomial_scalar"}) {
        const auto& algorithm = find_tensor_unit_algorithm(name);
        for (const auto format : {element_type::f64, element_type::f32}) {
            checked_machine machine(4, format, 1u << 20);
            for (const auto& [n, scale] : {std::pair(50u, 1.0), std::pair(9u, 30.0), std::pair(3u, 1e12),
                                           std::pair(40u, 1e-3), std::pair(40u, 1e-8)}) {
                tensor_unit_problem problem;
                problem.size = n;
                problem.points = 12;
                const std::vector<tensor_unit_input> inputs{{"coefficients", {n}, numbers(n, 10)},
                                                            {"points", {12}, numbers(12, scale)}};
                auto r = algorithm.run(machine, problem, inputs);
                const auto check = check_values(algorithm, problem, inputs, r.values, 4, format);
                EXPECT_TRUE(check.passed) << name << " " << n << " " << scale << " " << check.worst_of_bound;
                EXPECT_EQ(check.bounded, "gamma sum |a| |x|^i");
                auto& values = std::get<std::vector<double>>(r.values);
                const auto largest = std::max_element(values.begin(), values.end());
                *largest *= format == element_type::f32 ? 1 + 1e-3 : 1 + 1e-12;
                if (n == 3) { EXPECT_FALSE(check_values(algorithm, problem, inputs, r.values, 4, format).passed); }
            }
        }
    }
    // Two coefficients: no x^2, which would be infinite.
    checked_machine machine(4, element_type::f64, 1u << 20);
    const std::vector<double> a{1, 2}, x{1e200};
    EXPECT_EQ(std::get<std::vector<double>>(evaluate_plain_polynomial(machine, call_shape::tall, a, x).values),
              std::vector<double>{2e200});
}

TEST(plain_polynomial, ends_at_a_value_beyond_a_word_and_refuses_empty_operands)
{
    checked_machine machine(4, element_type::int64, 1u << 20), complex(4, element_type::c128, 1u << 20);
    const auto evaluate = [](checked_machine& on, const whole& a, const whole& x) {
        return evaluate_plain_polynomial(on, call_shape::tall, a, x);
    };
    EXPECT_ANY_THROW(evaluate(machine, whole(5, 1), whole{1 << 20}));
    EXPECT_THROW(evaluate(machine, whole{}, whole{1}), base::input_error);
    EXPECT_THROW(evaluate(machine, whole{1}, whole{}), base::input_error);
    EXPECT_THROW(evaluate(complex, whole{1}, whole{1}), base::input_error);
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
