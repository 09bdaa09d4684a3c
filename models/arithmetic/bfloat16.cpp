#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::arithmetic {

// Compilers make vectors of both loops.

void widen_row(const unsigned char* __restrict from, std::size_t n, float* __restrict to)
{
    for (std::size_t k = 0; k < n; ++k) {
        bfloat16 element;
        std::memcpy(&element, from + k * sizeof element, sizeof element);
        to[k] = static_cast<float>(element);
    }
}

void narrow_row(const float* __restrict from, std::size_t n, unsigned char* __restrict to)
{
    for (std::size_t k = 0; k < n; ++k) {
        const bfloat16 element(from[k]);
        std::memcpy(to + k * sizeof element, &element, sizeof element);
    }
}

} // namespace tensorloom::arithmetic
