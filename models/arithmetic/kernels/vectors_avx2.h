#pragma once
#include <cstddef>
#include <immintrin.h>

// The vectors of the AVX2 kernels; list_tile.h and gemm_loops.h define their functions.
// In an anonymous namespace on purpose: only translation units compiled for that machine may hold this code.
namespace {

struct four_doubles {
    using real = double;
    using vector = __m256d;
    using mask = __m256d;
    static constexpr unsigned width = 4;
    static vector zero() { return _mm256_setzero_pd(); }
    static vector load(const double* p) { return _mm256_loadu_pd(p); }
    static vector load_first(const double* p, std::size_t n) { return _mm256_maskload_pd(p, first(n)); }
    static void store(double* p, vector v) { _mm256_storeu_pd(p, v); }
    static void store_first(double* p, vector v, std::size_t n) { _mm256_maskstore_pd(p, first(n), v); }
    static vector broadcast(double x) { return _mm256_set1_pd(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm256_fmadd_pd(x, y, sum); }
    static mask nonzero(vector x) { return _mm256_cmp_pd(x, zero(), _CMP_NEQ_UQ); }
    static mask either(mask a, mask b) { return _mm256_or_pd(a, b); }
    static vector fma_where(mask m, vector x, vector y, vector sum)
    {
        return _mm256_blendv_pd(sum, _mm256_fmadd_pd(x, y, sum), m);
    }
    static bool any_nan(vector x) { return _mm256_movemask_pd(_mm256_cmp_pd(x, x, _CMP_UNORD_Q)) != 0; }
    static unsigned count(mask nonzeros)
    {
        return static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(_mm256_movemask_pd(nonzeros))));
    }
    static vector minus_itself(vector v) { return _mm256_sub_pd(v, v); }
    static vector merged(vector x, vector y) { return _mm256_or_pd(x, y); }

private:
    static __m256i first(std::size_t n)
    {
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), _mm256_setr_epi64x(0, 1, 2, 3));
    }
};

struct eight_floats {
    using real = float;
    using vector = __m256;
    using mask = __m256;
    static constexpr unsigned width = 8;
    static vector zero() { return _mm256_setzero_ps(); }
    static vector load(const float* p) { return _mm256_loadu_ps(p); }
    static vector load_first(const float* p, std::size_t n) { return _mm256_maskload_ps(p, first(n)); }
    static void store(float* p, vector v) { _mm256_storeu_ps(p, v); }
    static void store_first(float* p, vector v, std::size_t n) { _mm256_maskstore_ps(p, first(n), v); }
    static vector broadcast(float x) { return _mm256_set1_ps(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm256_fmadd_ps(x, y, sum); }
    static mask nonzero(vector x) { return _mm256_cmp_ps(x, zero(), _CMP_NEQ_UQ); }
    static mask either(mask a, mask b) { return _mm256_or_ps(a, b); }
    static vector fma_where(mask m, vector x, vector y, vector sum)
    {
        return _mm256_blendv_ps(sum, _mm256_fmadd_ps(x, y, sum), m);
    }
    static bool any_nan(vector x) { return _mm256_movemask_ps(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)) != 0; }
    static unsigned count(mask nonzeros)
    {
        return static_cast<unsigned>(__builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(nonzeros))));
    }
    static vector minus_itself(vector v) { return _mm256_sub_ps(v, v); }
    static vector merged(vector x, vector y) { return _mm256_or_ps(x, y); }

private:
    static __m256i first(std::size_t n)
    {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
};

} // namespace
