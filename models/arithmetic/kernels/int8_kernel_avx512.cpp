#include <immintrin.h>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/kernels/int8_tile.h>

namespace tensorloom::arithmetic {
namespace {

struct sixteen_words {
    using vector = __m512i;
    static constexpr unsigned width = 16;
    static vector zero() { return _mm512_setzero_si512(); }
    static vector load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
    static void store(std::int32_t* p, vector v) { _mm512_storeu_si512(p, v); }
    static vector broadcast(std::int32_t x) { return _mm512_set1_epi32(x); }
    static vector dot(vector x, vector y, vector sum) { return _mm512_dpwssd_epi32(sum, x, y); }
};

} // namespace

const int8_kernel int8_kernel::avx512 = make_int8_kernel<sixteen_words, 8, 2>("avx512");

} // namespace tensorloom::arithmetic
