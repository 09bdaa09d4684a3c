#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/blocks/systolic_array.h>
#include "models/arithmetic/naive_rows.h"
#include "support/same_bits.h"

namespace tensorloom::test {

inline const sc_core::sc_time& array_period()
{
    static const sc_core::sc_time period(2, sc_core::SC_NS);
    return period;
}

/// Runs some work in a thread of the simulation, from time 0 to its end. Once per process.
inline void simulate(const std::function<void()>& work)
{
    bool finished = false;
    sc_core::sc_spawn([&] {
        work();
        finished = true;
    });
    sc_core::sc_start();
    if (!finished) { SC_REPORT_ERROR("/tensorloom/test/simulate", "the work did not end"); }
}

/// Every result that leaves an array: row, column, cycle.
struct heard_results : blocks::output_listener {
    std::vector<std::tuple<std::uint64_t, unsigned, std::uint64_t>> all;
    void result_out(std::uint64_t row, unsigned column, std::uint64_t cycle) override
    {
        all.emplace_back(row, column, cycle);
    }
};

/// A stream with its operands and the memory of its results.
template <class Element> struct array_job {
    using word = word_of<Element>;

    unsigned side = 1;
    unsigned left_columns = 1;
    unsigned result_columns = 1;
    std::uint64_t elements_of_rows = 1; // that exist: rows of `side`, the last one perhaps not whole
    std::uint64_t weight_row_cycles = 1;
    std::uint64_t row_cycles = 1;
    std::uint64_t call_rows = 0, call_interval = 0;
    std::ptrdiff_t weights_stride = 1;
    std::ptrdiff_t left_stride = 1;   // may be negative: the first row is then the last one in memory
    std::ptrdiff_t result_stride = 1; // likewise
    std::vector<Element> weights;
    std::vector<Element> left;
    std::vector<word> result;
    bool in_place = false; // results replace the operands

    std::uint64_t rows() const { return (elements_of_rows + side - 1) / side; }

    /// Everything whole, without gaps.
    template <class Random, class Draw>
    static array_job whole(unsigned side, std::uint64_t rows, Random& random, const Draw& draw)
    {
        array_job job;
        job.side = job.left_columns = job.result_columns = side;
        job.elements_of_rows = rows * side;
        job.weights_stride = job.left_stride = job.result_stride = static_cast<std::ptrdiff_t>(side);
        job.fill(random, draw);
        return job;
    }
    template <class Random, class Draw> void fill(Random& random, const Draw& draw)
    {
        const auto room = [](std::uint64_t n, std::ptrdiff_t stride, unsigned columns) {
            return (n - 1) * static_cast<std::uint64_t>(std::abs(stride)) + columns;
        };
        weights = elements<Element>(room(left_columns, weights_stride, result_columns), random, draw);
        left = elements<Element>(room(rows(), left_stride, left_columns), random, draw);
        result.assign(room(rows(), result_stride, result_columns), word(77));
    }

    blocks::load_outcome load(blocks::systolic_array& array) const
    {
        return array.load({reinterpret_cast<const unsigned char*>(first(weights.data(), weights_stride, left_columns)),
                           weights_stride, left_columns, result_columns, weight_row_cycles});
    }
    blocks::stream_outcome stream(blocks::systolic_array& array)
    {
        blocks::array_rows r;
        r.left = reinterpret_cast<const unsigned char*>(first(left.data(), left_stride, rows()));
        r.left_stride = left_stride;
        r.left_columns = left_columns;
        r.result = in_place ? reinterpret_cast<unsigned char*>(first(left.data(), left_stride, rows()))
                            : reinterpret_cast<unsigned char*>(first(result.data(), result_stride, rows()));
        r.result_stride = result_stride;
        r.result_columns = result_columns;
        r.elements = elements_of_rows;
        r.pace = {row_cycles, call_rows, call_interval};
        return array.stream(r);
    }

    /// Columns of a row of `columns` that exist.
    unsigned in_row(std::uint64_t row, unsigned columns) const
    {
        const std::uint64_t before = row * side;
        unsigned n = 0;
        while (n < columns && before + n < elements_of_rows) { ++n; }
        return n;
    }

    /// What the results must be when those of `left(row, column)` have left, and how many multiply-adds overflow in all
    /// rows.
    std::pair<std::vector<word>, std::uint64_t> expected(const std::function<bool(std::uint64_t, unsigned)>& has_left =
                                                             [](std::uint64_t, unsigned) { return true; }) const
    {
        std::vector<Element> padded(std::size_t{side} * side);
        const Element* const w = first(weights.data(), weights_stride, left_columns);
        for (unsigned i = 0; i < left_columns; ++i) {
            std::copy_n(w + i * weights_stride, result_columns, padded.data() + std::size_t{i} * side);
        }
        std::vector<word> to = memory();
        std::uint64_t overflowed = 0;
        for (std::uint64_t r = 0; r < rows(); ++r) {
            std::vector<Element> x(side);
            const auto row = static_cast<std::ptrdiff_t>(r);
            std::copy_n(first(left.data(), left_stride, rows()) + row * left_stride, in_row(r, left_columns), x.data());
            word* const z = first(to.data(), result_stride, rows()) + row * result_stride;
            for (unsigned j = 0; j < side; ++j) {
                const word sum = naive_sum(x.data(), padded.data() + j, side, side, overflowed);
                if (j < in_row(r, result_columns) && has_left(r, j)) { z[j] = sum; }
            }
        }
        return {to, overflowed};
    }

    /// Where the results go.
    std::vector<word> memory() const
    {
        if constexpr (std::is_same_v<Element, word>) {
            if (in_place) { return left; }
        }
        return result;
    }

private:
    template <class Pointer> static Pointer first(Pointer memory, std::ptrdiff_t stride, std::uint64_t rows)
    {
        return stride < 0 ? memory - stride * static_cast<std::ptrdiff_t>(rows - 1) : memory;
    }
};

} // namespace tensorloom::test
