#pragma once
#include <cstdint>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/fetta/row_places.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/shell/local_memory.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// The unified memory as LOAD and STORE see it: two windows on the same bytes (arch/fetta/local_address.h), rows of
/// 16-bit elements from 0 and rows of float32 from memory_bytes() on. A transfer stays in one of them.
///
/// Its port moves one row per bank and cycle: N rows of the window's kind.
class memory_windows : public shell::local_memory {
public:
    /// `words`: the bytes, in the order of the float32 window.
    memory_windows(const arch::fetta::geometry& geometry, memory::scratchpad_if& words);

    std::uint64_t bytes() const override { return 2 * m_window_bytes; }
    std::uint64_t window_bytes() const override { return m_window_bytes; }
    shell::byte_range place(const shell::byte_range& addresses) const override;
    void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const override;
    void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) override;
    std::uint64_t port_cycles(std::uint64_t address, std::uint64_t bytes) const override;

    /// Rows of 16-bit elements that a range of one window touches: what a transfer counts.
    std::uint64_t rows(const shell::byte_range& addresses) const;

private:
    bool is_wide(std::uint64_t address) const { return address >= m_window_bytes; }
    template <class Piece> void for_each_piece(std::uint64_t address, std::uint64_t bytes, const Piece& piece) const;

    std::uint64_t m_window_bytes;
    std::uint64_t m_banks;
    row_places m_places;
    memory::scratchpad_if& m_words;
};

} // namespace tensorloom::fetta
