#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/arithmetic/row_operations.h>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/element_wise.h>

namespace tensorloom::blocks {

/// The functional block of activations: in every lane a comparator, a divider with square root, and a unit of
/// elementary functions. Our extension; no paper describes it.
///
/// Quotients and square roots are rounded as IEEE 754 says, elementary functions have the bits of
/// arithmetic/elementary_functions.h. Cost: that of the instructions in vector_costs.
template <class W> class activation_block {
public:
    /// Elements first to last - 1 of a whole vector z, which may be the words of a or of b.
    void run(isa::vector::opcode code, const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t first,
             std::uint64_t last) const
    {
        using isa::vector::opcode;
        switch (code) {
        case opcode::max: element_wise<maximum>(a, b, z, first, last); break;
        case opcode::min: element_wise<minimum>(a, b, z, first, last); break;
        case opcode::relu: element_wise<positive_part>(a, b, z, first, last); break;
        case opcode::relu_gradient: element_wise<where_positive>(a, b, z, first, last); break;
        case opcode::sigmoid: function(arithmetic::sigmoid, a, z, first, last); break;
        case opcode::tanh: function(arithmetic::hyperbolic_tangent, a, z, first, last); break;
        case opcode::exp: function(arithmetic::exponential, a, z, first, last); break;
        case opcode::log: function(arithmetic::logarithm, a, z, first, last); break;
        case opcode::div: element_wise<quotient>(a, b, z, first, last); break;
        case opcode::sqrt: element_wise<root>(a, b, z, first, last); break;
        default: break; // of other blocks
        }
    }

private:
    /// Of a row; a is not a broadcast.
    static void function(void (*of)(const W*, std::size_t, W*), const vector_source<W>& a, W* z, std::uint64_t first,
                         std::uint64_t last)
    {
        const std::uint64_t words = std::clamp(a.zeros, first, last);
        if (first < words) {
            W of_zero(0);
            of(&of_zero, 1, &of_zero);
            std::fill(z + first, z + words, of_zero);
        }
        if (words < last) { of(a.words + (words - a.zeros), last - words, z + words); }
    }

    struct maximum {
        static W of(const W& a, const W& b, std::uint64_t&) { return arithmetic::word_maximum(a, b); }
    };
    struct minimum {
        static W of(const W& a, const W& b, std::uint64_t&) { return arithmetic::word_minimum(a, b); }
    };
    struct positive_part {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::word_maximum(a, W(0)); }
    };
    struct where_positive {
        // a by value: read in every lane, so that compilers make vectors of it
        static W of(W a, const W& b, std::uint64_t&) { return b > W(0) ? a : W(0); }
    };
    struct quotient {
        static W of(const W& a, const W& b, std::uint64_t&) { return arithmetic::word_quotient(a, b); }
    };
    struct root {
        static W of(const W& a, const W&, std::uint64_t&) { return arithmetic::word_root(a); }
    };
};

/// The functional block of reductions: a tree over the lanes, and a stack of partial results above it. Our extension;
/// no paper describes it.
///
/// The order of a sum is independent of the number of lanes and of the block's position among them:
///
///     r[0][i] = a[first + i]     r[l + 1][i] = r[l][2i] + r[l][2i + 1], or r[l][2i] if that is the last one
///                                until one is left
///
/// Each sum is rounded. The maximum has no order: word_maximum. Cost: that of the instructions in vector_costs. Not
/// modelled: the routing of a block that begins between lanes to its place in the tree.
template <class W> class reduction_block {
public:
    /// Elements first to last - 1, at least one.
    W sum(const vector_source<W>& a, std::uint64_t first, std::uint64_t last)
    {
        m_partial.resize(last - first);
        for (std::uint64_t i = first; i < last; ++i) { m_partial[i - first] = a[i]; }
        for (std::uint64_t left = last - first; left > 1; left = (left + 1) / 2) {
            for (std::uint64_t i = 0; i < left / 2; ++i) { m_partial[i] = m_partial[2 * i] + m_partial[2 * i + 1]; }
            if (left % 2 != 0) { m_partial[left / 2] = m_partial[left - 1]; }
        }
        return arithmetic::canonical(m_partial[0]);
    }

    W largest(const vector_source<W>& a, std::uint64_t first, std::uint64_t last) const
    {
        W most = arithmetic::canonical(a[first]);
        for (std::uint64_t i = first + 1; i < last; ++i) { most = arithmetic::word_maximum(most, W(a[i])); }
        return most;
    }

private:
    std::vector<W> m_partial;
};

