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

/// Operands of an operation of variants.h. T: int64_t or double.
///
///     scan, difference, copy        x
///     compress, segmented sum/scan  x, flags
///     product                       x, y, bits
///     matrix product                x (row by row), y (row by row), shape, bits
///     spmv                          matrix, x (a number per column), bits
template <class T> struct segmented_problem {
    std::vector<T> x;
    std::vector<T> y;
    std::vector<std::uint8_t>
        flags; ///< one per element of x; 1 starts a segment (compress: keeps the element); element 0 always starts one
    csr_matrix<T> matrix;
    product_shape shape;
    std::optional<unsigned> bits; ///< products by EWMUL with operands 0 to 2^bits - 1; none: by MUL
};

/// Result and costs on a device.
template <class T> struct segmented_result : session_costs {
    std::vector<T> values; ///< matrices are stored row by row
    /// Operands and result in the device's memory, each once; constants, masks and programs aside.
    std::uint64_t data_bytes = 0;
    std::uint64_t shared_bytes = 0; ///< of these: what every part of a divided problem has (parts.h)
};

} // namespace tensorloom::workloads
