// Products by lists, on every kernel that this machine runs, against a loop of arithmetic::mac, bit for bit: shapes,
// strides, densities and the corners where skipping a zero is not adding it.
#include <tensorloom/models/arithmetic/kernels/list_product.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::test {
namespace {

template <class T> struct parts_of {
    using real = T;
    static constexpr unsigned count = 1;
    static T element(const real* at, std::size_t) { return *at; }
    static void store(T x, real* at, std::size_t) { *at = x; }
};
template <class R> struct parts_of<std::complex<R>> {
    using real = R;
    static constexpr unsigned count = 2;
    static std::complex<R> element(const real* at, std::size_t part) { return {at[0], at[part]}; }
    static void store(std::complex<R> x, real* at, std::size_t part)
    {
        at[0] = x.real();
        at[part] = x.imag();
    }
};

struct list_shape {
    std::size_t outer, rows, inner, columns;
    std::size_t gap; // unused numbers after each row, each slab and each plane
};

struct density {
    double operands, coefficients; // the part that is not zero
    bool wild;                     // infinities, NaN of any bits, numbers whose product underflows
};

/// The kernel of the same instruction set that counts operands.
template <class R> const arithmetic::gemm_kernel<R>& scan_of(const arithmetic::list_kernel<R>& kernel)
{
    return arithmetic::kernel_named<arithmetic::gemm_kernel<R>>(kernel.name);
}

template <class T> class list_case {
public:
    using real = typename parts_of<T>::real;
    static constexpr unsigned parts = parts_of<T>::count;

    list_case(const list_shape& n, const density& d, bool accumulate, bool skip_zeros, std::mt19937& random)
        : m_density(d), m_random(random)
    {
        auto& p = m_product;
        p.outer = n.outer;
        p.rows = n.rows;
        p.inner = n.inner;
        p.parts = parts;
        p.accumulate = accumulate;
        p.skip_zeros = skip_zeros;
        p.x_row = n.inner + n.gap;
        p.x_outer = n.rows * p.x_row + n.gap;
        p.x_part = n.outer * p.x_outer + n.gap;
        p.y_row = n.inner + n.gap;
        p.y_outer = n.columns * p.y_row + n.gap;
        p.y_part = n.outer * p.y_outer + n.gap;
        m_x = numbers(parts * p.x_part, d.operands, parts == 2 ? p.x_part : 0);
        m_y = numbers(parts * p.y_part, 0.9, 0);
        p.x = m_x.data();

        m_terms.columns = n.columns;
        m_terms.rows.resize(n.rows);
        for (std::size_t r = 0; r < n.rows; ++r) { m_terms.rows[r] = static_cast<std::uint32_t>(r); }
        std::shuffle(m_terms.rows.begin(), m_terms.rows.end(), random);
        m_terms.rows.resize(n.rows - random() % n.rows);
        m_terms.count = m_terms.rows.size();
        m_terms.sort_rows();
        const std::size_t plane = m_terms.plane();
        m_terms.planes = numbers(parts * plane, d.coefficients, parts == 2 ? plane : 0);
        for (std::size_t c = 0; parts == 2 && c < plane; ++c) { m_terms.planes.push_back(-m_terms.planes[plane + c]); }
        p.terms = &m_terms;
    }

    void expect_same_on_every_kernel()
    {
        auto& p = m_product;
        arithmetic::coefficient_lists<real> lists;
        lists.gather(m_terms, parts, p.skip_zeros);
        std::vector<std::uint64_t> expected_nonzeros(p.rows, 0);
        const auto expected = sums(expected_nonzeros);
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::list_kernel<real>>()) {
            arithmetic::list_product<real> product(*kernel, scan_of(*kernel));
            auto y = m_y;
            p.y = y.data();
            std::vector<std::uint64_t> nonzeros(p.rows, 0);
            product.run(p, lists, nonzeros.data());
            const std::string what = std::string(kernel->name) + ": " + std::to_string(p.outer) + " x (" +
                                     std::to_string(p.rows) + " -> " + std::to_string(m_terms.columns) + ") x " +
                                     std::to_string(p.inner);
            EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(real)), 0) << what;
            EXPECT_EQ(nonzeros, expected_nonzeros) << what;
        }
    }

