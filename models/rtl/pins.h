#pragma once
#include <cstddef>
#include <cstdint>
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

} // namespace tensorloom::rtl
