// Products along one mode against a loop of single multiply-adds: bits, counts, every kernel, 1 to 4 threads.
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>

namespace tensorloom::test {
namespace {

using arithmetic::bfloat16;

template <class Element> struct maker {
    static Element of(double re, double) { return static_cast<Element>(re); }
};
template <class R> struct maker<std::complex<R>> {
    static std::complex<R> of(double re, double im) { return {static_cast<R>(re), static_cast<R>(im)}; }
};
template <> struct maker<bfloat16> {
    static bfloat16 of(double re, double) { return bfloat16(static_cast<float>(re)); }
};

/// What a case looks like.
struct outline {
    std::size_t outer = 1;
    std::size_t rows = 1;
    std::size_t inner = 1;
    std::size_t columns = 1;
    std::size_t terms = 0; // 0: one per row, in order
    bool accumulate = false;
    bool skip_zeros = true;
    double threshold = 0;
    double tensor_zeros = 0;
    double coefficient_zeros = 0;
    double specials = 0; // part of the numbers that are -0, infinite, NaN, or as small as can be
};

template <class Element> class mode_product_test : public testing::Test {
protected:
    using product = arithmetic::mode_product<Element>;
    using sum = arithmetic::accumulator_of<Element>;
    using real = typename product::real;
    using limits = std::numeric_limits<real>;
    static constexpr unsigned parts = product::parts;

    double uniform() { return std::uniform_real_distribution<double>(-1, 1)(m_random); }
    bool happens(double probability) { return std::uniform_real_distribution<double>(0, 1)(m_random) < probability; }

    double number(const outline& o, double zeros)
    {
        if (happens(zeros)) { return happens(0.5) ? 0.0 : -0.0; }
        if (!happens(o.specials)) { return uniform(); }
        const double strange[] = {-0.0,
                                  static_cast<double>(limits::infinity()),
                                  -static_cast<double>(limits::infinity()),
                                  static_cast<double>(limits::quiet_NaN()),
                                  -static_cast<double>(limits::quiet_NaN()),
                                  static_cast<double>(limits::denorm_min()),
                                  -static_cast<double>(limits::min()),
                                  static_cast<double>(limits::max())};
        return strange[m_random() % 8];
    }

    void draw(const outline& o)
    {
        m_outline = o;
        const std::size_t volume = o.outer * o.rows * o.inner;
        m_x.resize(parts * volume);
        for (std::size_t e = 0; e < volume; ++e) {
            const bool zero = happens(o.tensor_zeros);
            for (unsigned p = 0; p < parts; ++p) {
                m_x[p * volume + e] = static_cast<real>(number(o, zero ? 1.0 : 0.0));
            }
        }
        m_y.resize(parts * o.outer * o.columns * o.inner);
        for (auto& y : m_y) { y = static_cast<real>(number(o, 0)); }
        m_order.resize(o.rows);
        std::iota(m_order.begin(), m_order.end(), 0u);
        if (o.terms > 0) {
            std::shuffle(m_order.begin(), m_order.end(), m_random);
            m_order.resize(std::min(o.terms, o.rows));
        }
        m_coefficients.assign(m_order.size(), std::vector<Element>(o.columns));
        for (auto& row : m_coefficients) {
            for (auto& c : row) {
                const bool zero = happens(o.coefficient_zeros);
                const double re = zero ? 0 : number(o, 0);
                c = maker<Element>::of(re, zero ? 0 : number(o, 0));
            }
        }
    }

    sum at(const std::vector<real>& planes, std::size_t index) const
    {
        if constexpr (parts == 1) {
            return planes[index];
        } else {
            return sum(planes[index], planes[planes.size() / 2 + index]);
        }
    }

    // The sums and the operands of each term, one multiply-add at a time.
    void expected(std::vector<real>& y, std::vector<std::uint64_t>& operands) const
    {
        const auto& o = m_outline;
        y = m_y;
        operands.assign(m_order.size(), 0);
        for (std::size_t outer = 0; outer < o.outer; ++outer) {
            for (std::size_t i = 0; i < o.inner; ++i) {
                for (std::size_t k = 0; k < o.columns; ++k) {
                    const std::size_t to = (outer * o.columns + k) * o.inner + i;
                    sum acc = o.accumulate ? at(m_y, to) : sum{};
                    for (std::size_t t = 0; t < m_order.size(); ++t) {
                        const Element x(at(m_x, (outer * o.rows + m_order[t]) * o.inner + i));
                        const Element c = m_coefficients[t][k];
                        const bool idle = o.skip_zeros && arithmetic::counts_as_zero(x, o.threshold);
                        operands[t] += k == 0 && !idle ? 1 : 0;
                        if (idle || (o.skip_zeros && arithmetic::is_zero(c))) { continue; }
                        acc = arithmetic::mac(acc, x, c);
                    }
                    if constexpr (parts == 1) {
                        y[to] = acc;
                    } else {
                        y[to] = acc.real();
                        y[y.size() / 2 + to] = acc.imag();
                    }
                }
            }
        }
    }

    void expect_same(product& p, const std::string& what) const
    {
        const auto& o = m_outline;
        std::vector<real> y;
        std::vector<std::uint64_t> operands;
        expected(y, operands);

        // Coefficients of no particular alignment.
        std::vector<std::vector<unsigned char>> bytes;
        std::vector<arithmetic::product_term> terms;
        for (std::size_t t = 0; t < m_order.size(); ++t) {
            bytes.emplace_back(1 + o.columns * sizeof(Element));
            std::memcpy(bytes.back().data() + 1, m_coefficients[t].data(), o.columns * sizeof(Element));
            arithmetic::product_term term;
            term.coefficients = bytes.back().data() + 1;
            term.row = m_order[t];
            for (const auto& c : m_coefficients[t]) { term.nonzeros += arithmetic::is_zero(c) ? 0 : 1; }
            terms.push_back(term);
        }
        std::vector<real> result = m_y;
        if (!o.accumulate) { std::fill(result.begin(), result.end(), -limits::quiet_NaN()); }
        typename product::problem problem;
        problem.outer = o.outer;
        problem.rows = o.rows;
        problem.inner = o.inner;
        problem.columns = o.columns;
        problem.x = m_x.data();
        problem.y = result.data();
        problem.accumulate = o.accumulate;
        problem.skip_zeros = o.skip_zeros;
        problem.zero_threshold = o.threshold;
        problem.terms = terms.data();
        problem.term_count = terms.size();
        std::vector<arithmetic::product_counts> counts(terms.size(), {7, 7, 7});
        p.run(problem, counts.data());

        ASSERT_EQ(std::memcmp(result.data(), y.data(), y.size() * sizeof(real)), 0)
            << what << ": " << o.outer << " x " << o.rows << " x " << o.inner << " to " << o.columns << ", "
            << m_order.size() << " terms, accumulate " << o.accumulate << ", skip_zeros " << o.skip_zeros;
        for (std::size_t t = 0; t < terms.size(); ++t) {
            ASSERT_EQ(counts[t].operands, operands[t]) << what << ", term " << t;
            ASSERT_EQ(counts[t].saturated, 0u);
            ASSERT_EQ(counts[t].overflowed, 0u);
        }
    }

    void expect_same_of_every_kernel(const outline& o)
    {
        draw(o);
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::gemm_kernel<real>>()) {
            product p(1, kernel->name);
            expect_same(p, kernel->name);
        }
    }

