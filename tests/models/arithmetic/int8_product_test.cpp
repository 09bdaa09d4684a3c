// Products of 8-bit integers, on every kernel that this machine runs, against a loop of arithmetic::narrowed and
// arithmetic::mac: sums, and the counts of zeros, saturations and overflows.
#include <tensorloom/models/arithmetic/kernels/int8_product.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>

namespace tensorloom::test {
namespace {

using arithmetic::int8_counts;
using arithmetic::int8_product;
using arithmetic::int8_rounding;

constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();

struct int8_shape {
    std::size_t outer, rows, inner, columns;
    std::size_t gap; // unused numbers after each row and each slab
};

class int8_case {
public:
    int8_case(const int8_shape& n, bool accumulate, std::mt19937& random)
    {
        auto& p = m_product;
        p.outer = n.outer;
        p.rows = n.rows;
        p.inner = n.inner;
        p.accumulate = accumulate;
        p.x_row = n.inner + n.gap;
        p.x_outer = n.rows * p.x_row + n.gap;
        p.y_row = n.inner + n.gap;
        p.y_outer = n.columns * p.y_row + n.gap;
        x.resize(n.outer * p.x_outer);
        y.resize(n.outer * p.y_outer);
        for (auto& e : x) { e = static_cast<std::int32_t>(random() % 401) - 200; }
        for (auto& e : y) { e = static_cast<std::int32_t>(random() % 100000) - 50000; }
        m_columns = n.columns;
        for (std::size_t r = 0; r < n.rows; ++r) { rows.push_back(static_cast<std::uint32_t>(r)); }
        std::shuffle(rows.begin(), rows.end(), random);
        rows.resize(n.rows - random() % n.rows);
        if (random() % 4 == 0) { rows.push_back(rows.front()); }
        matrix.resize(rows.size() * n.columns);
        for (auto& c : matrix) { c = static_cast<std::int8_t>(random() % 3 == 0 ? 0 : random() % 256); }
    }

    void expect_same_on_every_kernel(const int8_rounding& rounding)
    {
        auto& p = m_product;
        p.x = x.data();
        m_terms.clear();
        for (std::size_t t = 0; t < rows.size(); ++t) {
            m_terms.push_back({reinterpret_cast<const unsigned char*>(matrix.data()) + t * m_columns, rows[t], 0});
        }
        int8_counts expected = no_counts();
        const auto expected_y = sums(rounding, expected);
        m_overflows = 0;
        for (const auto n : expected.overflowed) { m_overflows += n; }
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::int8_kernel>()) {
            auto result = y;
            p.y = result.data();
            int8_counts counts = no_counts();
            arithmetic::int8_terms prepared;
            prepared.gather(m_terms.data(), m_terms.size(), m_columns, p.rows, p.contiguous_fibres(), *kernel);
            p.terms = &prepared.gathered();
            int8_product(*kernel).run(p, prepared, rounding, counts);
            const std::string what = std::string(kernel->name) + ": " + std::to_string(p.outer) + " x (" +
                                     std::to_string(p.rows) + " -> " + std::to_string(m_columns) + ") x " +
                                     std::to_string(p.inner);
            EXPECT_EQ(result, expected_y) << what;
            EXPECT_EQ(counts.nonzeros, expected.nonzeros) << what;
            EXPECT_EQ(counts.saturated, expected.saturated) << what;
            EXPECT_EQ(counts.overflowed, expected.overflowed) << what;
        }
    }

    std::uint64_t overflows() const { return m_overflows; } ///< of the last comparison

    std::vector<std::int32_t> x;
    std::vector<std::int32_t> y;
    std::vector<std::uint32_t> rows; // of each term
    std::vector<std::int8_t> matrix; // the terms' coefficients

private:
    int8_counts no_counts() const
    {
        return {std::vector<std::uint64_t>(m_product.rows, 0), std::vector<std::uint64_t>(m_product.rows, 0),
                std::vector<std::uint64_t>(rows.size(), 0)};
    }

