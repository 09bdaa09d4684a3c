#pragma once
#include <cstdint>
#include <cstring>
#include <ostream>
#include <utility>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::fetta {

/// Part of a test's name.
inline void PrintTo(const device_limits& g, std::ostream* out)
{
    *out << 'n' << g.engines << "_p" << g.side << '_' << element_type_name(g.operand) << "_psum_"
         << element_type_name(g.psum);
}

} // namespace tensorloom::fetta

namespace tensorloom::test {

inline fetta::device_limits small_limits(std::uint32_t engines, std::uint32_t side)
{
    fetta::device_limits g;
    g.engines = engines;
    g.side = side;
    g.bank_bytes = 4096;
    g.accumulator_bank_bytes = 1024;
    return g;
}

inline std::vector<fetta::device_limits> small_geometries()
{
    return {small_limits(16, 4), small_limits(4, 2), small_limits(4, 16), small_limits(64, 8)};
}

/// ... each with one and with the other value.
inline std::vector<fetta::device_limits> with_types(base::element_type fetta::device_limits::*member)
{
    std::vector<fetta::device_limits> all;
    for (auto g : small_geometries()) {
        for (const auto type : {base::element_type::bf16, base::element_type::f32}) {
            g.*member = type;
            all.push_back(g);
        }
    }
    return all;
}

/// The unified memory as banks of bytes, each with its rows one behind the other. What an address means is found by
/// division.
class naive_memory {
public:
    explicit naive_memory(const fetta::device_limits& g)
        : m_limits(g), m_banks(g.engines, std::vector<unsigned char>(g.bank_bytes))
    {}

    /// Bank and byte in it of an address of LOAD and STORE: first the window of 16-bit elements, then that of float32.
    std::pair<std::uint64_t, std::uint64_t> place(std::uint64_t address) const
    {
        const bool wide = address >= m_limits.memory_bytes();
        const std::uint64_t offset = address % m_limits.memory_bytes();
        const std::uint64_t row_bytes = m_limits.side * (wide ? 4 : 2);
        const std::uint64_t number = offset / row_bytes;
        return {number % m_limits.engines, number / m_limits.engines * row_bytes + offset % row_bytes};
    }
    unsigned char& at(std::uint64_t address)
    {
        const auto [bank, byte] = place(address);
        return m_banks[bank][byte];
    }

    float element(base::element_type type, std::uint64_t row, std::uint64_t bank, std::uint64_t lane) const
    {
        const std::uint64_t bytes = base::element_bytes(type);
        const unsigned char* const from = m_banks[bank].data() + (row * m_limits.side + lane) * bytes;
        if (type == base::element_type::f32) {
            float x = 0;
            std::memcpy(&x, from, bytes);
            return x;
        }
        arithmetic::bfloat16 x;
        std::memcpy(&x, from, bytes);
        return static_cast<float>(x);
    }
    void set(base::element_type type, std::uint64_t row, std::uint64_t bank, std::uint64_t lane, float value)
    {
        const std::uint64_t bytes = base::element_bytes(type);
        unsigned char* const to = m_banks[bank].data() + (row * m_limits.side + lane) * bytes;
        const arithmetic::bfloat16 narrow(value);
        if (type == base::element_type::f32) {
            std::memcpy(to, &value, bytes);
        } else {
            std::memcpy(to, &narrow, bytes);
        }
    }

    /// Element e of a linear order: rows fill bank after bank.
    float linear(base::element_type type, std::uint64_t e) const
    {
        const std::uint64_t row = e / m_limits.side;
        return element(type, row / m_limits.engines, row % m_limits.engines, e % m_limits.side);
    }

private:
    fetta::device_limits m_limits;
    std::vector<std::vector<unsigned char>> m_banks;
};

} // namespace tensorloom::test
