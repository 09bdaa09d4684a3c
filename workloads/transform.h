#pragma once
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace tensorloom::workloads {

enum class transform_kind { dft, dht, dct, dst, dwht, dwht_sequency, identity, file };

/// A linear map along one mode of a tensor.
///
///     dft            exp(-2 pi i n k / N)                      complex
///     dht            cos(2 pi n k / N) + sin(2 pi n k / N)
///     dct            cos(pi (2n+1) k / (2N))                   DCT-II
///     dst            sin(pi (2n+1) (k+1) / (2N))               DST-II
///     dwht           (-1)^popcount(n & k)                      N a power of two; k in natural order
///     dwht-sequency  the same columns, k = their number of sign changes: dwht's column bit_reverse(k ^ k >> 1)
///     identity       1 where n = k
///     file:PATH      C[n, k] from a .npy file
struct transform {
    transform_kind kind = transform_kind::identity;
    std::string path; ///< of a file
};

/// The transform of a name as in the table above, nothing abbreviated. Throws arch::input_error, which lists the names.
transform parse_transform(const std::string& name);

/// The name that parse_transform() understands.
std::string transform_name(const transform& which);

/// True for the DFT and for a file of complex elements (reads its header; throws arch::input_error).
bool needs_complex(const transform& which);

/// How coefficients are scaled; identity and file never are.
enum class normalization {
    /// forward and inverse alike: dft dht dwht 1/sqrt(N); dct dst sqrt(2/N), but sqrt(1/N) at k = 0 of dct, N-1 of dst
    orthonormal,
    /// number for number what FFTW gives: forward dft dht dwht 1, dct dst 2; the inverse is the exact inverse matrix
    backward
};

/// "orthonormal" or "backward"; throws arch::input_error.
normalization parse_normalization(const std::string& name);

/// The rows x columns matrix C of a transform, row-major: C[i, j] weighs the input's element i in the output's element
/// j, forward and inverse. Of a named transform, which is square of size N = max(rows, columns), and of its inverse, it
/// is the block of the first rows and the first columns.
///
/// Exact where it can be: the integer argument is reduced, folded to the first octant, evaluated and scaled in long
/// double, and rounded once to T. True zeros are +0 in every build, and an unscaled 1 or -1 is exact.
/// The inverse of a file matrix comes by LU in long double. T: double, float, complex of both, bfloat16, int8; a file's
/// elements are rounded to T. Nothing is rounded to int8: coefficients are whole already (identity, dwht with the
/// scaling backward, a file; of a file's inverse within 1e-9), or refused.
/// Throws arch::input_error: a size of 0 or beyond 2^31; dwht with N no power of two; a DFT or complex file with a real
/// T; a file of another shape; an inverse of a file matrix that is not square, singular to double precision, not
/// finite, or whose inverse overflows T; with int8 a coefficient that is not whole or outside -128 to 127.
template <class T>
std::vector<T> transform_matrix(const transform& which, std::size_t rows, std::size_t columns, normalization scaling,
                                bool inverse);

} // namespace tensorloom::workloads
