#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tensorloom::rtl {

// Fields of at most 64 bits in the ports of a verilated class, which are integers of 8 to 64 bits or, where a port is
// wider, words of 32 bits.

/// The whole of a port of at most 64 bits.
template <class Port> void set(Port& port, std::uint64_t value) { port = static_cast<Port>(value); }

template <class Port> void put(Port& port, std::size_t bit, unsigned bits, std::uint64_t value)
{
    if constexpr (std::is_integral_v<Port>) {
        const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
        port = static_cast<Port>((std::uint64_t{port} & ~(mask << bit)) | (value & mask) << bit);
    } else {
        while (bits > 0) { // word by word
            const unsigned in_word = bit % 32;
            const unsigned part = bits < 32 - in_word ? bits : 32 - in_word;
            const std::uint32_t mask = part < 32 ? (std::uint32_t{1} << part) - 1 : ~std::uint32_t{0};
            auto& word = port[bit / 32];
            word = (word & ~(mask << in_word)) | (static_cast<std::uint32_t>(value) & mask) << in_word;
            value >>= part;
            bit += part;
            bits -= part;
        }
    }
}

template <class Port> std::uint64_t get(const Port& port, std::size_t bit, unsigned bits)
{
    if constexpr (std::is_integral_v<Port>) {
        const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
        return std::uint64_t{port} >> bit & mask;
    } else {
        std::uint64_t value = 0;
        for (unsigned done = 0; done < bits;) {
            const unsigned in_word = bit % 32;
            const unsigned part = bits - done < 32 - in_word ? bits - done : 32 - in_word;
            const std::uint32_t mask = part < 32 ? (std::uint32_t{1} << part) - 1 : ~std::uint32_t{0};
            value |= std::uint64_t{port[bit / 32] >> in_word & mask} << done;
            bit += part;
            done += part;
        }
        return value;
    }
}

// Floats in ports whose fields have the upper `bits` bits of them: 32, or 16 where all numbers are of bfloat16.

template <unsigned bits, class Port> float number(const Port& port, std::size_t at)
{
    const auto field = static_cast<std::uint32_t>(get(port, at * bits, bits)) << (32 - bits);
    float value = 0;
    std::memcpy(&value, &field, sizeof value);
    return value;
}

template <unsigned bits, class Port> void put_number(Port& port, std::size_t at, float value)
{
    std::uint32_t field = 0;
    std::memcpy(&field, &value, sizeof field);
    put(port, at * bits, bits, field >> (32 - bits));
}

} // namespace tensorloom::rtl
