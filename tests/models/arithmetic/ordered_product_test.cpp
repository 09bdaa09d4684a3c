// Products whose sums are taken in the order of an array of engines, on every instruction set that this machine runs,
// against a scalar loop.
#include <tensorloom/models/arithmetic/ordered_product.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "models/arithmetic/bfloat16_values.h"

namespace tensorloom::test {
namespace {

using arithmetic::ordered_product;
using arithmetic::psum_bf16;
using arithmetic::psum_f32;

template <class Psum> using problem = typename ordered_product<Psum>::problem;

/// As the definition says: every term and every addition is done, those with zeros too.
template <class Psum>
float tree(const std::vector<float>& a, const std::vector<float>& b, std::size_t first, std::size_t parts,
           std::size_t length)
{
    if (parts > 1) {
        const std::size_t half = parts / 2;
        return Psum::add(tree<Psum>(a, b, first, half, length), tree<Psum>(a, b, first + half * length, half, length));
    }
    float sum = 0;
    for (std::size_t k = first; k < first + length; ++k) {
        sum = Psum::mac(sum, k < a.size() ? a[k] : 0.0f, k < b.size() ? b[k] : 0.0f);
    }
    return sum;
}
template <class Psum> void expect_y(const problem<Psum>& p, float* y)
{
    for (std::size_t i = 0; i < p.rows; ++i) {
        for (std::size_t j = 0; j < p.columns; ++j) {
            std::vector<float> a, b;
            for (std::size_t k = 0; k < p.terms; ++k) {
                a.push_back(p.a[p.a_row[i] + p.a_term[k]]);
                b.push_back(p.b[p.b_term[k] + p.b_column[j]]);
            }
            float& to = y[p.y_row[i] + p.y_column[j]];
            bool first = !p.accumulate;
            std::size_t k = 0;
            do {
                const float sum = tree<Psum>(a, b, k, p.parts, p.length);
                to = first ? sum : Psum::add(to, sum);
                first = false;
                k += p.parts * p.length;
            } while (k < p.terms);
        }
    }
}

enum class number_kind { plain, small_integers, special };

/// Values of bfloat16, so that they suit both psums.
class number_source {
public:
    explicit number_source(number_kind kind, std::uint32_t seed) : m_kind(kind), m_random(seed) {}

    float operator()()
    {
        if (m_kind == number_kind::small_integers) { return static_cast<float>(static_cast<int>(m_random() % 9) - 4); }
        // Special ones: anything that 16 bits hold, or mostly numbers so small that products become -0, or large ones.
        if (m_kind == number_kind::special) {
            const std::uint32_t draw = m_random() % 64;
            if (draw == 0) { return of_upper_bits(m_random() & 0xffffu); }
            if (draw < 8) { return draw % 2 == 0 ? 0.0f : -0.0f; }
            const std::uint32_t exponent = draw < 48 ? 40 + m_random() % 30 : draw < 60 ? 120 : 180 + m_random() % 20;
            return of_upper_bits(exponent << 7 | (m_random() & 0x807fu));
        }
        return static_cast<float>(arithmetic::bfloat16(std::uniform_real_distribution<float>(-1, 1)(m_random)));
    }
    std::vector<float> operator()(std::size_t n)
    {
        std::vector<float> all(n);
        for (auto& x : all) { x = (*this)(); }
        return all;
    }

private:
    number_kind m_kind;
    std::mt19937 m_random;
};

struct chain_shape {
    std::size_t rows, columns, terms, length, parts;
};

/// Whether operands and result are stored the other way round: columns of a, rows of b, columns of y contiguous instead
/// of the others.
struct storage {
    bool a = false, b = false, y = false;
};

template <class Psum> class ordered_product_test : public testing::Test {
protected:
    ordered_product_test()
    {
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::ordered_kernel<Psum>>()) {
            m_names.emplace_back(kernel->name);
            m_products.emplace_back(kernel->name);
        }
        m_names.emplace_back("best");
        m_products.emplace_back();
    }

