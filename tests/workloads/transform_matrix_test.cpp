#include <tensorloom/workloads/transform.h>

#include <cmath>
#include <functional>
#include <set>

#include <fftw3.h>
#include <gmock/gmock.h>

#include <tensorloom/models/arithmetic/bfloat16.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using workloads::normalization;
using workloads::parse_transform;
using workloads::transform_matrix;
using c128 = std::complex<double>;
using c64 = std::complex<float>;

constexpr auto orthonormal = normalization::orthonormal;
constexpr auto backward = normalization::backward;

template <class T> std::vector<T> forward(const char* name, std::size_t n, normalization scaling)
{
    return transform_matrix<T>(parse_transform(name), n, n, scaling, false);
}
template <class T> std::vector<T> inverse(const char* name, std::size_t n, normalization scaling)
{
    return transform_matrix<T>(parse_transform(name), n, n, scaling, true);
}

// Largest deviation of a b from the identity.
template <class T> double off_identity(const std::vector<T>& a, const std::vector<T>& b, std::size_t n)
{
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            std::complex<long double> sum = 0;
            for (std::size_t k = 0; k < n; ++k) {
                sum += std::complex<long double>(a[i * n + k]) * std::complex<long double>(b[k * n + j]);
            }
            worst = std::max(worst, static_cast<double>(std::abs(sum - std::complex<long double>(i == j))));
        }
    }
    return worst;
}

class transform_matrix_of_size : public testing::TestWithParam<int> {
protected:
    const int n = GetParam();
    const std::size_t m_size = static_cast<std::size_t>(n);

    // FFTW's transform of every unit vector: row by row the forward matrix.
    void expect_fftw(const char* name, fftw_r2r_kind kind) const
    {
        std::vector<double> in(m_size), out(m_size);
        const auto plan = fftw_plan_r2r_1d(n, in.data(), out.data(), kind, FFTW_ESTIMATE);
        const auto matrix = forward<double>(name, m_size, backward);
        for (std::size_t row = 0; row < m_size; ++row) {
            std::fill(in.begin(), in.end(), 0.0);
            in[row] = 1;
            fftw_execute(plan);
            for (std::size_t k = 0; k < m_size; ++k) {
                ASSERT_NEAR(matrix[row * m_size + k], out[k], 1e-14) << row << ", " << k;
            }
        }
        fftw_destroy_plan(plan);
    }
};

TEST_P(transform_matrix_of_size, backward_dct_is_fftw_redft10) { expect_fftw("dct", FFTW_REDFT10); }
TEST_P(transform_matrix_of_size, backward_dst_is_fftw_rodft10) { expect_fftw("dst", FFTW_RODFT10); }
TEST_P(transform_matrix_of_size, backward_dht_is_fftw_dht) { expect_fftw("dht", FFTW_DHT); }

TEST_P(transform_matrix_of_size, backward_dft_is_fftw_forward)
{
    std::vector<c128> in(m_size), out(m_size);
    const auto plan = fftw_plan_dft_1d(n, reinterpret_cast<fftw_complex*>(in.data()),
                                       reinterpret_cast<fftw_complex*>(out.data()), FFTW_FORWARD, FFTW_ESTIMATE);
    const auto matrix = forward<c128>("dft", m_size, backward);
    for (std::size_t row = 0; row < m_size; ++row) {
        std::fill(in.begin(), in.end(), 0.0);
        in[row] = 1;
        fftw_execute(plan);
        for (std::size_t k = 0; k < m_size; ++k) {
            ASSERT_LT(std::abs(matrix[row * m_size + k] - out[k]), 1e-14) << row << ", " << k;
        }
    }
    fftw_destroy_plan(plan);
}

TEST_P(transform_matrix_of_size, inverse_is_the_inverse_in_both_scalings)
{
    for (auto scaling : {orthonormal, backward}) {
        for (const char* name : {"dht", "dct", "dst", "identity"}) {
            EXPECT_LT(
                off_identity(forward<double>(name, m_size, scaling), inverse<double>(name, m_size, scaling), m_size),
                1e-14)
                << name;
        }
        EXPECT_LT(off_identity(forward<c128>("dft", m_size, scaling), inverse<c128>("dft", m_size, scaling), m_size),
                  1e-14);
    }
}

