#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/arithmetic/elementary_functions.h>

namespace tensorloom::test {

/// What the vector instructions on real numbers make of their operands, element by element, in words of its own.
///
/// Exponential, logarithm, sigmoid and tanh: in float those of long double, rounded; in double there is no other source
/// of the same bits than the model's functions, which have a test of their own against long double.
template <class W> struct real_vector {
    static_assert(std::is_floating_point_v<W>, "real numbers only");

    isa::vector::opcode code{};
    std::int64_t n = 1, s = 0, t = 0;       // length, block, table
    std::function<W(std::int64_t)> a, b, c; // element i; of unpack_bf16 a: word i

    /// Words of z; empty for instructions of other kinds.
    std::vector<W> result() const;

    /// Words that n packed elements take.
    static std::int64_t packed_words(std::int64_t n, std::int64_t s, std::int64_t t)
    {
        const std::int64_t layers = (n + s * t - 1) / (s * t);
        return (layers + 1) / 2 * s * t;
    }

private:
    static constexpr W nan = std::numeric_limits<W>::quiet_NaN();

    static W one_nan(W x) { return std::isnan(x) ? nan : x; }
    static W larger(W x, W y)
    {
        if (std::isnan(x) || std::isnan(y)) { return nan; }
        if (x == 0 && y == 0) { return std::signbit(x) && std::signbit(y) ? W(-0.0) : W(0.0); }
        return std::max(x, y);
    }
    static W smaller(W x, W y)
    {
        if (std::isnan(x) || std::isnan(y)) { return nan; }
        if (x == 0 && y == 0) { return std::signbit(x) || std::signbit(y) ? W(-0.0) : W(0.0); }
        return std::min(x, y);
    }
    static W function(isa::vector::opcode code, W x)
    {
        using isa::vector::opcode;
        if constexpr (std::is_same_v<W, float>) {
            const auto wide = static_cast<long double>(x);
            const long double y = code == opcode::exp    ? std::exp(wide)
                                  : code == opcode::log  ? std::log(wide)
                                  : code == opcode::tanh ? std::tanh(wide)
                                                         : 1 / (1 + std::exp(-wide));
            return one_nan(static_cast<float>(y));
        } else {
            return code == opcode::exp    ? arithmetic::exponential(x)
                   : code == opcode::log  ? arithmetic::logarithm(x)
                   : code == opcode::tanh ? arithmetic::hyperbolic_tangent(x)
                                          : arithmetic::sigmoid(x);
        }
    }
    // The left part of a tree with neighbours first is the largest power of two below the length.
    W sum(std::int64_t first, std::int64_t last) const
    {
        if (last - first == 1) { return a(first); }
        std::int64_t left = 1;
        while (2 * left < last - first) { left *= 2; }
        return sum(first, first + left) + sum(first + left, last);
    }
    template <class Result> std::vector<W> of_blocks(const Result& value) const
    {
        std::vector<W> z;
        for (std::int64_t first = 0; first < n; first += s) { z.push_back(value(first, std::min(first + s, n))); }
        return z;
    }
    template <class Value> std::vector<W> of_elements(const Value& value) const
    {
        std::vector<W> z;
        for (std::int64_t i = 0; i < n; ++i) { z.push_back(value(i)); }
        return z;
    }

    // The 16 upper bits of the nearer of the two neighbours in bfloat16, of the even one in the middle.
    static std::uint32_t rounded_to_16_bits(float x)
    {
        if (std::isnan(x)) { return 0x7fc0; }
        std::uint32_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        if (std::isinf(x)) { return bits >> 16; }
        const auto value = [](std::uint32_t upper) { // beyond the largest number: a power of two, not infinity
            if ((upper & 0x7fffu) == 0x7f80u) { return std::ldexp((upper & 0x8000u) != 0 ? -1.0 : 1.0, 128); }
            const std::uint32_t all = upper << 16;
            float y = 0;
            std::memcpy(&y, &all, sizeof y);
            return static_cast<double>(y);
        };
        const std::uint32_t down = bits >> 16, up = down + 1;
        const double to_down = std::fabs(x - value(down)), to_up = std::fabs(value(up) - x);
        return to_down < to_up || (to_down == to_up && down % 2 == 0) ? down : up;
    }
    // Rows of s elements, t of them make a layer; two layers share t rows of s words: the even one has their first
    // halves.
    struct packed_place {
        std::int64_t word;
        unsigned bits; // to shift
    };
    packed_place place(std::int64_t i) const
    {
        const std::int64_t row = i / s, layer = row / t;
        const std::int64_t word = (layer / 2 * t + row % t) * s + layer % 2 * (s / 2) + i % s / 2;
        return {word, i % 2 == 0 ? 0u : 16u};
    }
    std::vector<float> packed() const
    {
        std::vector<std::uint32_t> words(static_cast<std::size_t>(packed_words(n, s, t)));
        for (std::int64_t i = 0; i < n; ++i) {
            words[static_cast<std::size_t>(place(i).word)] |= rounded_to_16_bits(a(i)) << place(i).bits;
        }
        std::vector<float> z(words.size());
        std::memcpy(z.data(), words.data(), 4 * words.size());
        return z;
    }
    float unpacked(std::int64_t i) const
    {
        const float word = a(place(i).word);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &word, sizeof bits);
        bits = (bits >> place(i).bits) << 16;
        float z = 0;
        std::memcpy(&z, &bits, sizeof z);
        return z;
    }
};

template <class W> std::vector<W> real_vector<W>::result() const
{
    using isa::vector::opcode;
    switch (code) {
    case opcode::max: return of_elements([&](auto i) { return larger(a(i), b(i)); });
    case opcode::min: return of_elements([&](auto i) { return smaller(a(i), b(i)); });
    case opcode::relu: return of_elements([&](auto i) { return larger(a(i), 0); });
    case opcode::relu_gradient: return of_elements([&](auto i) { return b(i) > 0 ? a(i) : W(0); });
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::log: return of_elements([&](auto i) { return function(code, a(i)); });
    case opcode::div: return of_elements([&](auto i) { return one_nan(a(i) / b(i)); });
    case opcode::sqrt: return of_elements([&](auto i) { return one_nan(std::sqrt(a(i))); });
    case opcode::sum_block: return of_blocks([&](auto first, auto last) { return one_nan(sum(first, last)); });
    case opcode::max_block:
        return of_blocks([&](auto first, auto last) {
            W most = one_nan(a(first));
            for (auto i = first; i < last; ++i) { most = larger(most, a(i)); }
            return most;
        });
    case opcode::mul_add: return of_elements([&](auto i) { return one_nan(std::fma(c(0), b(i), a(i))); });
    default: break;
    }
    if constexpr (std::is_same_v<W, float>) {
        if (code == opcode::pack_bf16) { return packed(); }
        if (code == opcode::unpack_bf16) {
            return of_elements([&](auto i) { return unpacked(i); });
        }
    }
    return {};
}

} // namespace tensorloom::test
