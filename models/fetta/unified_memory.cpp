#include <tensorloom/models/fetta/unified_memory.h>
#include <cstring>
#include <tensorloom/models/arithmetic/bfloat16_rows.h>

namespace tensorloom::fetta {

using arch::element_type;

namespace {

constexpr unsigned most_side = 16; // of a geometry

} // namespace

unified_memory::unified_memory(sc_core::sc_module_name name, const arch::fetta::geometry& geometry)
    : sc_core::sc_module(name), ia("ia"), ib("ib"), result("result"), words("words"), m_side(geometry.side),
      m_places(geometry),
      m_storage("storage", geometry.memory_bytes(), sizeof(float), geometry.engines * geometry.side),
      m_pad(*m_storage.port.operator->()), m_bytes(m_pad.at(0)), m_windows(geometry, m_pad)
{
    ia.bind(*this);
    ib.bind(*this);
    result.bind(*this);
    words.bind(m_storage.port);
}

void unified_memory::read_row(element_type type, std::uint64_t row, unsigned bank, float* to) const
{
    const unsigned char* const from = m_bytes + m_places.row(type, row, bank);
    if (type == element_type::f32) {
        std::memcpy(to, from, m_side * sizeof(float));
    } else {
        arithmetic::widen_row(from, m_side, to);
    }
}

void unified_memory::write_row(element_type type, std::uint64_t row, unsigned bank, const float* from,
                               std::uint32_t lanes)
{
    unsigned char rounded[most_side * sizeof(float)];
    if (type == element_type::f32) {
        std::memcpy(rounded, from, m_side * sizeof(float));
    } else {
        arithmetic::narrow_row(from, m_side, rounded);
    }
    const std::uint64_t first = m_places.row(type, row, bank);
    const std::uint64_t size = arch::element_bytes(type);
    for (std::uint64_t rest = lanes & ((std::uint64_t{1} << m_side) - 1); rest != 0;) {
        // A run of lanes, from the lowest that is left.
        const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto run = static_cast<unsigned>(__builtin_ctzll(~(rest >> lane)));
        std::memcpy(m_bytes + first + lane * size, rounded + lane * size, run * size);
        m_pad.note_written({first + lane * size, 1, run * size, 0});
        rest &= ~std::uint64_t{0} << (lane + run);
    }
}

void unified_memory::note_written(const arch::fetta::memory_range& range)
{
    m_pad.note_written({range.first, range.first == range.end ? 0u : 1u, range.end - range.first, 0});
}

} // namespace tensorloom::fetta
