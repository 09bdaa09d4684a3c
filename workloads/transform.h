#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

// Transforms along the modes of a tensor: their names, their matrices and the values that these are made of, and what a
// fast algorithm would take.

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

/// The transform of a name as in the table above, nothing abbreviated. Throws base::input_error, which lists the names.
transform parse_transform(const std::string& name);

/// The name that parse_transform() understands.
std::string transform_name(const transform& which);

/// True for the DFT and for a file of complex elements (reads its header; throws base::input_error).
bool needs_complex(const transform& which);

/// How coefficients are scaled; identity and file never are.
enum class normalization {
    /// forward and inverse alike: dft dht dwht 1/sqrt(N); dct dst sqrt(2/N), but sqrt(1/N) at k = 0 of dct, N-1 of dst
    orthonormal,
    /// number for number what FFTW gives: forward dft dht dwht 1, dct dst 2; the inverse is the exact inverse matrix
    backward
};

/// "orthonormal" or "backward"; throws base::input_error.
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
/// Throws base::input_error: a size of 0 or beyond 2^31; dwht with N no power of two; a DFT or complex file with a real
/// T; a file of another shape; an inverse of a file matrix that is not square, singular to double precision, not
/// finite, or whose inverse overflows T; with int8 a coefficient that is not whole or outside -128 to 127.
template <class T>
std::vector<T> transform_matrix(const transform& which, std::size_t rows, std::size_t columns, normalization scaling,
                                bool inverse);

/// cos(2 pi a / m) of a rational part of a turn, a < m <= 2^33.
///
/// The fraction is folded to the first octant in integers before anything is rounded: zeros are +0, ones exact, and
/// values that are equal by symmetry are equal in every bit.
long double cosine_of_turn(std::uint64_t a, std::uint64_t m);

/// sin(2 pi a / m), alike.
long double sine_of_turn(std::uint64_t a, std::uint64_t m);

/// cos(2 pi a / m) + sin(2 pi a / m), alike, without cancellation.
long double cas_of_turn(std::uint64_t a, std::uint64_t m);

/// Real additions and multiplications that a fast Fourier transform of N = N1 x N2 x N3 points is credited with: 5 N
/// log2 N of complex data, half of that of real data; the transforms along mode s have 5 N log2 N_s of it.
///
/// A yardstick for the direct sums of a device, not the exact count of any program: it is that of the radix-2 algorithm
/// to leading order, taken for every size; split-radix needs a fifth less. Real transforms other than the DFT (DCT,
/// DST, DHT) have fast algorithms of the same order as that of a real DFT.
/// Source: the convention of the FFTW benchmark (benchFFT); M. Frigo and S. G. Johnson, The Design and Implementation
/// of FFTW3, Proceedings of the IEEE 93(2), 2005.
struct fft_operations {
    std::array<double, 3> by_mode{};
    double total = 0;
};

/// Of a problem that turns n1 x n2 x n3 points into k1 x k2 x k3: of the larger size in every mode.
fft_operations operations_of_fft(const shape3& n, const shape3& k, bool complex_data);

/// Real additions and multiplications of one multiply-add of the device: 2, of complex elements 8.
constexpr double operations_per_mac(bool complex_data) { return complex_data ? 8 : 2; }

} // namespace tensorloom::workloads
