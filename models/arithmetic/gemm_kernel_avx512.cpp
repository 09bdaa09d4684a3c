#include <immintrin.h>
#include <tensorloom/models/arithmetic/gemm_kernels.h>
#include <tensorloom/models/arithmetic/gemm_tile.h>

namespace tensorloom::arithmetic {
namespace {

struct eight_doubles {
    using real = double;
    using vector = __m512d;
    static constexpr unsigned width = 8;
    static vector zero() { return _mm512_setzero_pd(); }
    static vector load(const double* p) { return _mm512_loadu_pd(p); }
    static void store(double* p, vector v) { _mm512_storeu_pd(p, v); }
    static vector broadcast(double x) { return _mm512_set1_pd(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm512_fmadd_pd(x, y, sum); }
};

struct sixteen_floats {
    using real = float;
    using vector = __m512;
    static constexpr unsigned width = 16;
    static vector zero() { return _mm512_setzero_ps(); }
    static vector load(const float* p) { return _mm512_loadu_ps(p); }
    static void store(float* p, vector v) { _mm512_storeu_ps(p, v); }
    static vector broadcast(float x) { return _mm512_set1_ps(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm512_fmadd_ps(x, y, sum); }
};

constexpr gemm_kernel<double> doubles{"avx512",
                                      8,
                                      16,
                                      &gemm_tile_rows<eight_doubles, 8, 2>,
                                      &scan_row<double>,
                                      &scan_columns<double>,
                                      &mac_row<double>,
                                      &mac_row_complex<complex_row_factors<double>, double>};
constexpr gemm_kernel<float> floats{"avx512",
                                    8,
                                    32,
                                    &gemm_tile_rows<sixteen_floats, 8, 2>,
                                    &scan_row<float>,
                                    &scan_columns<float>,
                                    &mac_row<float>,
                                    &mac_row_complex<complex_row_factors<float>, float>};

} // namespace

template <> const gemm_kernel<double>& avx512_gemm_kernel<double>() { return doubles; }
template <> const gemm_kernel<float>& avx512_gemm_kernel<float>() { return floats; }

} // namespace tensorloom::arithmetic
