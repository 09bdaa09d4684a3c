#pragma once
#include <cstdint>
#include <cstring>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

/// The functional block of conversions between float32 and bfloat16, two of which make a word. Ours; no paper describes
/// it.
///
/// Elements in rows of `row` (even), `side_by_side` rows next to each other, then those of the next layer. A packed
/// word belongs to a row of words that holds two rows of elements, from an even layer and from the one above it:
///
///     element ((2q + h) side_by_side + p) row + 2k      lower half of word (q side_by_side + p) row + h row/2 + k
///                                                       h < 2, 2k < row
///     the element after it                              its upper half
///
/// A FETTA's unified memory is seen so through its two windows (arch/fetta/geometry.h): with row = P, side_by_side
/// = N, and both operands at multiples of 4 P N bytes, pack makes of n words the n elements of 16 bits one after the
/// other. row = 2, side_by_side = 1 packs neighbours.
class conversion_block {
public:
    /// Elements first to last - 1, a block of 2 x row x side_by_side elements or the beginning of one; missing ones
    /// become 0.
    static void pack(const vector_source<float>& a, float* z, const std::uint64_t row, std::uint64_t side_by_side,
                     std::uint64_t first, std::uint64_t last)
    {
        for_each_word(row, side_by_side, first, [&](std::uint64_t word, std::uint64_t element) {
            const auto rounded = [&](std::uint64_t i) -> std::uint32_t {
                return i < last ? arithmetic::bfloat16(a[i]).bits : 0u;
            };
            const std::uint32_t bits = rounded(element) | rounded(element + 1) << 16;
            std::memcpy(z + word, &bits, sizeof bits);
        });
    }

    /// The same elements, out of their words.
    static void unpack(const vector_source<float>& a, float* z, std::uint64_t row, std::uint64_t side_by_side,
                       std::uint64_t first, std::uint64_t last)
    {
        for_each_word(row, side_by_side, first, [&](std::uint64_t word, std::uint64_t element) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, a.words + word, sizeof bits);
            const std::uint32_t halves[] = {bits << 16, bits & 0xffff0000u};
            for (std::uint64_t h = 0; h < 2 && element + h < last; ++h) {
                std::memcpy(z + element + h, &halves[h], sizeof(float));
            }
        });
    }

private:
    /// visit(word, element in its lower half) for the words of the block that begins with element `first`.
    template <class Visit>
    static void for_each_word(std::uint64_t row, std::uint64_t side_by_side, std::uint64_t first, const Visit& visit)
    {
        for (std::uint64_t p = 0; p < side_by_side; ++p) {
            for (std::uint64_t h = 0; h < 2; ++h) {
                const std::uint64_t word = first / 2 + p * row + h * (row / 2);
                const std::uint64_t element = first + (h * side_by_side + p) * row;
                for (std::uint64_t k = 0; k < row / 2; ++k) { visit(word + k, element + 2 * k); }
            }
        }
    }
};

} // namespace tensorloom::blocks
