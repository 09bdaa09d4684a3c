#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>

// The innermost loops of products of 8-bit integers, once for all instruction sets. V is a vector type with static
// functions; V::dot adds the products of both halves of words. Everything is in an anonymous namespace on purpose: each
// translation unit must keep its own copy, compiled for its own machine.
namespace {

using tensorloom::arithmetic::int8_kernel;
using tensorloom::arithmetic::int8_operand_counts;
using tensorloom::arithmetic::int8_rounding;

template <class V, unsigned Rows, unsigned Vectors>
void int8_tile(std::size_t pairs, const std::int32_t* a, std::size_t a_row, const std::int32_t* b, std::int32_t* c,
               std::size_t c_row, bool accumulate)
{
    typename V::vector sum[Rows][Vectors];
    for (unsigned r = 0; r < Rows; ++r) {
        for (unsigned v = 0; v < Vectors; ++v) {
            sum[r][v] = accumulate ? V::load(c + r * c_row + v * V::width) : V::zero();
        }
    }
    for (std::size_t t = 0; t < pairs; ++t, b += Vectors * V::width) {
        typename V::vector row[Vectors];
        for (unsigned v = 0; v < Vectors; ++v) { row[v] = V::load(b + v * V::width); }
        for (unsigned r = 0; r < Rows; ++r) {
            const typename V::vector factor = V::broadcast(a[r * a_row + t]);
            for (unsigned v = 0; v < Vectors; ++v) { sum[r][v] = V::dot(factor, row[v], sum[r][v]); }
        }
    }
    for (unsigned r = 0; r < Rows; ++r) {
        for (unsigned v = 0; v < Vectors; ++v) { V::store(c + r * c_row + v * V::width, sum[r][v]); }
    }
}

/// The kernel of a tile of MaxRows rows; the last tile of a matrix may have fewer.
template <class V, unsigned MaxRows, unsigned Vectors>
void int8_tile_rows(unsigned rows, std::size_t pairs, const std::int32_t* a, std::size_t a_row, const std::int32_t* b,
                    std::int32_t* c, std::size_t c_row, bool accumulate)
{
    if (rows == MaxRows) {
        int8_tile<V, MaxRows, Vectors>(pairs, a, a_row, b, c, c_row, accumulate);
    } else if constexpr (MaxRows > 1) {
        int8_tile_rows<V, MaxRows - 1, Vectors>(rows, pairs, a, a_row, b, c, c_row, accumulate);
    }
}

/// arithmetic/number_format.h in 32 bits and without branches.
struct int8_narrowing {
    explicit int8_narrowing(const int8_rounding& rounding)
        : shift(static_cast<int>(rounding.shift)), small(rounding.small),
          rest_mask(static_cast<std::int32_t>((std::uint32_t{1} << rounding.shift) - 1u)),
          half(rounding.shift == 0 ? 1 : std::int32_t{1} << (rounding.shift - 1))
    {}
    std::int32_t shifted(std::int32_t x) const
    {
        const std::int32_t down = x >> shift;
        return down + ((x & rest_mask) > half - (down & 1) ? 1 : 0);
    }
    static std::int32_t saturated(std::int32_t x) { return x < -128 ? -128 : x > 127 ? 127 : x; }
    std::int32_t cleared(std::int32_t x) const { return (x < 0 ? -x : x) <= small ? 0 : x; }
    /// A sum as operand k; what became of it is counted.
    std::int32_t operand(std::int32_t sum, std::size_t k, std::uint32_t* nonzeros, std::uint32_t* saturations) const
    {
        const std::int32_t whole = shifted(sum);
        const std::int32_t fitting = saturated(whole);
        const std::int32_t x = cleared(fitting);
        saturations[k] += fitting != whole ? 1u : 0u;
        nonzeros[k] += x != 0 ? 1u : 0u;
        return x;
    }
    /// Two operands in a word.
    static std::int32_t word(std::int32_t lower, std::int32_t upper)
    {
        return (lower & 0xffff) | static_cast<std::int32_t>(static_cast<std::uint32_t>(upper) << 16);
    }

