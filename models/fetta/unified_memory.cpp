#include <tensorloom/models/fetta/unified_memory.h>
#include <type_traits>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::fetta {

memory_windows::memory_windows(const device_limits& limits, memory::scratchpad_if& words)
    : m_window_bytes(limits.memory_bytes()), m_banks(limits.engines), m_layout(limits), m_words(words)
{}

// Runs of bytes that are contiguous in the storage: the whole float32 window, or rows of the other one. Most are whole
// blocks with the paper's rows of four elements.
template <class Piece>
void memory_windows::for_each_piece(std::uint64_t address, std::uint64_t bytes, const Piece& piece) const
{
    if (is_wide(address)) {
        piece(address - m_window_bytes, std::uint64_t{0}, bytes);
        return;
    }
    std::uint64_t done = 0;
    const auto whole_block = [&](std::uint64_t at, auto row_bytes) {
        for (std::uint64_t odd = 0; odd < 2; ++odd) {
            for (std::uint64_t bank = 0; bank < m_banks; ++bank) {
                piece(at + (2 * bank + odd) * row_bytes, done, row_bytes);
                done += row_bytes;
            }
        }
    };
    constexpr std::integral_constant<std::uint64_t, 8> short_row{};
    while (done < bytes) {
        const std::uint64_t at = address + done;
        if (at % m_layout.block_bytes() == 0 && bytes - done >= m_layout.block_bytes()) {
            m_layout.row_bytes() == short_row ? whole_block(at, short_row) : whole_block(at, m_layout.row_bytes());
            continue;
        }
        const std::uint64_t rest_of_row = m_layout.row_bytes() - at % m_layout.row_bytes();
        const std::uint64_t now = std::min(bytes - done, rest_of_row);
        piece(m_layout.narrow_byte(at), done, now);
        done += now;
    }
}

// Neighbours in the window of 16-bit elements are apart in storage: note whole blocks, equal in both windows.
shell::byte_range memory_windows::place(const shell::byte_range& addresses) const
{
    if (is_wide(addresses.first)) { return {addresses.first - m_window_bytes, addresses.bytes}; }
    const std::uint64_t block = m_layout.block_bytes();
    const std::uint64_t first = addresses.first / block * block;
    const std::uint64_t end = (addresses.first + addresses.bytes + block - 1) / block * block;
    return {first, end - first};
}

void memory_windows::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const
{
    const memory::scratchpad_if& words = m_words;
    const unsigned char* const first = words.at(0);
    for_each_piece(address, bytes,
                   [&](std::uint64_t at, std::uint64_t done, auto now) { std::memcpy(to + done, first + at, now); });
}

void memory_windows::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)
{
    const auto touched = place({address, bytes});
    const bool is_watched = m_words.is_watched(touched.first, touched.first + touched.bytes);
    unsigned char* const first = m_words.at(0);
    for_each_piece(address, bytes, [&](std::uint64_t at, std::uint64_t done, auto now) {
        std::memcpy(first + at, from + done, now);
        if (is_watched) { m_words.note_written({at, 1, now, 0}); }
    });
}

std::uint64_t memory_windows::accesses(const shell::byte_range& addresses) const
{
    const std::uint64_t row = m_layout.row_bytes();
    return addresses.bytes == 0 ? 0 : (addresses.first + addresses.bytes - 1) / row - addresses.first / row + 1;
}

std::uint64_t memory_windows::port_cycles(std::uint64_t address, std::uint64_t bytes) const
{
    const std::uint64_t row = m_layout.row_bytes() * (is_wide(address) ? 2 : 1);
    const std::uint64_t touched = (address + bytes - 1) / row - address / row + 1;
    return (touched + m_banks - 1) / m_banks;
}

using base::element_type;

namespace {

constexpr unsigned most_side = 16; // largest side of an engine

} // namespace

unified_memory::unified_memory(sc_core::sc_module_name name, const device_limits& limits)
    : sc_core::sc_module(name), ia("ia"), ib("ib"), result("result"), words("words"), m_side(limits.side),
      m_layout(limits), m_storage("storage", limits.memory_bytes(), sizeof(float), limits.engines * limits.side),
      m_pad(*m_storage.port.operator->()), m_bytes(m_pad.at(0)), m_windows(limits, m_pad)
{
    ia.bind(*this);
    ib.bind(*this);
    result.bind(*this);
    words.bind(m_storage.port);
}

void unified_memory::read_row(element_type type, std::uint64_t row, unsigned bank, float* to) const
{
    const unsigned char* const from = m_bytes + m_layout.row(type, row, bank);
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
    const std::uint64_t first = m_layout.row(type, row, bank);
    const std::uint64_t size = base::element_bytes(type);
    for (std::uint64_t rest = lanes & ((std::uint64_t{1} << m_side) - 1); rest != 0;) {
        // A run of lanes, from the lowest remaining one.
        const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
        const auto run = static_cast<unsigned>(__builtin_ctzll(~(rest >> lane)));
        std::memcpy(m_bytes + first + lane * size, rounded + lane * size, run * size);
        m_pad.note_written({first + lane * size, 1, run * size, 0});
        rest &= ~std::uint64_t{0} << (lane + run);
    }
}

void unified_memory::note_written(const memory_range& range)
{
    m_pad.note_written({range.first, range.first == range.end ? 0u : 1u, range.end - range.first, 0});
}

} // namespace tensorloom::fetta