TEST_P(transform_matrix_of_size, orthonormal_is_unitary_and_its_inverse_the_conjugate_transpose_bit_by_bit)
{
    for (const char* name : {"dft", "dht", "dct", "dst", "identity"}) {
        const auto matrix = forward<c128>(name, m_size, orthonormal);
        auto adjoint = matrix;
        for (std::size_t i = 0; i < m_size; ++i) {
            for (std::size_t k = 0; k < m_size; ++k) { adjoint[k * m_size + i] = std::conj(matrix[i * m_size + k]); }
        }
        EXPECT_LT(off_identity(matrix, adjoint, m_size), 1e-14) << name;
        EXPECT_EQ(inverse<c128>(name, m_size, orthonormal), adjoint) << name;
    }
}

// Where a coefficient is zero, in integers: a part of a turn, times the number of parts at which cosine or sine vanish.
TEST_P(transform_matrix_of_size, true_zeros_are_exact_and_positive_and_there_are_no_others)
{
    using predicate = std::function<bool(long, long)>;
    const long N = n;
    const auto quarter = [](long part, long whole) { return 4 * part % whole == 0 && 4 * part / whole % 2 != 0; };
    const auto half = [](long part, long whole) { return 2 * part % whole == 0; };
    const std::pair<const char*, predicate> real[] = {
        {"dct", [=](long i, long k) { return quarter((2 * i + 1) * k, 4 * N); }},
        {"dst", [=](long i, long k) { return half((2 * i + 1) * (k + 1), 4 * N); }},
        {"dht", [=](long i, long k) { return half(8 * i * k + N, 8 * N); }}}; // cos + sin = sqrt 2 sin(+ 1/8 turn)
    const auto expect_zeros = [&](const std::string& what, const auto& matrix, const predicate& zero, bool transposed,
                                  auto part) {
        for (long i = 0; i < N; ++i) {
            for (long k = 0; k < N; ++k) {
                const auto value = part(matrix[static_cast<std::size_t>(transposed ? k * N + i : i * N + k)]);
                ASSERT_EQ(value == 0, zero(i, k)) << what << ' ' << i << ", " << k;
                ASSERT_FALSE(value == 0 && std::signbit(value)) << what << " has a -0 at " << i << ", " << k;
            }
        }
    };
    const auto itself = [](auto value) { return value; };
    for (auto scaling : {orthonormal, backward}) {
        for (const auto& [name, zero] : real) {
            expect_zeros(name, forward<double>(name, m_size, scaling), zero, false, itself);
            expect_zeros(name, inverse<float>(name, m_size, scaling), zero, true, itself);
        }
        const predicate real_zero = [=](long i, long k) { return quarter(i * k, N); };
        const predicate imaginary_zero = [=](long i, long k) { return half(i * k, N); };
        for (bool transposed : {false, true}) {
            const auto matrix =
                transposed ? inverse<c128>("dft", m_size, scaling) : forward<c128>("dft", m_size, scaling);
            expect_zeros("dft re", matrix, real_zero, transposed, [](c128 value) { return value.real(); });
            expect_zeros("dft im", matrix, imaginary_zero, transposed, [](c128 value) { return value.imag(); });
        }
    }
}

std::vector<int> sizes()
{
    std::vector<int> result;
    for (int n = 1; n <= 20; ++n) { result.push_back(n); }
    result.insert(result.end(), {31, 32, 37, 96, 97});
    return result;
}
INSTANTIATE_TEST_SUITE_P(sizes, transform_matrix_of_size, testing::ValuesIn(sizes()),
                         testing::PrintToStringParamName());

TEST(transform_matrix, dct_of_96_has_exactly_its_true_zeros)
{
    const auto matrix = forward<double>("dct", 96, orthonormal);
    std::size_t expected = 0; // (2n+1) k an odd multiple of N = 96
    for (int n = 0; n < 96; ++n) {
        for (int k = 0; k < 96; ++k) { expected += (2 * n + 1) * k % 192 == 96; }
    }
    EXPECT_EQ(std::count(matrix.begin(), matrix.end(), 0.0), static_cast<std::ptrdiff_t>(expected));
    EXPECT_EQ(expected, 32u);
}

TEST(transform_matrix, values_are_correctly_rounded)
{
    const auto dct = forward<double>("dct", 8, orthonormal);
    EXPECT_EQ(dct[0], 0x1.6a09e667f3bcdp-2); // sqrt(1/8)
    EXPECT_EQ(dct[1], 0x1.f6297cff75cbp-2);  // cos(pi/16) / 2
    EXPECT_EQ(forward<float>("dct", 8, orthonormal)[1], 0x1.f6297cp-2f);
    EXPECT_EQ(forward<c128>("dft", 3, backward)[4], c128(-0.5, -0x1.bb67ae8584caap-1)); // -1/2 - i sqrt(3)/2
    EXPECT_EQ(forward<double>("dht", 16, backward)[17], 0x1.4e7ae9144f0fcp+0);          // cos + sin of pi/8
}

