#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arithmetic {

/// Rows of registers of processing elements start this many floats apart, or a multiple of it; kernels may read and
/// write the space after the last column.
inline constexpr unsigned pe_row_pitch = 8;

/// One multiply-add in each PE of some rows of an array: psum(r, n) = sum[r][n] + ia[r] ib[r][n], as arithmetic/psum.h
/// says.
///
/// Rows are done from the last to the first, so sum[r] may be row r of psum or any row above it.
struct pe_rows {
    std::uint32_t rows = 0;            ///< bit r: row r takes part
    unsigned columns = 0;              ///< n
    std::size_t pitch = pe_row_pitch;  ///< from a row of psum to the next
    const float* const* sum = nullptr; ///< by row: addends of its columns
    const float* ia = nullptr;         ///< by row: factor of all its columns
    const float* const* ib = nullptr;  ///< by row: factor of each column
    float* psum = nullptr;
};

/// For one instruction set. All kernels give the same bits.
struct pe_rows_kernel {
    const char* name;                      ///< "portable", "avx2"
    void (*multiply_f32)(const pe_rows&);  ///< psums in float
    void (*multiply_bf16)(const pe_rows&); ///< in bfloat16

    static const pe_rows_kernel portable, avx2;
};

} // namespace tensorloom::arithmetic
