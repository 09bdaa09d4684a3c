#include <immintrin.h>
#include <tensorloom/models/arithmetic/gemm_kernels.h>
#include <tensorloom/models/arithmetic/gemm_tile.h>

namespace tensorloom::arithmetic {
namespace {

struct four_doubles {
    using real = double;
    using vector = __m256d;
    static constexpr unsigned width = 4;
    static vector zero() { return _mm256_setzero_pd(); }
    static vector load(const double* p) { return _mm256_loadu_pd(p); }
    static void store(double* p, vector v) { _mm256_storeu_pd(p, v); }
    static vector broadcast(double x) { return _mm256_set1_pd(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm256_fmadd_pd(x, y, sum); }
};

struct eight_floats {
    using real = float;
    using vector = __m256;
    static constexpr unsigned width = 8;
    static vector zero() { return _mm256_setzero_ps(); }
    static vector load(const float* p) { return _mm256_loadu_ps(p); }
    static void store(float* p, vector v) { _mm256_storeu_ps(p, v); }
    static vector broadcast(float x) { return _mm256_set1_ps(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm256_fmadd_ps(x, y, sum); }
};

constexpr gemm_kernel<double> doubles{"avx2",
                                      4,
                                      8,
                                      &gemm_tile_rows<four_doubles, 4, 2>,
                                      &scan_row<double>,
                                      &scan_columns<double>,
                                      &mac_row<double>,
                                      &mac_row_complex<complex_row_factors<double>, double>};
constexpr gemm_kernel<float> floats{"avx2",
                                    4,
                                    16,
                                    &gemm_tile_rows<eight_floats, 4, 2>,
                                    &scan_row<float>,
                                    &scan_columns<float>,
                                    &mac_row<float>,
                                    &mac_row_complex<complex_row_factors<float>, float>};

} // namespace

template <> const gemm_kernel<double>& avx2_gemm_kernel<double>() { return doubles; }
template <> const gemm_kernel<float>& avx2_gemm_kernel<float>() { return floats; }

} // namespace tensorloom::arithmetic
