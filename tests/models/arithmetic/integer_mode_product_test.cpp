// The product along one mode in int8 against a loop of arithmetic::narrowed and arithmetic::mac: sums, saturations and
// overflows by term, for every kernel and several threads.
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>

namespace tensorloom::test {
namespace {

using product = arithmetic::mode_product<std::int8_t>;

struct integer_outline {
    std::size_t outer, rows, inner, columns;
    bool accumulate = false;
    bool skip_zeros = true;
    double threshold = 0;
    unsigned shift = 0;
};

class integer_mode_product_test : public testing::Test {
protected:
    void draw(const integer_outline& o)
    {
        m_outline = o;
        m_x.resize(o.outer * o.rows * o.inner);
        for (auto& x : m_x) { x = (static_cast<std::int32_t>(m_random() % 601) - 300) * (1 << o.shift) / 2; }
        m_y.resize(o.outer * o.columns * o.inner);
        for (auto& y : m_y) {
            const auto near = static_cast<std::int32_t>(m_random() % 100000);
            const auto kind = m_random() % 10;
            y = kind == 0   ? std::numeric_limits<std::int32_t>::max() - near
                : kind == 1 ? std::numeric_limits<std::int32_t>::min() + near
                            : near - 50000;
        }
        m_matrix.resize(o.rows * o.columns);
        for (auto& c : m_matrix) { c = static_cast<std::int8_t>(m_random() % 4 == 0 ? 0 : m_random() % 256); }
        std::vector<std::uint32_t> order(o.rows);
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), m_random);
        order.resize(o.rows - m_random() % (o.rows + 1));
        m_terms.clear();
        for (const std::uint32_t row : order) {
            const std::int8_t* c = m_matrix.data() + row * o.columns;
            const auto zeros = std::count(c, c + o.columns, 0);
            m_terms.push_back({reinterpret_cast<const unsigned char*>(c), row,
                               static_cast<std::uint32_t>(o.columns) - static_cast<std::uint32_t>(zeros)});
        }
        follow_every_sum();
    }

    void expect_same(product& p, const std::string& what)
    {
        const auto& o = m_outline;
        auto y = m_y;
        product::problem problem;
        problem.outer = o.outer;
        problem.rows = o.rows;
        problem.inner = o.inner;
        problem.columns = o.columns;
        problem.x = m_x.data();
        problem.y = y.data();
        problem.accumulate = o.accumulate;
        problem.skip_zeros = o.skip_zeros;
        problem.zero_threshold = o.threshold;
        problem.shift = o.shift;
        problem.terms = m_terms.data();
        problem.term_count = m_terms.size();
        std::vector<arithmetic::product_counts> counts(m_terms.size(), {7, 7, 7});
        p.run(problem, counts.data());
        ASSERT_EQ(y, m_expected) << what << ": " << o.outer << " x (" << o.rows << " -> " << o.columns << ") x "
                                 << o.inner << ", " << m_terms.size() << " terms";
        for (std::size_t t = 0; t < counts.size(); ++t) {
            ASSERT_EQ(counts[t].operands, m_counts[t].operands) << what << ", term " << t;
            ASSERT_EQ(counts[t].saturated, m_counts[t].saturated) << what << ", term " << t;
            ASSERT_EQ(counts[t].overflowed, m_counts[t].overflowed) << what << ", term " << t;
            m_saturated += counts[t].saturated;
            m_overflowed += counts[t].overflowed;
        }
    }

    std::size_t size(unsigned most) { return 1 + m_random() % most; }

    std::mt19937 m_random{19};
    std::uint64_t m_saturated = 0;
    std::uint64_t m_overflowed = 0;

private:
    void follow_every_sum()
    {
        const auto& o = m_outline;
        m_expected = m_y;
        m_counts.assign(m_terms.size(), {});
        for (std::size_t sum = 0; sum < m_y.size(); ++sum) {
            const std::size_t i = sum % o.inner;
            const std::size_t k = sum / o.inner % o.columns;
            const std::size_t outer = sum / o.inner / o.columns;
            std::int32_t& y = m_expected[sum];
            if (!o.accumulate) { y = 0; }
            for (std::size_t t = 0; t < m_terms.size(); ++t) {
                const auto x =
                    arithmetic::narrowed<std::int8_t>(m_x[(outer * o.rows + m_terms[t].row) * o.inner + i], o.shift);
                const bool zero = o.skip_zeros && arithmetic::counts_as_zero(x.value, o.threshold);
                if (k == 0) {
                    m_counts[t].operands += zero ? 0 : 1;
                    m_counts[t].saturated += x.saturated ? 1 : 0;
                }
                if (zero) { continue; }
                const auto c = static_cast<std::int8_t>(m_terms[t].coefficients[k]);
                m_counts[t].overflowed += arithmetic::mac_overflows(y, x.value, c) ? 1 : 0;
                y = arithmetic::mac(y, x.value, c);
            }
        }
    }

    integer_outline m_outline{};
    std::vector<std::int32_t> m_x;
    std::vector<std::int32_t> m_y;
    std::vector<std::int8_t> m_matrix;
    std::vector<arithmetic::product_term> m_terms;
    std::vector<std::int32_t> m_expected;
    std::vector<arithmetic::product_counts> m_counts;
};

TEST_F(integer_mode_product_test, random_products_on_every_kernel)
{
    const double thresholds[] = {0, 0, 0.5, 3, 200};
    for (int n = 0; n < 200; ++n) {
        const bool contiguous = n % 3 == 0;
        draw({contiguous ? size(70) : size(5), size(40), contiguous ? 1 : size(n % 3 == 1 ? 12 : 80), size(40),
              n % 2 == 0, n % 5 != 0, thresholds[m_random() % 5], static_cast<unsigned>(m_random() % 5)});
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::int8_kernel>()) {
            product p(1, kernel->name);
            expect_same(p, kernel->name);
        }
    }
    EXPECT_GT(m_saturated, 10000u);
    EXPECT_GT(m_overflowed, 500u);
}

TEST_F(integer_mode_product_test, threads_change_nothing)
{
    for (unsigned threads = 1; threads <= 4; ++threads) {
        product p(threads);
        for (const auto& [outer, inner] : {std::pair<std::size_t, std::size_t>{1, 1300}, {1300, 1}, {20, 65}}) {
            draw({outer, 40, inner, 41, threads % 2 == 0, true, 1, 1}); // about a million multiply-adds or more
            expect_same(p, std::to_string(threads) + " threads");
        }
    }
}

TEST_F(integer_mode_product_test, kernel_that_is_not_there_is_refused)
{
    EXPECT_THROW(product(1, "abacus"), std::invalid_argument);
}

} // namespace
} // namespace tensorloom::test
