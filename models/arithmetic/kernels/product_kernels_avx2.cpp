// Products of matrices, dense and by lists of coefficients, and the rounding of their sums.
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding_loop.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/gemm_loops.h>
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx2.h>

namespace tensorloom::arithmetic {

namespace {

struct half_of_doubles {
    using vector = __m128d;
    static __m128i first(std::size_t n)
    {
        return _mm_cmpgt_epi64(_mm_set1_epi64x(static_cast<long long>(n)), _mm_set_epi64x(1, 0));
    }
    static vector zero() { return _mm_setzero_pd(); }
    static vector load_first(const double* p, std::size_t n) { return _mm_maskload_pd(p, first(n)); }
    static void store_first(double* p, vector v, std::size_t n) { _mm_maskstore_pd(p, first(n), v); }
    static vector fma(vector x, vector y, vector sum) { return _mm_fmadd_pd(x, y, sum); }
    static int nonzero(vector v) { return _mm_movemask_pd(_mm_cmpneq_pd(v, zero())); }
    static unsigned count(int nonzeros)
    {
        return static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(nonzeros)));
    }
    static vector minus_itself(vector v) { return _mm_sub_pd(v, v); }
    static vector merged(vector x, vector y) { return _mm_or_pd(x, y); }
    static bool any_nan(vector v) { return _mm_movemask_pd(_mm_cmpunord_pd(v, v)) != 0; }
};
struct half_of_floats {
    using vector = __m128;
    static __m128i first(std::size_t n)
    {
        return _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(n)), _mm_setr_epi32(0, 1, 2, 3));
    }
    static vector zero() { return _mm_setzero_ps(); }
    static vector load_first(const float* p, std::size_t n) { return _mm_maskload_ps(p, first(n)); }
    static void store_first(float* p, vector v, std::size_t n) { _mm_maskstore_ps(p, first(n), v); }
    static vector fma(vector x, vector y, vector sum) { return _mm_fmadd_ps(x, y, sum); }
    static int nonzero(vector v) { return _mm_movemask_ps(_mm_cmpneq_ps(v, zero())); }
    static unsigned count(int nonzeros)
    {
        return static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(nonzeros)));
    }
    static vector minus_itself(vector v) { return _mm_sub_ps(v, v); }
    static vector merged(vector x, vector y) { return _mm_or_ps(x, y); }
    static bool any_nan(vector v) { return _mm_movemask_ps(_mm_cmpunord_ps(v, v)) != 0; }
};

struct tile_of_doubles : four_doubles {
    using half = half_of_doubles;
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 3;
    static __m128d lower(__m128d, vector v) { return _mm256_castpd256_pd128(v); }
    static vector lower(vector, vector v) { return v; }

    using counts = __m256i; // of 64 bits
    static counts no_counts() { return _mm256_setzero_si256(); }
    static counts increased(counts sum, mask nonzeros) { return _mm256_sub_epi64(sum, _mm256_castpd_si256(nonzeros)); }
    static void add_counts(std::uint32_t* to, counts sum, std::size_t n)
    {
        std::uint64_t each[width];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(each), sum);
        for (std::size_t k = 0; k < n; ++k) { to[k] += static_cast<std::uint32_t>(each[k]); }
    }
};

struct tile_of_floats : eight_floats {
    using half = half_of_floats;
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 3;
    static __m128 lower(__m128, vector v) { return _mm256_castps256_ps128(v); }
    static vector lower(vector, vector v) { return v; }

    using counts = __m256i; // of 32 bits
    static counts no_counts() { return _mm256_setzero_si256(); }
    static counts increased(counts sum, mask nonzeros) { return _mm256_sub_epi32(sum, _mm256_castps_si256(nonzeros)); }
    static void add_counts(std::uint32_t* to, counts sum, std::size_t n)
    {
        std::uint32_t each[width];
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(each), sum);
        for (std::size_t k = 0; k < n; ++k) { to[k] += each[k]; }
    }
};

} // namespace

template <> const gemm_kernel<double> gemm_kernel<double>::avx2 = make_gemm_kernel<tile_of_doubles>("avx2");
template <> const gemm_kernel<float> gemm_kernel<float>::avx2 = make_gemm_kernel<tile_of_floats>("avx2");

template <>
const list_kernel<double> list_kernel<double>::avx2 = make_list_kernel<four_doubles, 8, four_doubles>("avx2", 0.3,
                                                                                                      0.38);
template <>
const list_kernel<float> list_kernel<float>::avx2 = make_list_kernel<eight_floats, 8, eight_floats>("avx2", 0.3, 0.38);

const bfloat16_rounding bfloat16_rounding::avx2{"avx2", &round_to_bfloat16};

} // namespace tensorloom::arithmetic