    std::vector<std::int32_t> sums(const int8_rounding& rounding, int8_counts& counts) const
    {
        const auto& p = m_product;
        const auto operand = [&](std::size_t o, std::size_t row, std::size_t i) {
            auto n = arithmetic::narrowed<std::int8_t>(x[o * p.x_outer + row * p.x_row + i], rounding.shift);
            if (std::abs(int{n.value}) <= rounding.small) { n.value = 0; }
            return n;
        };
        auto result = y;
        for (std::size_t o = 0; o < p.outer; ++o) {
            for (std::size_t i = 0; i < p.inner; ++i) {
                for (std::size_t row = 0; row < p.rows; ++row) {
                    if (std::find(rows.begin(), rows.end(), row) == rows.end()) { continue; }
                    counts.nonzeros[row] += operand(o, row, i).value != 0 ? 1 : 0;
                    counts.saturated[row] += operand(o, row, i).saturated ? 1 : 0;
                }
                for (std::size_t k = 0; k < m_columns; ++k) {
                    std::int32_t& to = result[o * p.y_outer + k * p.y_row + i];
                    std::int32_t sum = p.accumulate ? to : 0;
                    for (std::size_t t = 0; t < rows.size(); ++t) {
                        const std::int8_t a = operand(o, rows[t], i).value;
                        const std::int8_t c = matrix[t * m_columns + k];
                        counts.overflowed[t] += arithmetic::mac_overflows(sum, a, c) ? 1 : 0;
                        sum = arithmetic::mac(sum, a, c);
                    }
                    to = sum;
                }
            }
        }
        return result;
    }

    std::size_t m_columns = 0;
    std::vector<arithmetic::product_term> m_terms;
    arithmetic::plane_product<std::int32_t> m_product;
    std::uint64_t m_overflows = 0;
};

class int8_product_test : public testing::Test {
protected:
    std::size_t size(unsigned most) { return 1 + m_random() % most; }
    std::mt19937 m_random{5};
};

TEST_F(int8_product_test, random_shapes_with_fibres_side_by_side)
{
    for (int i = 0; i < 300; ++i) {
        int8_case c({size(5), size(20), size(90), size(20), m_random() % 3}, i % 2 == 0, m_random);
        c.expect_same_on_every_kernel(
            {static_cast<unsigned>(m_random() % 4), static_cast<std::int32_t>(m_random() % 6) - 1});
    }
}

TEST_F(int8_product_test, random_shapes_with_contiguous_fibres)
{
    for (int i = 0; i < 300; ++i) {
        int8_case c({size(150), size(80), 1, size(70), 0}, i % 2 == 0, m_random);
        c.expect_same_on_every_kernel(
            {static_cast<unsigned>(m_random() % 4), static_cast<std::int32_t>(m_random() % 6) - 1});
    }
}

TEST_F(int8_product_test, every_shift_of_sums_of_any_size)
{
    for (unsigned shift = 0; shift <= 31; ++shift) {
        for (const std::size_t inner : {1u, 50u}) {
            int8_case c({3, 40, inner, 9, 0}, false, m_random);
            for (auto& e : c.x) { e = static_cast<std::int32_t>(m_random()) >> (m_random() % 32); }
            c.x[0] = lowest;
            c.x[1] = highest;
            c.x[2] = shift == 0 ? 0 : std::int32_t{1} << (shift - 1); // ties
            c.x[3] = -c.x[2];
            c.x[4] = shift == 0 ? 0 : static_cast<std::int32_t>(std::uint32_t{3} << (shift - 1));
            c.expect_same_on_every_kernel({shift, 0});
        }
    }
}

TEST_F(int8_product_test, sums_that_overflow_on_the_way_are_counted_by_term)
{
    std::uint64_t overflows = 0;
    for (int i = 0; i < 60; ++i) {
        int8_case c({size(9), size(20), i % 3 == 0 ? 1 : size(40), size(20), 0}, true, m_random);
        for (auto& e : c.y) {
            const auto near = static_cast<std::int32_t>(m_random() % 200000);
            const auto kind = m_random() % 8;
            if (kind == 0) { e = highest - near; }
            if (kind == 1) { e = lowest + near; }
        }
        c.expect_same_on_every_kernel({0, 0});
        overflows += c.overflows();
    }
    EXPECT_GT(overflows, 500u);
}

TEST_F(int8_product_test, so_many_terms_overflow_from_zero_on)
{
    int8_case c({1, 1, 2, 1, 0}, false, m_random);
    c.rows.assign(131073, 0);
    c.matrix.assign(131073, -128);
    c.x = {-128, 127};
    c.expect_same_on_every_kernel({0, 0});
    EXPECT_EQ(c.overflows(), 1u); // 131072 times 2^14 is the first sum too large
}

TEST_F(int8_product_test, larger_than_what_is_worked_on_at_once)
{
    int8_case lanes({2, 129, 3000, 9, 1}, true, m_random);
    lanes.expect_same_on_every_kernel({1, 2});
    int8_case fibres({300, 131, 1, 131, 0}, true, m_random);
    fibres.expect_same_on_every_kernel({1, 2});
}

} // namespace
} // namespace tensorloom::test