    int shift;
    std::int32_t small;
    std::int32_t rest_mask;
    std::int32_t half; // of the last place; without a shift there is no rest, and nothing exceeds it
};

/// What became of the operands of Lanes lanes, each lane's counted by itself.
template <unsigned Lanes> struct int8_lane_counts {
    std::uint32_t nonzeros[2][Lanes] = {};
    std::uint32_t saturated[2][Lanes] = {};

    /// n lanes; `second` is read only when Paired.
    template <bool Paired>
    void narrow(const int8_narrowing& to, const std::int32_t* __restrict first, const std::int32_t* __restrict second,
                std::size_t n, std::int32_t* __restrict words)
    {
        for (std::size_t l = 0; l < n; ++l) {
            const std::int32_t lower = to.operand(first[l], l, nonzeros[0], saturated[0]);
            const std::int32_t upper = Paired ? to.operand(second[l], l, nonzeros[1], saturated[1]) : 0;
            words[l] = int8_narrowing::word(lower, upper);
        }
    }
    void add_to(int8_operand_counts* counts) const
    {
        for (unsigned half = 0; half < 2; ++half) {
            for (unsigned l = 0; l < Lanes; ++l) {
                counts[half].nonzeros += nonzeros[half][l];
                counts[half].saturated += saturated[half][l];
            }
        }
    }
};

template <unsigned Lanes, bool Paired>
void narrow_pairs(const int8_rounding& rounding, const std::int32_t* first, const std::int32_t* second, std::size_t n,
                  std::int32_t* words, std::size_t lane, std::size_t panel, int8_operand_counts* counts)
{
    const int8_narrowing to(rounding);
    int8_lane_counts<Lanes> found;
    std::int32_t* at = words + lane / Lanes * panel + lane % Lanes;
    std::size_t room = Lanes - lane % Lanes;
    for (std::size_t l = 0; l < n;) {
        const std::int32_t* const upper = Paired ? second + l : nullptr;
        const std::size_t count = n - l < room ? n - l : room;
        if (count == Lanes) {
            found.template narrow<Paired>(to, first + l, upper, Lanes, at); // of a constant length
        } else {
            found.template narrow<Paired>(to, first + l, upper, count, at);
        }
        l += count;
        at += panel - (Lanes - room);
        room = Lanes;
    }
    found.add_to(counts);
}

template <unsigned Lanes>
void narrow_row(const int8_rounding& rounding, const std::int32_t* first, const std::int32_t* second, std::size_t n,
                std::int32_t* words, std::size_t lane, std::size_t panel, int8_operand_counts* counts)
{
    if (second != nullptr) {
        narrow_pairs<Lanes, true>(rounding, first, second, n, words, lane, panel, counts);
    } else {
        narrow_pairs<Lanes, false>(rounding, first, second, n, words, lane, panel, counts);
    }
}

void narrow_fibre(const int8_rounding& rounding, const std::int32_t* sums, std::size_t n, std::int32_t* words,
                  std::uint32_t* nonzeros, std::uint32_t* saturated)
{
    constexpr std::size_t at_once = 64;
    const int8_narrowing to(rounding);
    std::int32_t operands[at_once];
    for (; n > 0; sums += at_once, words += at_once / 2, nonzeros += at_once, saturated += at_once) {
        const std::size_t count = n < at_once ? n : at_once;
        operands[count - 1 + count % 2] = 0; // what an odd one shares its word with
        for (std::size_t k = 0; k < count; ++k) { operands[k] = to.operand(sums[k], k, nonzeros, saturated); }
        for (std::size_t k = 0; k < (count + 1) / 2; ++k) {
            words[k] = int8_narrowing::word(operands[2 * k], operands[2 * k + 1]);
        }
        n -= count;
    }
}

std::uint32_t largest_magnitude(const std::int32_t* x, std::size_t n)
{
    std::uint32_t largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t bits = static_cast<std::uint32_t>(x[k]);
        const std::uint32_t magnitude = x[k] < 0 ? 0u - bits : bits;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

template <class V, unsigned Rows, unsigned Vectors> constexpr int8_kernel make_int8_kernel(const char* name)
{
    return {name,
            Rows,
            Vectors * V::width,
            &int8_tile_rows<V, Rows, Vectors>,
            &narrow_row<Vectors * V::width>,
            &narrow_fibre,
            &largest_magnitude};
}

} // namespace
