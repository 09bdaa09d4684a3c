#include <tensorloom/models/arithmetic/rotated_product.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {
namespace {

using integer_problem = rotated_problem<std::int8_t>;

std::array<std::size_t, 3> sizes_of(const integer_problem& p, std::size_t along)
{
    std::array<std::size_t, 3> size{};
    for (unsigned m = 0; m < 3; ++m) { size[m] = p.blocks * (m == p.mode ? along : p.block[m]); }
    return size;
}
std::size_t volume(const std::array<std::size_t, 3>& size) { return size[0] * size[1] * size[2]; }

template <class Number> std::int64_t largest(const Number* numbers, std::size_t count)
{
    std::int64_t most = 0;
    for (std::size_t i = 0; i < count; ++i) { most = std::max(most, std::abs(std::int64_t{numbers[i]})); }
    return most;
}

bool stays_in_range(const integer_problem& p)
{
    const std::size_t rows = p.blocks * p.block[p.mode], columns = p.blocks * p.made;
    const std::int64_t start = p.accumulate ? largest(p.y, volume(sizes_of(p, p.made))) : 0;
    const std::int64_t term =
        largest(p.x, volume(sizes_of(p, p.block[p.mode]))) * largest(p.coefficients, rows * columns);
    const std::int64_t room = std::numeric_limits<std::int32_t>::max() - start;
    return room >= 0 && (term == 0 || static_cast<std::int64_t>(rows) <= room / term);
}

// Sum by sum, in the order of the steps.
void run_in_order(const integer_problem& p, std::uint64_t* overflowed)
{
    const auto from = sizes_of(p, p.block[p.mode]), to = sizes_of(p, p.made);
    const std::size_t depth = p.block[p.mode], columns = to[p.mode];
    const std::array<std::size_t, 3> stride{from[1] * from[2], from[2], 1};
    std::size_t made = 0;
    std::array<std::size_t, 3> at{};
    for (at[0] = 0; at[0] < to[0]; ++at[0]) {
        for (at[1] = 0; at[1] < to[1]; ++at[1]) {
            for (at[2] = 0; at[2] < to[2]; ++at[2], ++made) {
                std::size_t block = 0, fibre = 0;
                for (unsigned m = 0; m < 3; ++m) {
                    block += p.advance[m] * (at[m] / (m == p.mode ? p.made : p.block[m]));
                    fibre += m == p.mode ? 0 : at[m] * stride[m];
                }
                std::int32_t sum = p.accumulate ? p.y[made] : 0;
                for (std::size_t t = 0; t < p.blocks; ++t, block += p.ascending ? 1 : p.blocks - 1) {
                    for (std::size_t n = block % p.blocks * depth, j = 0; j < depth; ++j, ++n) {
                        const auto x = static_cast<std::int8_t>(p.x[fibre + n * stride[p.mode]]);
                        const auto c = p.coefficients[n * columns + at[p.mode]];
                        overflowed[t] += mac_overflows<std::int8_t>(sum, x, c) ? 1 : 0;
                        sum = mac(sum, x, c);
                    }
                }
                p.y[made] = sum;
            }
        }
    }
}

} // namespace

void rotated_product<std::int8_t>::run(const problem& p, std::uint64_t* overflowed)
{
    if (stays_in_range(p)) {
        run_in_range(p);
    } else {
        run_in_order(p, overflowed);
    }
}

void rotated_product<std::int8_t>::run_in_range(const problem& p)
{
    const auto size = sizes_of(p, p.block[p.mode]);
    mode_product<std::int8_t>::problem q;
    q.outer = p.mode == 0 ? 1 : p.mode == 1 ? size[0] : size[0] * size[1];
    q.inner = p.mode == 2 ? 1 : p.mode == 1 ? size[2] : size[1] * size[2];
    q.rows = size[p.mode];
    q.columns = p.blocks * p.made;
    q.x = p.x;
    q.y = p.y;
    q.accumulate = p.accumulate;
    q.skip_zeros = false;
    m_terms.clear();
    for (std::uint32_t row = 0; row < q.rows; ++row) {
        const auto* const from = p.coefficients + row * q.columns;
        const auto zeros = std::count(from, from + q.columns, std::int8_t{0});
        m_terms.push_back({reinterpret_cast<const unsigned char*>(from), row,
                           static_cast<std::uint32_t>(q.columns) - static_cast<std::uint32_t>(zeros)});
    }
    m_counts.resize(m_terms.size());
    q.terms = m_terms.data();
    q.term_count = m_terms.size();
    m_in_range.run(q, m_counts.data());
}

} // namespace tensorloom::arithmetic
