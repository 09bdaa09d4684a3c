#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/workloads/csr_matrix.h>
#include <tensorloom/workloads/mmv/program_builder.h>

namespace tensorloom::workloads {

/// Sizes of a matrix product: rows x inner by inner x columns.
struct product_shape {
    std::uint64_t rows = 0;
    std::uint64_t inner = 0;
    std::uint64_t columns = 0;
};

/// What an operation of variants.h works on. T: int64_t or double.
///
///     scan, difference              x
///     compress, segmented sum/scan  x, flags
///     product                       x, y, bits
///     matrix product                x (row by row), y (row by row), shape, bits
///     spmv                          matrix, x (a number per column), bits
template <class T> struct segmented_problem {
    std::vector<T> x;
    std::vector<T> y;
    std::vector<std::uint8_t> flags; ///< as many as x; 1 starts a segment (of compress: keeps the element). The first
                                     ///< element always starts one
    csr_matrix<T> matrix;
    product_shape shape;
    std::optional<unsigned>
        bits; ///< operands of products are 0 to 2^bits - 1, products are made by EWMUL; none: by the instruction MUL
};

/// What the device made of a problem, and what that took.
template <class T> struct segmented_result : session_costs {
    std::vector<T> values; ///< matrices row by row
};

} // namespace tensorloom::workloads