    void expect_same(const chain_shape& s, number_kind kind, bool accumulate, const storage& turned = {})
    {
        number_source source(kind, static_cast<std::uint32_t>(s.rows * 7919 + s.columns * 131 + s.terms));
        constexpr std::size_t gap = 3; // behind rows and columns, which must stay what it is
        const auto stride = [&](std::size_t n) { return static_cast<std::ptrdiff_t>(n + gap); };
        const auto a = source((s.rows + gap) * (s.terms + gap));
        const auto b = source((s.terms + gap) * (s.columns + gap));
        const auto before = source((s.rows + gap) * (s.columns + gap));
        problem<Psum> p;
        p.rows = s.rows;
        p.columns = s.columns;
        p.terms = s.terms;
        p.length = s.length;
        p.parts = s.parts;
        p.accumulate = accumulate;
        p.a = a.data();
        p.a_row = turned.a ? 1 : stride(s.terms);
        p.a_term = turned.a ? stride(s.rows) : 1;
        p.b = b.data();
        p.b_term = turned.b ? 1 : stride(s.columns);
        p.b_column = turned.b ? stride(s.terms) : 1;
        p.y_row = turned.y ? 1 : stride(s.columns);
        p.y_column = turned.y ? stride(s.rows) : 1;
        auto expected = before;
        expect_y<Psum>(p, expected.data());
        for (std::size_t i = 0; i < m_products.size(); ++i) {
            auto y = before;
            p.y = y.data();
            m_products[i].run(p);
            ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0)
                << m_names[i] << ", " << s.rows << "x" << s.columns << "x" << s.terms << ", " << s.parts
                << " chains of " << s.length << ", numbers " << static_cast<int>(kind) << ", accumulate " << accumulate
                << ", turned " << turned.a << turned.b << turned.y;
        }
    }

    std::vector<const char*> m_names;
    std::vector<ordered_product<Psum>> m_products;
};

using psums = testing::Types<psum_f32, psum_bf16>;
TYPED_TEST_SUITE(ordered_product_test, psums);

TYPED_TEST(ordered_product_test, any_number_of_parts_and_terms)
{
    for (std::size_t parts = 1; parts <= 64; parts *= 2) {
        for (const std::size_t length : {1u, 2u, 3u, 4u, 16u}) {
            const std::size_t whole = parts * length;
            for (const std::size_t terms : {std::size_t{0}, std::size_t{1}, length, whole - 1, whole, whole + 1,
                                            whole + whole / 2 + 1, 3 * whole, 3 * whole + length + 1}) {
                for (const auto kind : {number_kind::plain, number_kind::special}) {
                    this->expect_same({3, 5, terms, length, parts}, kind, terms % 2 == 0);
                }
            }
        }
    }
}

TYPED_TEST(ordered_product_test, any_number_of_rows_and_columns)
{
    for (std::size_t n = 1; n <= 40; ++n) {
        for (const std::size_t m : {std::size_t{1}, std::size_t{2}, 1 + n / 3, n, 41 - n}) {
            this->expect_same({m, n, 11, 4, 2}, number_kind::special, n % 2 == 0);
            this->expect_same({n, m, 9, 2, 4}, number_kind::small_integers, n % 2 == 1);
        }
    }
    this->expect_same({70, 131, 19, 4, 4}, number_kind::plain, false);
    this->expect_same({131, 70, 19, 4, 4}, number_kind::plain, true);
}

TYPED_TEST(ordered_product_test, any_strides)
{
    for (unsigned turned = 0; turned < 8; ++turned) {
        const storage s{(turned & 1u) != 0, (turned & 2u) != 0, (turned & 4u) != 0};
        for (const bool accumulate : {false, true}) {
            this->expect_same({37, 5, 13, 3, 2}, number_kind::special, accumulate, s);
            this->expect_same({4, 37, 13, 3, 2}, number_kind::special, accumulate, s);
            this->expect_same({50, 50, 7, 2, 2}, number_kind::plain, accumulate, s);
        }
    }
}

/// n places: runs of so many side by side, the runs in any order, with gaps between them.
std::vector<std::ptrdiff_t> shuffled_runs(std::size_t n, std::size_t run, std::mt19937& random)
{
    std::vector<std::ptrdiff_t> first;
    for (std::size_t i = 0; i < n; i += run) { first.push_back(static_cast<std::ptrdiff_t>(i + i / run)); }
    std::shuffle(first.begin(), first.end(), random);
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < n; ++i) { places.push_back(first[i / run] + static_cast<std::ptrdiff_t>(i % run)); }
    return places;
}

