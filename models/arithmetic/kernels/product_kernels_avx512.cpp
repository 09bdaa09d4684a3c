// Products of matrices, dense and by lists of coefficients, and the rounding of their sums.
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding_loop.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/gemm_loops.h>
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx2.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx512.h>

namespace tensorloom::arithmetic {

namespace {

__mmask16 lowest(std::size_t n) { return static_cast<__mmask16>((1u << n) - 1u); }

/// Half a vector, masked as AVX-512 does: storing is much faster than with AVX2.
struct half_of_doubles : four_doubles {
    static void store_first(double* p, vector v, std::size_t n) { _mm256_mask_storeu_pd(p, lowest(n), v); }
    static vector lower(vector, vector v) { return v; }
};
struct half_of_floats : eight_floats {
    static void store_first(float* p, vector v, std::size_t n) { _mm256_mask_storeu_ps(p, lowest(n), v); }
    static vector lower(vector, vector v) { return v; }
};

struct tile_of_doubles : eight_doubles {
    using half = half_of_doubles;
    static constexpr std::size_t rows = 8;
    static constexpr std::size_t vectors = 3;
    static __m256d lower(__m256d, vector v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
    static vector lower(vector, vector v) { return v; }
    static vector minus_itself(vector v) { return _mm512_sub_pd(v, v); }
    static vector merged(vector x, vector y)
    {
        return _mm512_castsi512_pd(_mm512_or_si512(_mm512_castpd_si512(x), _mm512_castpd_si512(y)));
    }

    using counts = __m512i;
    static unsigned count(mask nonzeros) { return static_cast<unsigned>(__builtin_popcount(nonzeros)); }
    static counts no_counts() { return _mm512_setzero_si512(); }
    static counts increased(counts sum, mask nonzeros)
    {
        return _mm512_mask_add_epi64(sum, nonzeros, sum, _mm512_set1_epi64(1));
    }
    static void add_counts(std::uint32_t* to, counts sum, std::size_t n)
    {
        const auto used = static_cast<__mmask8>(lowest(n));
        const __m256i narrow = _mm512_maskz_cvtepi64_epi32(used, sum);
        _mm256_mask_storeu_epi32(to, used, _mm256_add_epi32(_mm256_maskz_loadu_epi32(used, to), narrow));
    }
};

struct tile_of_floats : sixteen_floats {
    using half = half_of_floats;
    static constexpr std::size_t rows = 8;
    static constexpr std::size_t vectors = 3;
    static __m256 lower(__m256, vector v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); }
    static vector lower(vector, vector v) { return v; }
    static vector minus_itself(vector v) { return _mm512_sub_ps(v, v); }
    static vector merged(vector x, vector y)
    {
        return _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(x), _mm512_castps_si512(y)));
    }

    using counts = __m512i;
    static unsigned count(mask nonzeros) { return static_cast<unsigned>(__builtin_popcount(nonzeros)); }
    static counts no_counts() { return _mm512_setzero_si512(); }
    static counts increased(counts sum, mask nonzeros)
    {
        return _mm512_mask_add_epi32(sum, nonzeros, sum, _mm512_set1_epi32(1));
    }
    static void add_counts(std::uint32_t* to, counts sum, std::size_t n)
    {
        const auto used = lowest(n);
        _mm512_mask_storeu_epi32(to, used, _mm512_add_epi32(_mm512_maskz_loadu_epi32(used, to), sum));
    }
};

} // namespace

template <> const gemm_kernel<double> gemm_kernel<double>::avx512 = make_gemm_kernel<tile_of_doubles>("avx512");
template <> const gemm_kernel<float> gemm_kernel<float>::avx512 = make_gemm_kernel<tile_of_floats>("avx512");

// Transposing by smaller squares takes half the time: shuffles across 512 bits are slow.

template <>
const list_kernel<double> list_kernel<double>::avx512 = make_list_kernel<eight_doubles, 8, four_doubles>("avx512", 0.38,
                                                                                                         0.6);
template <>
const list_kernel<float> list_kernel<float>::avx512 = make_list_kernel<sixteen_floats, 8, eight_floats>("avx512", 0.38,
                                                                                                        0.6);

const bfloat16_rounding bfloat16_rounding::avx512{"avx512", &round_to_bfloat16};

} // namespace tensorloom::arithmetic
