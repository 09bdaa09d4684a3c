#include <tensorloom/models/fetta/memory_windows.h>
#include <algorithm>
#include <cstring>

namespace tensorloom::fetta {

memory_windows::memory_windows(const arch::fetta::geometry& geometry, memory::scratchpad_if& words)
    : m_window_bytes(geometry.memory_bytes()), m_banks(geometry.engines), m_places(geometry), m_words(words)
{}

// Runs of bytes that are contiguous in the storage: all of a float32 window, rows of the other one.
template <class Piece>
void memory_windows::for_each_piece(std::uint64_t address, std::uint64_t bytes, const Piece& piece) const
{
    if (is_wide(address)) {
        piece(address - m_window_bytes, std::uint64_t{0}, bytes);
        return;
    }
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t at = address + done;
        const std::uint64_t rest_of_row = m_places.row_bytes() - at % m_places.row_bytes();
        const std::uint64_t now = std::min(bytes - done, rest_of_row);
        piece(m_places.narrow_byte(at), done, now);
        done += now;
    }
}

// In the window of 16-bit elements neighbours lie apart: whole blocks, in which both windows have the same bytes.
shell::byte_range memory_windows::place(const shell::byte_range& addresses) const
{
    if (is_wide(addresses.first)) { return {addresses.first - m_window_bytes, addresses.bytes}; }
    const std::uint64_t block = m_places.block_bytes();
    const std::uint64_t first = addresses.first / block * block;
    const std::uint64_t end = (addresses.first + addresses.bytes + block - 1) / block * block;
    return {first, end - first};
}

void memory_windows::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const
{
    const memory::scratchpad_if& words = m_words;
    for_each_piece(address, bytes, [&](std::uint64_t at, std::uint64_t done, std::uint64_t now) {
        std::memcpy(to + done, words.at(at), now);
    });
}

void memory_windows::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)
{
    for_each_piece(address, bytes, [&](std::uint64_t at, std::uint64_t done, std::uint64_t now) {
        std::memcpy(m_words.at(at), from + done, now);
        m_words.note_written({at, 1, now, 0});
    });
}

std::uint64_t memory_windows::rows(const shell::byte_range& addresses) const
{
    const std::uint64_t row = m_places.row_bytes();
    return addresses.bytes == 0 ? 0 : (addresses.first + addresses.bytes - 1) / row - addresses.first / row + 1;
}

std::uint64_t memory_windows::port_cycles(std::uint64_t address, std::uint64_t bytes) const
{
    const std::uint64_t row = m_places.row_bytes() * (is_wide(address) ? 2 : 1);
    const std::uint64_t touched = (address + bytes - 1) / row - address / row + 1;
    return (touched + m_banks - 1) / m_banks;
}

} // namespace tensorloom::fetta
