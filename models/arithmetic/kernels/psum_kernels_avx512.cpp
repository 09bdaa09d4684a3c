// Partial sums in the order of a device: of an ordered product.
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/kernels/ordered_loops.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx512.h>

namespace tensorloom::arithmetic {

namespace {

struct sixteen_sums : sixteen_floats {
    static vector canonical(vector sum)
    {
        return _mm512_mask_mov_ps(sum, _mm512_cmp_ps_mask(sum, sum, _CMP_UNORD_Q), broadcast(__builtin_nanf("")));
    }
};

struct sixteen_f32 : sixteen_sums {
    static constexpr std::size_t rows = 6;
    static constexpr std::size_t vectors = 2;
    static vector mac(vector acc, vector a, vector b) { return fma(a, b, acc); }
    static vector add(vector left, vector right) { return _mm512_add_ps(left, right); }
};

/// Rounds once: the exact sum lies at or between two neighbouring floats, and the odd one of them determines its side
/// of a bfloat16's midpoint (if they are equal, or zeros of both signs, the upper one is the sum).
struct sixteen_bf16 : sixteen_sums {
    static constexpr std::size_t rows = 6;
    static constexpr std::size_t vectors = 2;
    static vector mac(vector acc, vector a, vector b)
    {
        return nearest(_mm512_fmadd_round_ps(a, b, acc, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
                       _mm512_fmadd_round_ps(a, b, acc, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
    }
    static vector add(vector left, vector right)
    {
        return nearest(_mm512_maskz_add_round_ps(all, left, right, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
                       _mm512_maskz_add_round_ps(all, left, right, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
    }

private:
    static constexpr mask all = 0xffff; // what is not masked makes compilers complain of undefined values
    static vector nearest(vector below, vector above)
    {
        const __m512i one = _mm512_set1_epi32(1);
        const __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(below), one);
        const __m512i sum = _mm512_castps_si512(_mm512_mask_mov_ps(above, odd, below));
        const __m512i last_bit = _mm512_and_si512(_mm512_maskz_srli_epi32(all, sum, 16), one);
        const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(0x7fff)), last_bit);
        return _mm512_castsi512_ps(_mm512_and_si512(rounded, _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
    }
};

} // namespace

template <>
const ordered_kernel<psum_f32> ordered_kernel<psum_f32>::avx512 = make_ordered_kernel<psum_f32, sixteen_f32>("avx512");
template <>
const ordered_kernel<psum_bf16>
    ordered_kernel<psum_bf16>::avx512 = make_ordered_kernel<psum_bf16, sixteen_bf16>("avx512");

} // namespace tensorloom::arithmetic
