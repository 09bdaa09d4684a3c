#include <tensorloom/models/arithmetic/bfloat16.h>
#include <type_traits>

namespace tensorloom::arithmetic {

namespace {

// Compilers make vectors of these.

void widen(const unsigned char* __restrict from, std::size_t n, float* __restrict to)
{
    for (std::size_t k = 0; k < n; ++k) {
        bfloat16 element;
        std::memcpy(&element, from + k * sizeof element, sizeof element);
        to[k] = static_cast<float>(element);
    }
}

void narrow(const float* __restrict from, std::size_t n, unsigned char* __restrict to)
{
    for (std::size_t k = 0; k < n; ++k) {
        const bfloat16 element(from[k]);
        std::memcpy(to + k * sizeof element, &element, sizeof element);
    }
}

/// action(row), of a constant where it is one of a few.
template <class Action> void with_row(std::size_t row, const Action& action)
{
    switch (row) {
    case 4: return action(std::integral_constant<std::size_t, 4>{});
    case 8: return action(std::integral_constant<std::size_t, 8>{});
    case 16: return action(std::integral_constant<std::size_t, 16>{});
    default: return action(row);
    }
}

} // namespace

void widen_row(const unsigned char* from, std::size_t n, float* to) { widen(from, n, to); }
void narrow_row(const float* from, std::size_t n, unsigned char* to) { narrow(from, n, to); }

void widen_layers(const unsigned char* from, std::size_t row, std::size_t rows, std::size_t blocks, float* to)
{
    with_row(row, [&](auto elements) {
        const std::size_t bytes = elements * sizeof(bfloat16);
        for (std::size_t block = 0; block < blocks; ++block, to += 2 * rows * elements) {
            for (std::size_t r = 0; r < rows; ++r, from += 2 * bytes) {
                widen(from, elements, to + r * elements);
                widen(from + bytes, elements, to + (rows + r) * elements);
            }
        }
    });
}

void narrow_layers(const float* from, std::size_t row, std::size_t rows, std::size_t blocks, unsigned char* to)
{
    with_row(row, [&](auto elements) {
        const std::size_t bytes = elements * sizeof(bfloat16);
        for (std::size_t block = 0; block < blocks; ++block, from += 2 * rows * elements) {
            for (std::size_t r = 0; r < rows; ++r, to += 2 * bytes) {
                narrow(from + r * elements, elements, to);
                narrow(from + (rows + r) * elements, elements, to + bytes);
            }
        }
    });
}

} // namespace tensorloom::arithmetic
