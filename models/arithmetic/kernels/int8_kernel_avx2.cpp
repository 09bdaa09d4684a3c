#include <immintrin.h>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/kernels/int8_tile.h>

namespace tensorloom::arithmetic {
namespace {

struct eight_words {
    using vector = __m256i;
    static constexpr unsigned width = 8;
    static vector zero() { return _mm256_setzero_si256(); }
    static vector load(const std::int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    static void store(std::int32_t* p, vector v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    static vector broadcast(std::int32_t x) { return _mm256_set1_epi32(x); }
    static vector dot(vector x, vector y, vector sum) { return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y)); }
};

} // namespace

const int8_kernel int8_kernel::avx2 = make_int8_kernel<eight_words, 4, 2>("avx2");

} // namespace tensorloom::arithmetic
