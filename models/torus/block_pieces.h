#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <tensorloom/models/torus/link.h>
#include <tensorloom/models/torus/node_array.h>

namespace tensorloom::torus {

// For the memory port: the blocks that elements of tensors and matrices belong to, and copies to and from them.

/// Neighbouring elements of a tensor, or of a matrix row, that lie in one block.
struct block_piece {
    block_label label;        ///< of the block; for a matrix (n, k, 0), within the window
    std::uint32_t window = 0; ///< of a matrix, numbered row by row
    std::uint64_t offset = 0; ///< of the first element in the block
    std::uint64_t stride = 1; ///< distance between elements in the block
    std::uint64_t count = 0;
    std::uint64_t done = 0; ///< elements before these
};

/// Calls visit(piece) for the elements first <= e < first + elements of a tensor of these sizes, in C order.
template <class Visit>
void for_each_piece(slot which, const array_layout& layout, const shape3& sizes, std::uint64_t first,
                    std::uint64_t elements, const Visit& visit)
{
    if (elements == 0) { return; }
    const auto block = shape_of(which, layout.sizes).size;
    // By mode of the tensor: the index of labels that counts its blocks, their size, the distance of elements in one.
    std::array<unsigned, 3> index{};
    for (unsigned l = 0; l < 3; ++l) { index[layout.mode[l]] = l; }
    const std::array<std::uint64_t, 3> by_index{std::uint64_t{block[1]} * block[2], block[2], 1};
    const unsigned last = index[2];
    const std::uint64_t row = first / sizes[2];
    std::array<std::uint64_t, 3> at{row / sizes[1], row % sizes[1], first % sizes[2]};
    block_piece piece;
    piece.stride = by_index[last];
    while (piece.done < elements) {
        piece.offset = 0;
        for (unsigned m = 0; m < 3; ++m) {
            const unsigned l = index[m];
            piece.label[l] = static_cast<std::uint32_t>(at[m] / block[l]);
            piece.offset += at[m] % block[l] * by_index[l];
        }
        piece.count = std::min({elements - piece.done, sizes[2] - at[2], block[last] - at[2] % block[last]});
        visit(std::as_const(piece));
        piece.done += piece.count;
        at[2] += piece.count;
        if (at[2] < sizes[2]) { continue; }
        at[2] = 0;
        if (++at[1] == sizes[1]) {
            at[1] = 0;
            ++at[0];
        }
    }
}

/// Number of windows of a matrix along n and along k.
inline std::array<std::uint32_t, 2> windows_of(slot which, const array_layout& layout, std::uint32_t side,
                                               std::uint32_t rows, std::uint32_t columns)
{
    const auto block = shape_of(which, layout.sizes).size;
    const std::uint32_t n = side * block[0], k = side * block[1];
    return {(rows + n - 1) / n, (columns + k - 1) / k};
}

/// As for_each_piece(), for elements of a matrix with `columns` columns, row by row.
template <class Visit>
void for_each_matrix_piece(slot which, const array_layout& layout, std::uint32_t side, std::uint32_t columns,
                           std::uint64_t first, std::uint64_t elements, const Visit& visit)
{
    const auto block = shape_of(which, layout.sizes).size;
    const std::uint32_t windows = windows_of(which, layout, side, 1, columns)[1];
    block_piece piece;
    while (piece.done < elements) {
        const auto n = static_cast<std::uint32_t>((first + piece.done) / columns);
        const auto k = static_cast<std::uint32_t>((first + piece.done) % columns);
        const std::uint32_t n_block = n / block[0], k_block = k / block[1];
        piece.label = {n_block % side, k_block % side, 0};
        piece.window = n_block / side * windows + k_block / side;
        piece.offset = std::uint64_t{n % block[0]} * block[1] + k % block[1];
        piece.count = std::min<std::uint64_t>({elements - piece.done, columns - k, block[1] - k % block[1]});
        visit(std::as_const(piece));
        piece.done += piece.count;
    }
}

/// Copies a piece into its block: elements, or sums as numbers of the accumulator's format.
template <class Number, class Element>
void store(block<Element>& to, const block_piece& piece, const unsigned char* bytes)
{
    using real = typename block<Element>::real;
    real* at = to.values.data() + piece.offset;
    if constexpr (std::is_same_v<Number, real>) {
        if (piece.stride == 1) {
            std::memcpy(at, bytes, piece.count * sizeof(real));
            return;
        }
    }
    for (std::uint64_t i = 0; i < piece.count; ++i, at += piece.stride, bytes += sizeof(Number)) {
        Number number;
        std::memcpy(&number, bytes, sizeof number);
        const arithmetic::accumulator_of<Element> sum = arithmetic::widened(number);
        if constexpr (block<Element>::format::parts == 1) {
            *at = sum;
        } else {
            at[0] = sum.real();
            at[to.numbers()] = sum.imag();
        }
    }
}

/// Copies a piece out of its block, integers shifted right; returns the number of saturated elements.
template <class Number, class Element>
std::uint64_t fetch(const block<Element>& from, const block_piece& piece, unsigned char* bytes, unsigned shift = 0)
{
    using real = typename block<Element>::real;
    const real* at = from.values.data() + piece.offset;
    if constexpr (std::is_same_v<Number, real>) {
        if (piece.stride == 1 && shift == 0) {
            std::memcpy(bytes, at, piece.count * sizeof(real));
            return 0;
        }
    }
    std::uint64_t saturated = 0;
    for (std::uint64_t i = 0; i < piece.count; ++i, at += piece.stride, bytes += sizeof(Number)) {
        arithmetic::accumulator_of<Element> sum;
        if constexpr (block<Element>::format::parts == 1) {
            sum = *at;
        } else {
            sum = {at[0], at[from.numbers()]};
        }
        Number number;
        if constexpr (std::is_same_v<Number, Element>) {
            const auto rounded = arithmetic::narrowed<Element>(sum, shift);
            saturated += rounded.saturated ? 1 : 0;
            number = rounded.value;
        } else {
            number = arithmetic::shifted_sum<Element>(sum, shift);
        }
        std::memcpy(bytes, &number, sizeof number);
    }
    return saturated;
}

} // namespace tensorloom::torus
