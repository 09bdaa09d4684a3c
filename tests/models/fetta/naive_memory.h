#pragma once
#include <cstdint>
#include <cstring>
#include <ostream>
#include <utility>
#include <vector>
#include <tensorloom/models/fetta/isa/geometry.h>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::fetta {

/// Part of a test's name.
inline void PrintTo(const geometry& g, std::ostream* out)
{
    *out << 'n' << g.engines << "_p" << g.side << '_' << element_type_name(g.operand) << "_psum_"
         << element_type_name(g.psum);
}

} // namespace tensorloom::fetta

namespace tensorloom::test {

inline fetta::geometry small_geometry(std::uint32_t engines, std::uint32_t side)
{
    fetta::geometry g;
    g.engines = engines;
    g.side = side;
    g.bank_bytes = 4096;
    g.accumulator_bank_bytes = 1024;
    return g;
}

inline std::vector<fetta::geometry> small_geometries()
{
    return {small_geometry(16, 4), small_geometry(4, 2), small_geometry(4, 16), small_geometry(64, 8)};
}

/// ... each with one and with the other value.
inline std::vector<fetta::geometry> with_types(base::element_type fetta::geometry::*member)
{
    std::vector<fetta::geometry> all;
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
    explicit naive_memory(const fetta::geometry& g)
        : m_geometry(g), m_banks(g.engines, std::vector<unsigned char>(g.bank_bytes))
    {}

    /// Bank and byte in it of an address of LOAD and STORE: first the window of 16-bit elements, then that of float32.
    std::pair<std::uint64_t, std::uint64_t> place(std::uint64_t address) const
    {
        const bool wide = address >= m_geometry.memory_bytes();
        const std::uint64_t offset = address % m_geometry.memory_bytes();
        const std::uint64_t row_bytes = m_geometry.side * (wide ? 4 : 2);
        const std::uint64_t number = offset / row_bytes;
        return {number % m_geometry.engines, number / m_geometry.engines * row_bytes + offset % row_bytes};
    }
    unsigned char& at(std::uint64_t address)
    {
        const auto [bank, byte] = place(address);
        return m_banks[bank][byte];
    }

    float element(base::element_type type, std::uint64_t row, std::uint64_t bank, std::uint64_t lane) const
    {
        const std::uint64_t bytes = base::element_bytes(type);
        const unsigned char* const from = m_banks[bank].data() + (row * m_geometry.side + lane) * bytes;
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
        unsigned char* const to = m_banks[bank].data() + (row * m_geometry.side + lane) * bytes;
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
        const std::uint64_t row = e / m_geometry.side;
        return element(type, row / m_geometry.engines, row % m_geometry.engines, e % m_geometry.side);
    }

private:
    fetta::geometry m_geometry;
    std::vector<std::vector<unsigned char>> m_banks;
};

} // namespace tensorloom::test
