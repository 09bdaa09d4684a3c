#pragma once
#include <cstddef>
#include <immintrin.h>

// The vectors of the AVX-512 kernels; list_tile.h and gemm_loops.h define their functions.
// In an anonymous namespace on purpose: only translation units compiled for that machine may hold this code.
namespace {

struct eight_doubles {
    using real = double;
    using vector = __m512d;
    using mask = __mmask8;
    static constexpr unsigned width = 8;
    static vector zero() { return _mm512_setzero_pd(); }
    static vector load(const double* p) { return _mm512_loadu_pd(p); }
    static vector load_first(const double* p, std::size_t n) { return _mm512_maskz_loadu_pd(first(n), p); }
    static void store(double* p, vector v) { _mm512_storeu_pd(p, v); }
    static void store_first(double* p, vector v, std::size_t n) { _mm512_mask_storeu_pd(p, first(n), v); }
    static vector broadcast(double x) { return _mm512_set1_pd(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm512_fmadd_pd(x, y, sum); }
    static mask nonzero(vector x) { return _mm512_cmp_pd_mask(x, zero(), _CMP_NEQ_UQ); }
    static mask either(mask a, mask b) { return static_cast<mask>(a | b); }
    static vector fma_where(mask m, vector x, vector y, vector sum) { return _mm512_mask3_fmadd_pd(x, y, sum, m); }
    static bool any_nan(vector x) { return _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q) != 0; }

private:
    static mask first(std::size_t n) { return static_cast<mask>((1u << n) - 1u); }
};

struct sixteen_floats {
    using real = float;
    using vector = __m512;
    using mask = __mmask16;
    static constexpr unsigned width = 16;
    static vector zero() { return _mm512_setzero_ps(); }
    static vector load(const float* p) { return _mm512_loadu_ps(p); }
    static vector load_first(const float* p, std::size_t n) { return _mm512_maskz_loadu_ps(first(n), p); }
    static void store(float* p, vector v) { _mm512_storeu_ps(p, v); }
    static void store_first(float* p, vector v, std::size_t n) { _mm512_mask_storeu_ps(p, first(n), v); }
    static vector broadcast(float x) { return _mm512_set1_ps(x); }
    static vector fma(vector x, vector y, vector sum) { return _mm512_fmadd_ps(x, y, sum); }
    static mask nonzero(vector x) { return _mm512_cmp_ps_mask(x, zero(), _CMP_NEQ_UQ); }
    static mask either(mask a, mask b) { return static_cast<mask>(a | b); }
    static vector fma_where(mask m, vector x, vector y, vector sum) { return _mm512_mask3_fmadd_ps(x, y, sum, m); }
    static bool any_nan(vector x) { return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q) != 0; }

private:
    static mask first(std::size_t n) { return static_cast<mask>((1u << n) - 1u); }
};

} // namespace