/// The functional block of conversions between float32 and bfloat16, two of which make a word. Our extension; no paper
/// describes it.
///
/// Elements are in rows of `row` (even) elements, `side_by_side` rows next to each other, then those of the next layer.
/// A word of packed elements lies in a row of words that stores two rows of elements, from an even layer and from the
/// next layer:
///
///     element ((2q + h) side_by_side + p) row + 2k      lower half of word (q side_by_side + p) row + h row/2 + k
///                                                       h < 2, 2k < row
///     the element after it                              its upper half
///
/// This is the layout of FETTA's unified memory in its two windows (fetta/isa/device_limits.h): with row = P,
/// side_by_side = N, and both operands at multiples of 4 P N bytes, pack turns n words into n consecutive elements of
/// 16 bits. row = 2, side_by_side = 1 packs neighbours.
class conversion_block {
public:
    /// Elements first to last - 1, a block of 2 x row x side_by_side elements or the beginning of one; missing ones
    /// become 0.
    static void pack(const vector_source<float>& a, float* z, const std::uint64_t row, std::uint64_t side_by_side,
                     std::uint64_t first, std::uint64_t last)
    {
        if (pack_whole(a, z, row, side_by_side, first, last)) { return; }
        for_each_word(row, side_by_side, first, [&](std::uint64_t word, std::uint64_t element) {
            const auto rounded = [&](std::uint64_t i) -> std::uint32_t {
                return i < last ? arithmetic::bfloat16(a[i]).bits : 0u;
            };
            const std::uint32_t bits = rounded(element) | rounded(element + 1) << 16;
            std::memcpy(z + word, &bits, sizeof bits);
        });
    }

    /// Unpacks the same elements from their words.
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
    /// A whole block of a supported size: many elements are rounded at once.
    static bool pack_whole(const vector_source<float>& a, float* z, std::uint64_t row, std::uint64_t side_by_side,
                           std::uint64_t first, std::uint64_t last)
    {
        const std::size_t layer = row * side_by_side;
        if (a.zeros != 0 || a.broadcast || last - first != 2 * layer || layer > arithmetic::most_in_layer) {
            return false;
        }
        arithmetic::narrow_layers(a.words + first, row, side_by_side, 1,
                                  reinterpret_cast<unsigned char*>(z + first / 2));
        return true;
    }

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

/// The conversions of the same block to float16 and to int8, of neighbours alone: a word has the elements with the
/// indices k j to k j + k-1, the first in its lowest bits. A number that is not one is the canonical NaN on both sides.
template <class Element> class element_conversion {
    using word = arithmetic::accumulator_of<Element>;

public:
    static constexpr std::uint64_t in_word = sizeof(word) / sizeof(Element); ///< k

    /// Elements first to last - 1 of one word; missing ones become 0. `shift`: right shift of integers.
    static void pack(const vector_source<word>& a, word* z, unsigned shift, std::uint64_t first, std::uint64_t last)
    {
        Element elements[in_word] = {};
        for (std::uint64_t i = first; i < last; ++i) {
            elements[i - first] = arithmetic::narrowed<Element>(a[i], shift).value;
        }
        std::memcpy(z + first / in_word, elements, sizeof elements);
    }
    /// Unpacks the same elements from their word.
    static void unpack(const vector_source<word>& a, word* z, std::uint64_t first, std::uint64_t last)
    {
        Element elements[in_word];
        std::memcpy(static_cast<void*>(elements), a.words + first / in_word, sizeof elements);
        for (std::uint64_t i = first; i < last; ++i) {
            z[i] = arithmetic::widened(elements[i - first]);
            if constexpr (std::is_floating_point_v<word>) { z[i] = arithmetic::canonical(z[i]); }
        }
    }
    /// How many of n words saturate.
    static std::uint64_t saturated(const vector_source<word>& a, unsigned shift, std::uint64_t n)
    {
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < n; ++i) { count += arithmetic::narrowed<Element>(a[i], shift).saturated ? 1 : 0; }
        return count;
    }
};

} // namespace tensorloom::blocks