private:
    // Both parts of an element are zero together, or each by itself now and then.
    std::vector<real> numbers(std::size_t n, double nonzero, std::size_t plane)
    {
        std::vector<real> v(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool zero = std::uniform_real_distribution<>()(m_random) >= nonzero;
            v[i] = zero || m_random() % 64 == 0 ? signed_zero() : number();
            if (plane != 0 && i >= plane && i < 2 * plane && zero) { v[i - plane] = signed_zero(); }
        }
        return v;
    }
    real signed_zero() { return m_random() % 2 == 0 ? real(0) : -real(0); }
    real number()
    {
        using limits = std::numeric_limits<real>;
        const real u = static_cast<real>(static_cast<std::int32_t>(m_random() | 1u)) / real(2147483648.0);
        const auto kind = m_random() % 64;
        if (m_density.wild) {
            if (kind == 0) { return limits::infinity(); }
            if (kind == 1) { return -limits::infinity(); }
            if (kind == 2) { return std::copysign(limits::quiet_NaN(), u); }
            if (kind < 24) { return u * std::sqrt(limits::min()); }
        }
        return kind == 24 ? u * limits::min() : std::ldexp(u, static_cast<int>(m_random() % 24) - 12);
    }

    std::vector<real> sums(std::vector<std::uint64_t>& nonzeros) const
    {
        const auto& p = m_product;
        const std::size_t plane = m_terms.plane();
        auto y = m_y;
        for (std::size_t o = 0; o < p.outer; ++o) {
            for (std::size_t i = 0; i < p.inner; ++i) {
                for (const std::uint32_t row : m_terms.rows) {
                    const T x = parts_of<T>::element(m_x.data() + o * p.x_outer + row * p.x_row + i, p.x_part);
                    nonzeros[row] += x != T(0) ? 1 : 0;
                }
                for (std::size_t k = 0; k < m_terms.columns; ++k) {
                    real* at = y.data() + o * p.y_outer + k * p.y_row + i;
                    T sum = p.accumulate ? parts_of<T>::element(at, p.y_part) : T(0);
                    for (std::size_t t = 0; t < m_terms.count; ++t) {
                        const T x =
                            parts_of<T>::element(m_x.data() + o * p.x_outer + m_terms.rows[t] * p.x_row + i, p.x_part);
                        const T c = parts_of<T>::element(m_terms.planes.data() + t * m_terms.columns + k, plane);
                        if (p.skip_zeros && (x == T(0) || c == T(0))) { continue; }
                        sum = arithmetic::mac(sum, x, c);
                    }
                    parts_of<T>::store(sum, at, p.y_part);
                }
            }
        }
        return y;
    }

    density m_density;
    std::mt19937& m_random;
    std::vector<real> m_x;
    std::vector<real> m_y;
    arithmetic::gathered_terms<real> m_terms;
    arithmetic::plane_product<real> m_product;
};

template <class T> class list_product_test : public testing::Test {
protected:
    void expect_same(const list_shape& n, const density& d, bool accumulate, bool skip_zeros = true)
    {
        list_case<T>(n, d, accumulate, skip_zeros, m_random).expect_same_on_every_kernel();
    }
    std::size_t size(unsigned most) { return 1 + m_random() % most; }
    std::mt19937 m_random{3};
};

using list_product_elements = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(list_product_test, list_product_elements);

TYPED_TEST(list_product_test, random_shapes_and_densities)
{
    const double densities[] = {0, 0.01, 0.1, 0.5, 0.9, 1};
    for (int i = 0; i < 300; ++i) {
        const density d{densities[this->m_random() % 6], densities[this->m_random() % 6], i % 3 == 0};
        this->expect_same({this->size(5), this->size(20), this->size(90), this->size(20), this->m_random() % 3}, d,
                          i % 2 == 0, i % 5 != 0);
    }
}