TEST(transform_matrix, ones_are_exact_where_nothing_is_scaled)
{
    const auto dft = forward<c128>("dft", 12, backward);
    EXPECT_EQ(dft[12 + 3], c128(0, -1)); // a quarter turn
    EXPECT_EQ(dft[12 + 6], c128(-1, 0));
    const auto dht = forward<double>("dht", 12, backward);
    EXPECT_EQ(dht[12 + 3], 1);
    EXPECT_EQ(dht[12 + 6], -1);
    EXPECT_EQ(forward<double>("dct", 12, backward)[0], 2);
    EXPECT_EQ(forward<double>("dst", 12, backward)[11], 2);
    EXPECT_EQ(inverse<double>("dct", 8, backward)[0], 1.0 / 16); // row k = 0 of the inverse
    EXPECT_EQ(forward<c64>("dft", 1, orthonormal)[0], c64(1));
}

TEST(transform_matrix, float_is_the_long_double_value_rounded_once)
{
    const auto single = forward<float>("dst", 37, orthonormal);
    for (int n = 0; n < 37; ++n) {
        for (int k = 0; k < 37; ++k) {
            const int part = (2 * n + 1) * (k + 1) % 148; // of 148 in a turn
            const long double sine = part % 74 == 0 ? 0 : std::sin(std::acos(-1.0L) * part / 74);
            ASSERT_EQ(single[37 * n + k], static_cast<float>(sine * std::sqrt((k == 36 ? 1 : 2) / 37.0L)));
        }
    }
}

TEST(transform_matrix, dwht_is_minus_one_to_the_common_bits)
{
    for (int n : {1, 2, 4, 64}) {
        const auto matrix = forward<double>("dwht", n, backward), scaled = forward<double>("dwht", n, orthonormal);
        const auto back = inverse<double>("dwht", n, backward);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                const double expected = __builtin_popcount(static_cast<unsigned>(i & k)) % 2 ? -1 : 1;
                ASSERT_EQ(matrix[i * n + k], expected);
                ASSERT_EQ(back[i * n + k], expected / n);
                ASSERT_EQ(scaled[i * n + k], static_cast<double>(expected / std::sqrt(static_cast<long double>(n))));
            }
        }
    }
}

TEST(transform_matrix, sequency_order_counts_sign_changes_of_the_same_columns)
{
    for (int n : {1, 2, 8, 64}) {
        const auto natural = forward<double>("dwht", n, backward),
                   ordered = forward<double>("dwht-sequency", n, backward);
        std::set<std::vector<double>> columns, ordered_columns;
        for (int k = 0; k < n; ++k) {
            std::vector<double> column, ordered_column;
            int changes = 0;
            for (int i = 0; i < n; ++i) {
                column.push_back(natural[i * n + k]);
                ordered_column.push_back(ordered[i * n + k]);
                changes += i > 0 && ordered_column[i] != ordered_column[i - 1];
            }
            EXPECT_EQ(changes, k);
            columns.insert(column);
            ordered_columns.insert(ordered_column);
        }
        EXPECT_EQ(columns, ordered_columns);
        const auto back = inverse<double>("dwht-sequency", n, backward);
        EXPECT_EQ(off_identity(ordered, back, n), 0);
    }
}

TEST(transform_matrix, identity_is_never_scaled)
{
    for (auto scaling : {orthonormal, backward}) {
        for (bool inverse_too : {false, true}) {
            EXPECT_THAT(transform_matrix<float>(parse_transform("identity"), 2, 2, scaling, inverse_too),
                        testing::ElementsAre(1, 0, 0, 1));
        }
    }
}

// The first rows and columns of the square one, whose values the tests above have compared.
TEST(transform_matrix, rectangular_is_a_block_of_the_larger_square_matrix)
{
    const std::pair<std::size_t, std::size_t> shapes[] = {{4, 8}, {8, 4}, {1, 16}, {16, 1}, {16, 15}};
    for (const char* name : {"dft", "dht", "dct", "dst", "dwht", "dwht-sequency", "identity"}) {
        for (auto scaling : {orthonormal, backward}) {
            for (bool inverse_too : {false, true}) {
                for (const auto& [rows, columns] : shapes) {
                    const std::size_t n = std::max(rows, columns);
                    const auto square = inverse_too ? inverse<c128>(name, n, scaling) : forward<c128>(name, n, scaling);
                    const auto block =
                        transform_matrix<c128>(parse_transform(name), rows, columns, scaling, inverse_too);
                    ASSERT_EQ(block.size(), rows * columns);
                    for (std::size_t at = 0; at < block.size(); ++at) {
                        ASSERT_EQ(block[at], square[at / columns * n + at % columns]) << name << ' ' << at;
                    }
                }
            }
        }
    }
}