    outline random_outline()
    {
        outline o;
        o.outer = 1 + m_random() % 5;
        o.inner = m_random() % 3 == 0 ? 1 : 1 + m_random() % 70;
        if (o.inner == 1) { o.outer = 1 + m_random() % 70; }
        o.rows = 1 + m_random() % 40;
        o.columns = 1 + m_random() % 60;
        o.terms = m_random() % 3 == 0 ? 1 + m_random() % o.rows : 0;
        o.accumulate = m_random() % 2 == 0;
        o.skip_zeros = m_random() % 3 != 0;
        o.threshold = m_random() % 4 == 0 ? 0.25 : 0;
        const double densities[] = {0, 0, 0.3, 0.9};
        o.tensor_zeros = densities[m_random() % 4];
        o.coefficient_zeros = densities[m_random() % 4];
        return o;
    }

    std::mt19937 m_random{11};
    outline m_outline;
    std::vector<real> m_x;
    std::vector<real> m_y;
    std::vector<std::uint32_t> m_order;
    std::vector<std::vector<Element>> m_coefficients;
};

using mode_product_formats = testing::Types<double, float, std::complex<double>, std::complex<float>, bfloat16>;
TYPED_TEST_SUITE(mode_product_test, mode_product_formats);

TYPED_TEST(mode_product_test, random_products_equal_single_multiply_adds)
{
    for (unsigned n = 0; n < 150; ++n) { this->expect_same_of_every_kernel(this->random_outline()); }
}

TYPED_TEST(mode_product_test, infinities_nan_minus_zero_and_underflow_are_as_in_single_multiply_adds)
{
    for (unsigned n = 0; n < 100; ++n) {
        outline o = this->random_outline();
        o.specials = n % 2 == 0 ? 0.02 : 0.3;
        this->expect_same_of_every_kernel(o);
    }
}

TYPED_TEST(mode_product_test, every_width_of_a_tile)
{
    outline o;
    o.outer = 3;
    o.rows = 5;
    for (std::size_t n = 1; n <= 100; ++n) {
        o.accumulate = n % 2 == 0;
        o.inner = n;
        o.columns = 3;
        this->expect_same_of_every_kernel(o);
        o.inner = 1;
        o.columns = n;
        this->expect_same_of_every_kernel(o);
    }
}

TYPED_TEST(mode_product_test, every_height_of_a_tile)
{
    outline o;
    o.rows = 5;
    for (std::size_t n = 1; n <= 40; ++n) {
        o.outer = 2;
        o.inner = 19;
        o.columns = n;
        this->expect_same_of_every_kernel(o);
        o.outer = n;
        o.inner = 1;
        o.columns = 19;
        this->expect_same_of_every_kernel(o);
    }
}

TYPED_TEST(mode_product_test, products_of_many_blocks)
{
    outline o;
    o.rows = 97;
    o.columns = 9;
    o.tensor_zeros = 0.1;
    for (const auto& [outer, inner] : {std::pair<std::size_t, std::size_t>{1, 2001}, {2100, 1}, {3, 701}, {200, 11}}) {
        o.outer = outer;
        o.inner = inner;
        o.accumulate = !o.accumulate;
        this->expect_same_of_every_kernel(o);
    }
}

// Rows too far apart to be multiplied where they are, in panels whose last one is narrower: each kernel packs them
// while it counts.
TYPED_TEST(mode_product_test, far_rows_in_uneven_panels)
{
    outline o;
    o.outer = 2;
    o.rows = 100;
    o.columns = 100;
    for (const std::size_t inner : {60, 100, 131}) {
        o.inner = inner;
        o.terms = 0;
        o.accumulate = !o.accumulate;
        this->expect_same_of_every_kernel(o);
        o.terms = 60;
        this->expect_same_of_every_kernel(o);
    }
}

// Slabs narrower than a tile, which are done some at a time, and what is left of them.
TYPED_TEST(mode_product_test, narrow_slabs)
{
    outline o;
    o.outer = 7;
    o.rows = 12;
    o.columns = 45;
    for (std::size_t n = 2; n <= 25; ++n) {
        o.inner = n;
        o.accumulate = n % 6 == 0;
        o.tensor_zeros = n % 4 == 1 ? 0.2 : 0;
        o.specials = n % 7 == 3 ? 0.01 : 0;
        this->expect_same_of_every_kernel(o);
    }
}

// Rows without zeros are not counted one element at a time: the only zero must be found wherever it is.
TYPED_TEST(mode_product_test, a_single_zero_among_contiguous_fibres_is_counted)
{
    outline o;
    o.outer = 20;
    o.rows = 21;
    o.columns = 5;
    this->draw(o);
    const std::size_t volume = o.outer * o.rows;
    for (std::size_t at = 0; at < volume; at += 13) {
        auto kept = this->m_x;
        for (unsigned part = 0; part < TestFixture::parts; ++part) { this->m_x[part * volume + at] = 0; }
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::gemm_kernel<typename TestFixture::real>>()) {
            typename TestFixture::product p(1, kernel->name);
            this->expect_same(p, kernel->name);
        }
        this->m_x.swap(kept);
    }
}

