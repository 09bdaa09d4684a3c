#pragma once
#include <cstdint>
#include <vector>
#include "support/mmv_reference_format.h"
#include "support/mmv_reference_words.h"

namespace tensorloom::test {

template <class Element> void units_in_format<Element>::matmul(const mmv::matmul_command& m)
{
    constexpr std::int64_t element_bytes = sizeof(Element);
    const std::int64_t s = m_limits.side;
    const std::int64_t rows = static_cast<std::int64_t>(ceiling(m.words, m_limits.side));
    const auto exists = [&](std::int64_t i, std::int64_t j, std::uint32_t columns) {
        return i * s + j < std::int64_t{m.words} && j < std::int64_t{columns};
    };

    // The array holds s x s weights, those that the command does not have as 0.
    std::vector<Element> weights(static_cast<std::size_t>(s * s));
    const reference_scratchpad::weights now{m.weights.address, m.weights.row_stride * element_bytes, m.left_columns,
                                            m.result_columns * element_bytes};
    for (std::int64_t i = 0; i < m.left_columns; ++i) {
        for (std::int64_t j = 0; j < m.result_columns; ++j) {
            const std::int64_t at = std::int64_t{m.weights.address} + (i * m.weights.row_stride + j) * element_bytes;
            weights[static_cast<std::size_t>(i * s + j)] = m_scratchpad.get<Element>(at);
        }
    }
    const bool kept = m_scratchpad.resident() == now;

    std::uint64_t overflowed = 0;
    std::vector<Element> x(static_cast<std::size_t>(s));
    std::vector<word> z(static_cast<std::size_t>(rows * s));
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < s; ++i) {
            x[static_cast<std::size_t>(i)] =
                exists(r, i, m.left_columns) ? m_scratchpad.get<Element>(std::int64_t{m.left.address} +
                                                                         (r * m.left.row_stride + i) * element_bytes)
                                             : Element(0);
        }
        for (std::int64_t j = 0; j < s; ++j) {
            word sum = 0;
            for (std::int64_t i = 0; i < s; ++i) {
                multiply_add(sum, x[static_cast<std::size_t>(i)], weights[static_cast<std::size_t>(i * s + j)],
                             overflowed);
            }
            z[static_cast<std::size_t>(r * s + j)] = sum;
        }
    }
    m_scratchpad.set_resident(now);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t j = 0; j < s; ++j) {
            if (exists(r, j, m.result_columns)) {
                put(std::int64_t{m.result.address} + (r * m.result.row_stride + j) * word_bytes,
                    z[static_cast<std::size_t>(r * s + j)]);
            }
        }
    }

    const auto square = static_cast<std::uint64_t>(s * s);
    m_counts[event::matmul_call] += 1;
    m_counts[event::matmul_row] += static_cast<std::uint64_t>(rows);
    m_counts[event::mac] += static_cast<std::uint64_t>(rows) * square;
    m_counts[event::weight_load] += kept ? 0 : 1;
    m_counts[event::weight_write] += kept ? 0 : square;
    m_counts[event::mac_overflowed] += overflowed;
    if (overflowed != 0) { throw reference_failure{error_code::accumulator_overflow, "sum"}; }
}

template <class Element> void units_in_format<Element>::product(const mmv::product_command& p, bool accumulate)
{
    constexpr std::int64_t element_bytes = sizeof(Element);
    const std::int64_t s = m_limits.side, wide = p.tile_columns == 0 ? s : std::int64_t{p.tile_columns};
    const auto at = [](const mmv::matrix_operand& o, std::int64_t row, std::int64_t column, std::int64_t bytes) {
        return std::int64_t{o.address} + (row * o.row_stride + column) * bytes;
    };
    std::uint64_t overflowed = 0, tiles = 0, added = 0;
    for (std::int64_t n = 0; n < p.columns; n += wide) {
        for (std::int64_t k = 0; k < p.depth; k += s, ++tiles) {
            for (std::int64_t r = 0; r < p.rows; ++r) {
                for (std::int64_t j = 0; j < s; ++j) { // the array has s columns and s rows, some of them of zeros
                    const bool exists = j < wide && n + j < std::int64_t{p.columns};
                    word sum = 0;
                    for (std::int64_t i = 0; i < s; ++i) {
                        const bool deep = k + i < std::int64_t{p.depth};
                        const auto x =
                            deep ? m_scratchpad.get<Element>(at(p.left, r, k + i, element_bytes)) : Element(0);
                        const auto w = deep && exists
                                           ? m_scratchpad.get<Element>(at(p.weights, k + i, n + j, element_bytes))
                                           : Element(0);
                        multiply_add(sum, x, w, overflowed);
                    }
                    if (!exists) { continue; }
                    const std::int64_t z = at(p.result, r, n + j, word_bytes);
                    const bool adds = accumulate || k > 0;
                    added += adds ? 1 : 0;
                    put(z, adds ? plus(get(z), sum, overflowed) : sum);
                }
            }
        }
    }
    m_scratchpad.set_resident(std::nullopt);

    const auto square = static_cast<std::uint64_t>(s * s);
    const std::uint64_t calls = p.call_rows == 0 ? 1 : ceiling(p.rows, p.call_rows);
    m_counts[event::matmul_call] += tiles * calls;
    m_counts[event::matmul_row] += tiles * p.rows;
    m_counts[event::mac] += tiles * p.rows * square;
    m_counts[event::weight_load] += tiles;
    m_counts[event::weight_write] += tiles * square;
    m_counts[event::sum_added] += added;
    m_counts[event::mac_overflowed] += overflowed;
    if (overflowed != 0) { throw reference_failure{error_code::accumulator_overflow, "sum"}; }
}

} // namespace tensorloom::test
