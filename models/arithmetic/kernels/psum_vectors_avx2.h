#pragma once
#include <tensorloom/models/arithmetic/kernels/vectors_avx2.h>

// Vectors of partial sums for AVX2: `mac` and `add` round like arithmetic/psum.h, except that NaN need not be canonical
// yet (it stays NaN); `canonical` makes it so. Compiled with -frounding-math, as the rounding mode changes, in which x
// - 0 is not x.
namespace {

struct eight_sums : eight_floats {
    static vector canonical(vector sum)
    {
        return _mm256_blendv_ps(sum, broadcast(__builtin_nanf("")), _mm256_cmp_ps(sum, sum, _CMP_UNORD_Q));
    }
};

struct eight_f32 : eight_sums {
    static vector mac(vector acc, vector a, vector b) { return fma(a, b, acc); }
    static vector add(vector left, vector right) { return _mm256_add_ps(left, right); }
};

/// Rounds once: the exact sum lies at or between two neighbouring floats, and the odd one of them determines its side
/// of a bfloat16's midpoint (if they are equal, or zeros of both signs, the upper one is the sum).
///
/// Only while the machine rounds downwards: the upper neighbour is minus that of minus the sum.
struct eight_bf16 : eight_sums {
    static vector mac(vector acc, vector a, vector b)
    {
        return nearest(fma(a, b, acc), minus(_mm256_fnmsub_ps(a, b, acc)));
    }
    static vector add(vector left, vector right)
    {
        return nearest(_mm256_add_ps(left, right), minus(_mm256_sub_ps(minus(left), right)));
    }

private:
    static vector minus(vector x) { return _mm256_xor_ps(x, broadcast(-0.0f)); }
    static vector nearest(vector below, vector above)
    {
        const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(below), 31));
        const __m256i sum = _mm256_castps_si256(_mm256_blendv_ps(above, below, odd));
        const __m256i last_bit = _mm256_and_si256(_mm256_srli_epi32(sum, 16), _mm256_set1_epi32(1));
        const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(0x7fff)), last_bit);
        return _mm256_castsi256_ps(_mm256_and_si256(rounded, _mm256_set1_epi32(static_cast<int>(0xffff0000u))));
    }
};

/// Calls work(...) while the machine rounds downwards.
///
/// Compilers know nothing of the machine's mode: the barriers keep loads and stores, and so what is computed between
/// them, inside.
template <class Work, class Argument> void rounding_down(Work work, const Argument& argument)
{
    const unsigned mode = _mm_getcsr();
    _mm_setcsr((mode & ~static_cast<unsigned>(_MM_ROUND_MASK)) | _MM_ROUND_DOWN);
    __asm__ volatile("" ::: "memory");
    work(argument);
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(mode);
}

} // namespace