TYPED_TEST(mode_product_test, a_long_sum)
{
    outline o;
    o.rows = 5000;
    o.inner = 30;
    o.columns = 3;
    this->expect_same_of_every_kernel(o);
    std::swap(o.outer, o.inner);
    this->expect_same_of_every_kernel(o);
}

TYPED_TEST(mode_product_test, threads_change_nothing)
{
    for (unsigned threads = 1; threads <= 4; ++threads) {
        typename TestFixture::product p(threads);
        for (const auto& [outer, inner] : {std::pair<std::size_t, std::size_t>{1, 1300}, {1300, 1}, {20, 65}}) {
            outline o;
            o.outer = outer;
            o.inner = inner;
            o.rows = 40;
            o.columns = 41; // more than a million multiply-adds
            o.tensor_zeros = 0.2;
            o.accumulate = threads % 2 == 0;
            for (const double specials : {0.0, 0.001}) {
                o.specials = specials;
                this->draw(o);
                this->expect_same(p, std::to_string(threads) + " threads");
            }
            o.coefficient_zeros = 0.8;
            this->draw(o);
            this->expect_same(p, std::to_string(threads) + " threads, sparse");
        }
    }
}

TYPED_TEST(mode_product_test, without_terms_the_sums_stay_or_are_zero)
{
    outline o;
    o.outer = 3;
    o.inner = 4;
    o.columns = 5;
    for (const bool accumulate : {false, true}) {
        o.accumulate = accumulate;
        this->draw(o);
        this->m_order.clear();
        this->m_coefficients.clear();
        typename TestFixture::product p;
        this->expect_same(p, "no terms");
    }
}

TYPED_TEST(mode_product_test, kernel_that_is_not_there_is_refused)
{
    EXPECT_THROW(typename TestFixture::product(1, "abacus"), std::invalid_argument);
}

} // namespace
} // namespace tensorloom::test
