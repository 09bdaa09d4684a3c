#include <tensorloom/models/arithmetic/kernels/weighted_integer_rows.h>
#include <algorithm>
#include <limits>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {

namespace {

constexpr std::size_t rows_at_once = 64; // that share a bound, and stay in the first-level cache

template <class Word> std::uint64_t magnitude(Word x)
{
    const auto bits = static_cast<std::uint64_t>(x);
    return x < 0 ? 0 - bits : bits;
}

} // namespace

template <class Word>
weighted_integer_rows<Word>::weighted_integer_rows(std::size_t side, const integer_rows_kernel<Word>& kernel)
    : m_side(side), m_kernel(kernel), m_sums(side)
{
    prepare(std::vector<Word>(side * side).data());
}

template <class Word> void weighted_integer_rows<Word>::prepare(const Word* weights)
{
    m_weights.assign(weights, weights + m_side * m_side);
    m_packed.clear();
    for (std::size_t first = 0; first < m_side; first += m_kernel.panel_columns) {
        const std::size_t columns = std::min(m_kernel.panel_columns, m_side - first);
        const std::size_t unused =
            (m_kernel.vector_columns - columns % m_kernel.vector_columns) % m_kernel.vector_columns;
        for (std::size_t i = 0; i < m_side; ++i) {
            const Word* const row = weights + i * m_side + first;
            m_packed.insert(m_packed.end(), row, row + columns);
            m_packed.insert(m_packed.end(), unused, Word{0});
        }
    }
    std::vector<std::uint64_t> columns(m_side);
    for (std::size_t i = 0; i < m_side; ++i) {
        for (std::size_t j = 0; j < m_side; ++j) {
            if (__builtin_add_overflow(columns[j], magnitude(weights[i * m_side + j]), &columns[j])) {
                columns[j] = std::numeric_limits<std::uint64_t>::max();
            }
        }
    }
    m_largest_column = *std::max_element(columns.begin(), columns.end());
}

template <class Word>
std::uint64_t weighted_integer_rows<Word>::run(const Word* x, std::ptrdiff_t x_stride, std::size_t rows, Word* z,
                                               std::ptrdiff_t z_stride)
{
    std::uint64_t overflowed = 0;
    for (std::size_t first = 0; first < rows; first += rows_at_once) {
        const std::size_t count = std::min(rows_at_once, rows - first);
        const Word* const from = x + static_cast<std::ptrdiff_t>(first) * x_stride;
        Word* const to = z + static_cast<std::ptrdiff_t>(first) * z_stride;
        if (fits(from, x_stride, count)) {
            multiply(from, x_stride, count, to, z_stride);
            continue;
        }
        for (std::size_t r = 0; r < count; ++r) {
            overflowed += follow(from + static_cast<std::ptrdiff_t>(r) * x_stride,
                                 to + static_cast<std::ptrdiff_t>(r) * z_stride);
        }
    }
    return overflowed;
}

/// True when no sum of these rows can leave the range of a word.
template <class Word>
bool weighted_integer_rows<Word>::fits(const Word* x, std::ptrdiff_t x_stride, std::size_t rows) const
{
    const integer_range<Word> range = m_kernel.range(x, x_stride, rows, m_side);
    std::uint64_t bound = 0;
    const std::uint64_t largest = std::max(magnitude(range.least), magnitude(range.most));
    return !__builtin_mul_overflow(largest, m_largest_column, &bound) &&
           bound <= static_cast<std::uint64_t>(std::numeric_limits<Word>::max());
}

template <class Word>
void weighted_integer_rows<Word>::multiply(const Word* x, std::ptrdiff_t x_stride, std::size_t rows, Word* z,
                                           std::ptrdiff_t z_stride)
{
    integer_rows<Word> product;
    product.rows = rows;
    product.terms = m_side;
    product.x = x;
    product.x_row = x_stride;
    if (x == z && m_side > m_kernel.panel_columns) { // the first panel's results replace what the others still need
        m_copy.resize(rows * m_side);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(x + static_cast<std::ptrdiff_t>(r) * x_stride, m_side, m_copy.data() + r * m_side);
        }
        product.x = m_copy.data();
        product.x_row = static_cast<std::ptrdiff_t>(m_side);
    }
    product.weights = m_packed.data();
    product.z_row = z_stride;
    for (std::size_t first = 0; first < m_side; first += m_kernel.panel_columns) {
        product.columns = std::min(m_kernel.panel_columns, m_side - first);
        product.z = z + first;
        m_kernel.multiply(product);
        product.weights += m_side * m_kernel.panel_columns; // only the last panel may be narrower
    }
}

/// A row, term by term.
template <class Word> std::uint64_t weighted_integer_rows<Word>::follow(const Word* x, Word* z)
{
    std::uint64_t overflowed = 0;
    std::fill(m_sums.begin(), m_sums.end(), Word{0});
    for (std::size_t i = 0; i < m_side; ++i) {
        const Word* const row = m_weights.data() + i * m_side;
        for (std::size_t j = 0; j < m_side; ++j) {
            overflowed += mac_overflows<Word>(m_sums[j], x[i], row[j]) ? 1 : 0;
            m_sums[j] = mac(m_sums[j], x[i], row[j]);
        }
    }
    std::copy(m_sums.begin(), m_sums.end(), z);
    return overflowed;
}

template class weighted_integer_rows<std::int32_t>;
template class weighted_integer_rows<std::int64_t>;

} // namespace tensorloom::arithmetic
