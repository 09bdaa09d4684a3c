#pragma once
#include <algorithm>
#include <cstdint>

namespace tensorloom::blocks {

/// When things happen in a weight-stationary array of s x s elements, as formulas. Plain C++; cycles from 0, the start
/// of a load or of a stream.
///
/// A port brings or takes whole words, so many per cycle, as a steady flow: what is left over in one cycle serves the
/// next row. Source: (m,l)-TCU (arXiv 1908.06649), section 2.2, with the cycle numbers corrected.
struct systolic_schedule {
    unsigned side = 1;      ///< s
    unsigned in_words = 1;  ///< words per cycle into the array, 1 to side
    unsigned out_words = 1; ///< words per cycle out of it, 1 to side

    /// The row of weights that comes as number `row` of s enters in this cycle; the memory takes `row_cycles` for each.
    std::uint64_t load_entry(std::uint64_t row, std::uint64_t row_cycles = 1) const
    {
        return last_entry(row + 1, row_cycles, in_words);
    }
    std::uint64_t load_cycles(std::uint64_t row_cycles = 1) const { return load_entry(side - 1, row_cycles) + 1; }

    /// Row r of a stream enters the first element in this cycle. A result needs its place at the output port as an
    /// operand does at the input's.
    std::uint64_t entry(std::uint64_t row, std::uint64_t row_cycles = 1) const
    {
        return last_entry(row + 1, row_cycles, std::min(in_words, out_words));
    }

    /// Element j of row r of the result is there at the end of this cycle.
    std::uint64_t output(std::uint64_t row, std::uint64_t column, std::uint64_t row_cycles = 1) const
    {
        return entry(row, row_cycles) + side - 1 + column;
    }

    /// From the first row's entry to the last result: 1 or more rows.
    std::uint64_t stream_cycles(std::uint64_t rows, std::uint64_t row_cycles = 1) const
    {
        return output(rows - 1, side - 1, row_cycles) + 1;
    }

    /// Cycles at the end of a stream in which no row can enter.
    std::uint64_t drain_cycles() const { return 2 * std::uint64_t{side} - 2; }

private:
    std::uint64_t last_entry(std::uint64_t rows, std::uint64_t row_cycles, std::uint64_t port_words) const
    {
        return std::max(rows * row_cycles, (rows * side + port_words - 1) / port_words) - 1;
    }
};

} // namespace tensorloom::blocks