TYPED_TEST(list_product_test, contiguous_summed_mode_at_every_edge)
{
    for (std::size_t i = 1; i <= 70; ++i) {
        this->expect_same({i, this->size(40), 1, 7, 0}, {0.7, 0.3, false}, i % 2 == 0);
        this->expect_same({9, i, 1, this->size(40), 0}, {0.7, 0.3, false}, i % 2 == 0);
        this->expect_same({9, 11, 1, i, 0}, {0.7, 0.3, false}, i % 2 != 0);
    }
}

TYPED_TEST(list_product_test, few_elements_inside_the_summed_mode)
{
    for (std::size_t inner = 1; inner <= 20; ++inner) {
        this->expect_same({this->size(60), 9, inner, 8, inner % 2}, {0.7, 0.3, false}, inner % 3 == 0);
    }
}

TYPED_TEST(list_product_test, more_fibres_than_are_worked_on_at_once)
{
    this->expect_same({3, 200, 700, 5, 1}, {0.9, 0.1, false}, true);  // read in place, in several blocks
    this->expect_same({2, 130, 1100, 5, 0}, {0.9, 0.9, true}, false); // packed, because read often
    this->expect_same({900, 129, 1, 67, 0}, {0.9, 0.1, false}, true); // transposed
}

TYPED_TEST(list_product_test, minus_zero_left_by_an_underflow_stays_where_nothing_is_added)
{
    using real = typename parts_of<TypeParam>::real;
    const real tiny = std::numeric_limits<real>::min();
    for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::list_kernel<real>>()) {
        constexpr unsigned parts = parts_of<TypeParam>::count;
        arithmetic::gathered_terms<real> terms;
        terms.count = 2;
        terms.columns = 1;
        terms.rows = std::vector<std::uint32_t>{0, 1};
        terms.sort_rows();
        terms.planes.assign(3 * 2, real(0));
        terms.planes[0] = tiny;
        terms.planes[1] = 1;
        std::vector<real> x(parts * 2, real(0)); // -tiny, then +0
        x[0] = -tiny;
        std::vector<real> y(parts, real(1));
        arithmetic::plane_product<real> p{1, 1, 2, x.data(), 2, 1, 2, y.data(), 1, 1, 1, parts, false, true, &terms};
        arithmetic::coefficient_lists<real> lists;
        std::uint64_t nonzeros[2] = {0, 0};
        lists.gather(terms, parts, true);
        arithmetic::list_product<real>(*kernel, scan_of(*kernel)).run(p, lists, nonzeros);
        EXPECT_EQ(y[0], real(0));
        EXPECT_TRUE(std::signbit(y[0])) << kernel->name;
    }
}

TYPED_TEST(list_product_test, nan_in_y_becomes_canonical_only_where_something_is_added)
{
    using real = typename parts_of<TypeParam>::real;
    constexpr unsigned parts = parts_of<TypeParam>::count;
    const real negative_nan = -std::numeric_limits<real>::quiet_NaN();
    for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::list_kernel<real>>()) {
        constexpr std::size_t lanes = 37;
        arithmetic::gathered_terms<real> terms;
        terms.count = 1;
        terms.columns = 1;
        terms.rows.resize(1);
        terms.sort_rows();
        terms.planes.assign(3, real(2));
        std::vector<real> x(parts * lanes, real(0));
        for (std::size_t l = 0; l < lanes; l += 3) { x[l] = 1; }
        std::vector<real> y(parts * lanes, negative_nan);
        arithmetic::plane_product<real> p{1,     lanes, 1,     x.data(), lanes, lanes, lanes, y.data(),
                                          lanes, lanes, lanes, parts,    true,  true,  &terms};
        arithmetic::coefficient_lists<real> lists;
        std::uint64_t nonzeros[1] = {0};
        lists.gather(terms, parts, true);
        arithmetic::list_product<real>(*kernel, scan_of(*kernel)).run(p, lists, nonzeros);
        for (std::size_t l = 0; l < parts * lanes; ++l) {
            ASSERT_TRUE(std::isnan(y[l]));
            EXPECT_EQ(std::signbit(y[l]), l % lanes % 3 != 0) << kernel->name << " " << l;
        }
        EXPECT_EQ(nonzeros[0], (lanes + 2) / 3);
    }
}

} // namespace
} // namespace tensorloom::test