TYPED_TEST(ordered_product_test, any_tables)
{
    using arithmetic::offset_table;
    std::mt19937 random(3);
    for (const std::size_t run : {1u, 2u, 3u, 4u, 8u, 16u, 40u}) {
        for (const bool accumulate : {false, true}) {
            constexpr std::size_t rows = 37, columns = 70, terms = 23, most = 4 * 70 * 70;
            // Elements of a tensor lie apart: an index of the other mode is further than all of this one.
            const auto apart = [&](std::size_t n, std::size_t of_run) {
                auto places = shuffled_runs(n, of_run, random);
                for (auto& place : places) { place *= 2 * 71; }
                return offset_table(places);
            };
            const auto near = [&](std::size_t n, std::size_t of_run) {
                return offset_table(shuffled_runs(n, of_run, random));
            };
            const auto a_row = apart(rows, run), a_term = near(terms, 5), b_term = apart(terms, run);
            const auto b_column = near(columns, run), y_row = apart(rows, 2), y_column = near(columns, run);
            number_source source(number_kind::special, static_cast<std::uint32_t>(run));
            const auto a = source(most), b = source(most), before = source(most);
            problem<TypeParam> p;
            p.rows = rows, p.columns = columns, p.terms = terms, p.length = 4, p.parts = 2;
            p.accumulate = accumulate;
            p.a = a.data(), p.a_row = a_row, p.a_term = a_term;
            p.b = b.data(), p.b_term = b_term, p.b_column = b_column;
            p.y_row = y_row, p.y_column = y_column;
            auto expected = before;
            expect_y<TypeParam>(p, expected.data());
            for (std::size_t i = 0; i < this->m_products.size(); ++i) {
                auto y = before;
                p.y = y.data();
                this->m_products[i].run(p);
                ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0)
                    << this->m_names[i] << ", runs of " << run << ", accumulate " << accumulate;
            }
        }
    }
}

TYPED_TEST(ordered_product_test, every_corner_of_the_number_format)
{
    // acc x 1 + a b of all numbers where rounding is delicate, infinities and NaN.
    std::vector<float> corners = finite_corners();
    for (const std::uint32_t upper : {0x7f80u, 0x7f81u, 0x7fffu}) {
        corners.push_back(of_upper_bits(upper));
        corners.push_back(of_upper_bits(upper | 0x8000u));
    }
    const std::size_t n = corners.size();
    std::vector<float> a, b(n, 1.0f);
    for (const float acc : corners) {
        for (const float x : corners) {
            a.push_back(acc);
            a.push_back(x);
        }
    }
    b.insert(b.end(), corners.begin(), corners.end());
    std::vector<float> y(n * n * n), expected(n * n * n);
    problem<TypeParam> p;
    p.rows = n * n;
    p.columns = n;
    p.terms = p.length = 2;
    p.a = a.data();
    p.a_row = 2;
    p.a_term = 1;
    p.b = b.data();
    p.b_term = p.y_row = static_cast<std::ptrdiff_t>(n);
    expect_y<TypeParam>(p, expected.data());
    p.y = y.data();
    for (std::size_t i = 0; i < this->m_products.size(); ++i) {
        this->m_products[i].run(p);
        for (std::size_t k = 0; k < y.size(); ++k) {
            ASSERT_EQ(std::memcmp(&y[k], &expected[k], sizeof(float)), 0)
                << this->m_names[i] << ": " << std::hexfloat << a[k / n * 2] << " + " << a[k / n * 2 + 1] << " x "
                << b[n + k % n] << " = " << expected[k] << ", not " << y[k];
        }
    }
}

TYPED_TEST(ordered_product_test, zeros_behind_the_last_term_turn_minus_zero_into_plus_zero)
{
    const float tiny = std::ldexp(1.0f, -120);
    const float minus_tiny = -tiny;
    float y = 7;
    problem<TypeParam> p;
    p.rows = p.columns = p.terms = p.length = p.parts = 1;
    p.a = &tiny;
    p.b = &minus_tiny;
    p.y = &y;
    for (auto& product : this->m_products) {
        p.length = p.parts = 1;
        product.run(p);
        EXPECT_TRUE(y == 0 && std::signbit(y)) << y;
        p.length = 2; // one more multiply-add
        product.run(p);
        EXPECT_TRUE(y == 0 && !std::signbit(y)) << y;
        p.length = 1;
        p.parts = 2; // one more addition
        product.run(p);
        EXPECT_TRUE(y == 0 && !std::signbit(y)) << y;
    }
}

TYPED_TEST(ordered_product_test, every_nan_is_canonical)
{
    for (const float odd : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> a(20, 0.0f);
        const std::vector<float> b(20, odd);
        for (auto& product : this->m_products) {
            std::vector<float> y(20, 1.0f);
            problem<TypeParam> p;
            p.rows = 1;
            p.columns = 20;
            p.terms = 1;
            p.a = a.data();
            p.b = b.data();
            p.y = y.data();
            product.run(p);
            const float canonical = std::numeric_limits<float>::quiet_NaN();
            for (const float x : y) { ASSERT_EQ(std::memcmp(&x, &canonical, sizeof x), 0); }
        }
    }
}

TYPED_TEST(ordered_product_test, impossible_orders_are_refused)
{
    ordered_product<TypeParam> product;
    problem<TypeParam> p;
    p.length = 0;
    EXPECT_THROW(product.run(p), std::invalid_argument);
    p.length = 1;
    for (const std::size_t parts : {0u, 3u, 128u}) {
        p.parts = parts;
        EXPECT_THROW(product.run(p), std::invalid_argument);
    }
}

} // namespace
} // namespace tensorloom::test