TEST(transform_matrix, dwht_needs_the_larger_size_to_be_a_power_of_two)
{
    const auto dwht = parse_transform("dwht");
    EXPECT_EQ(transform_matrix<double>(dwht, 3, 8, backward, false).size(), 24u);
    EXPECT_THAT(message_of([&] { transform_matrix<double>(dwht, 8, 9, backward, false); }),
                HasSubstr("size 9 found, expected a power of two"));
}

TEST(transform_matrix, bfloat16_is_the_nearest_to_the_long_double_value)
{
    for (std::size_t n : {5u, 16u, 96u}) {
        const auto matrix = forward<arithmetic::bfloat16>("dct", n, orthonormal);
        const auto exact = [&](std::size_t i, std::size_t k) {
            const long double angle = std::acos(-1.0L) * static_cast<long double>((2 * i + 1) * k) / (2.0L * n);
            return std::cos(angle) * std::sqrt((k == 0 ? 1 : 2) / static_cast<long double>(n));
        };
        for (std::size_t at = 0; at < n * n; ++at) {
            const long double value = exact(at / n, at % n);
            if (std::fabs(value) < 1e-15L) {
                ASSERT_EQ(matrix[at].bits, 0);
                continue;
            }
            const auto off = [&](int bits) {
                auto x = matrix[at];
                x.bits = static_cast<std::uint16_t>(x.bits + bits);
                return std::fabs(static_cast<float>(x) - value);
            };
            ASSERT_LE(off(0), std::min(off(1), off(-1))) << at;
        }
    }
}

TEST(transform_matrix, int8_takes_whole_coefficients_as_they_are)
{
    for (const char* name : {"dwht", "dwht-sequency", "identity"}) {
        const auto whole = forward<std::int8_t>(name, 16, backward);
        const auto real = forward<double>(name, 16, backward);
        EXPECT_EQ(std::vector<double>(whole.begin(), whole.end()), real) << name;
    }
    EXPECT_THAT(forward<std::int8_t>("dht", 4, backward),
                testing::ElementsAre(1, 1, 1, 1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1));
    // Of a large transform the first row: all the others are not whole.
    EXPECT_THAT(transform_matrix<std::int8_t>(parse_transform("dht"), 1, 5, backward, false), testing::Each(1));
}

TEST(transform_matrix, int8_refuses_coefficients_that_would_have_to_be_rounded)
{
    EXPECT_THAT(message_of([] { forward<std::int8_t>("dwht", 4, orthonormal); }),
                AllOf(HasSubstr("transform dwht: element 0.5 at (0, 0) found"),
                      HasSubstr("expected whole numbers from -128 to 127")));
    EXPECT_THAT(message_of([] { forward<std::int8_t>("dct", 8, backward); }),
                HasSubstr("transform dct: element 1.96157 at (0, 1)"));
    EXPECT_THAT(message_of([] { inverse<std::int8_t>("dwht", 256, backward); }), HasSubstr("element 0.00390625"));
    EXPECT_THAT(message_of([] { forward<std::int8_t>("dft", 4, backward); }), HasSubstr("c128 or c64"));
}

TEST(transform_matrix, bad_sizes_and_formats_are_refused)
{
    EXPECT_THAT(message_of([] { forward<double>("dct", 0, orthonormal); }),
                AllOf(HasSubstr("dct"), HasSubstr("size 0 found")));
    EXPECT_THAT(message_of([] { forward<double>("dct", std::size_t{1} << 40, orthonormal); }),
                HasSubstr("size 1099511627776"));
    EXPECT_THAT(message_of([] { transform_matrix<double>(parse_transform("dct"), 3, 0, backward, false); }),
                HasSubstr("size 0 found"));
    EXPECT_THAT(message_of([] { forward<double>("dwht", 12, orthonormal); }),
                AllOf(HasSubstr("12"), HasSubstr("power of two")));
    EXPECT_THAT(message_of([] { forward<double>("dwht-sequency", 3, orthonormal); }), HasSubstr("power of two"));
    EXPECT_THAT(message_of([] { forward<float>("dft", 4, orthonormal); }),
                AllOf(HasSubstr("dft"), HasSubstr("c128 or c64")));
    EXPECT_THAT(message_of([] { inverse<double>("dft", 4, orthonormal); }), HasSubstr("complex"));
}

} // namespace
} // namespace tensorloom::test
