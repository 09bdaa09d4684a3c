#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

// Transforms along the modes of a tensor: names, matrices, coefficients, operation counts of fast algorithms.

enum class transform_kind { dft, dht, dct, dst, dwht, dwht_sequency, identity, none, file };

/// A linear map along one mode of a tensor.
///
///     dft            exp(-2 pi i n k / N)                      complex
///     dht            cos(2 pi n k / N) + sin(2 pi n k / N)
///     dct            cos(pi (2n+1) k / (2N))                   DCT-II
///     dst            sin(pi (2n+1) (k+1) / (2N))               DST-II
///     dwht           (-1)^popcount(n & k)                      N a power of two; k in natural order
///     dwht-sequency  the same columns, k = their number of sign changes: dwht's column bit_reverse(k ^ k >> 1)
///     identity       1 where n = k
///     none           the mode is left as it is: no matrix, no stage
///     file:PATH      C[n, k] from a .npy file
struct transform {
    transform_kind kind = transform_kind::identity;
    std::string path; ///< of a file
};

/// Finds a transform by its full name in the table above. Throws base::input_error, which lists the names.
transform parse_transform(const std::string& name);

/// Inverse of parse_transform().
std::string transform_name(const transform& which);

/// True for the DFT and for a file of complex elements (reads its header; throws base::input_error).
bool needs_complex(const transform& which);

/// Scaling of coefficients; identity and file are not scaled.
enum class normalization {
    /// forward and inverse: dft dht dwht 1/sqrt(N); dct dst sqrt(2/N), but sqrt(1/N) at k = 0 of dct, N-1 of dst
    orthonormal,
    /// as FFTW: forward dft dht dwht 1, dct dst 2; the inverse is the exact inverse matrix
    backward
};

/// "orthonormal" or "backward"; throws base::input_error.
normalization parse_normalization(const std::string& name);

/// The rows x columns matrix C of a transform (not `none`), row-major: C[i, j] weighs element i of the input in element
/// j of the output, forward and inverse. A named transform is square, of size N = max(rows, columns); C is the block of
/// its (or its inverse's) first rows and columns.
///
/// Exact where possible: the integer argument is reduced, folded to the first octant, evaluated and scaled in long
/// double, and rounded once to T. True zeros are +0 in every build, and an unscaled 1 or -1 is exact. The inverse of a
/// file matrix is computed by LU in long double. T: double, float, complex of both, bfloat16, int8; a file's elements
/// are rounded to T. int8 coefficients are not rounded, they must be whole (identity, dwht with the scaling backward, a
/// file; the inverse of a file within 1e-9). Throws base::input_error: a size of 0 or beyond 2^31; dwht with N not a
/// power of two; a DFT or complex file with a real T; a file of another shape; an inverse of a file matrix that is not
/// square, singular to double precision, not finite, or whose inverse overflows T; with int8 a coefficient not in -128
/// to 127 or not whole.
template <class T>
std::vector<T> transform_matrix(const transform& which, std::size_t rows, std::size_t columns, normalization scaling,
                                bool inverse);

/// cos(2 pi a / m), a < m <= 2^33. The fraction is folded to the first octant in integers before any rounding: zeros
/// are +0, ones exact, and values that are equal by symmetry have equal bits.
long double cosine_of_turn(std::uint64_t a, std::uint64_t m);

/// sin(2 pi a / m), likewise.
long double sine_of_turn(std::uint64_t a, std::uint64_t m);

/// cos(2 pi a / m) + sin(2 pi a / m), likewise, without cancellation.
long double cas_of_turn(std::uint64_t a, std::uint64_t m);

/// Nominal real additions and multiplications of a fast Fourier transform of N = N1 x N2 x N3 points: 5 N log2 N for
/// complex data, half for real data; transforms along mode s have 5 N log2 N_s. A yardstick for the direct sums of a
/// device, not the exact count of a program: the leading term of the radix-2 algorithm, used for every size;
/// split-radix takes a fifth less. Other real transforms (DCT, DST, DHT) have fast algorithms of the order of a real
/// DFT. Source: the convention of the FFTW benchmark (benchFFT); M. Frigo and S. G. Johnson, The Design and
/// Implementation of FFTW3, Proceedings of the IEEE 93(2), 2005.
struct fft_operations {
    std::array<double, 3> by_mode{};
    double total = 0;
};

/// For a problem of n1 x n2 x n3 points with k1 x k2 x k3 results: uses the larger size of every mode. `total` is over
/// all modes.
fft_operations operations_of_fft(const shape3& n, const shape3& k, bool complex_data);

/// Real additions and multiplications per multiply-add of the device: 2, complex 8.
constexpr double operations_per_mac(bool complex_data) { return complex_data ? 8 : 2; }

} // namespace tensorloom::workloads
