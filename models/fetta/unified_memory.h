#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/bank_ports.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/shell/transfer_unit.h>

namespace tensorloom::fetta {

/// The unified memory as seen by LOAD and STORE: two windows on the same bytes (row_address() in
/// fetta/isa/device_limits.h), rows of 16-bit elements from 0 and rows of float32 from memory_bytes() on. A transfer
/// stays in one window.
///
/// The port moves one row per bank and cycle: N rows of the window's kind.
class memory_windows : public shell::local_memory {
public:
    /// `words`: the bytes, in the order of the float32 window.
    memory_windows(const device_limits& limits, memory::scratchpad_if& words);

    const char* name() const override { return "unified_memory"; }
    std::uint64_t bytes() const override { return 2 * m_window_bytes; }
    std::uint64_t window_bytes() const override { return m_window_bytes; }
    shell::byte_range place(const shell::byte_range& addresses) const override;
    void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const override;
    void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) override;
    std::uint64_t port_cycles(std::uint64_t address, std::uint64_t bytes) const override;
    /// Rows of 16-bit elements that the range touches.
    std::uint64_t accesses(const shell::byte_range& moved) const override;
    void clear() override { m_words.clear(); }

private:
    bool is_wide(std::uint64_t address) const { return address >= m_window_bytes; }
    template <class Piece> void for_each_piece(std::uint64_t address, std::uint64_t bytes, const Piece& piece) const;

    std::uint64_t m_window_bytes;
    std::uint64_t m_banks;
    row_layout m_layout;
    memory::scratchpad_if& m_words;
};

/// The unified memory: N banks of rows of P elements, for activations, weights and gradients.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-C1.
///
/// ia, ib       exports: one row read per bank and cycle each
/// result       export: one row written per bank and cycle
/// words        export: the same bytes as words of float32 in N x P banks, for the vector unit; address 0 is the start
///              of the float32 window
/// transfers()  the same bytes as seen by LOAD and STORE, in two windows
///
/// A row has P elements of 16 bits, or of 32 bits: the two rows 2r and 2r+1 of a bank are the halves of one float32 row
/// and are read or written in one cycle. All bytes are 0 at the start.
///
/// Ping-pong buffering (as in the paper) is up to the program: it places the operands of the next command in one half
/// of the rows while the engines work in the other half. The halves are separate macros, so DMA and vector unit can
/// access one while the engines access the other. The device decides by the bytes touched which commands may overlap.
/// Timing: the memory itself takes no time. Banked operands access every bank once per cycle;
/// fetta/isa/bank_conflicts.h gives the conflicts of linear operands.
/// Not modelled: power gating of unused banks; arbitration between DMA and engines in one half.
///
/// Example
///
///     fetta::unified_memory memory("unified_memory", fetta::device_limits());
///     float row[4];
///     memory.ia->read_row(base::element_type::bf16, 0, 3, row);          // row 0 of bank 3
///     memory.result->write_row(base::element_type::f32, 8, 3, row, 0xf); // row 8, all 4 lanes
class unified_memory : public sc_core::sc_module, private bank_read_if, private bank_write_if {
public:
    sc_core::sc_export<bank_read_if> ia;
    sc_core::sc_export<bank_read_if> ib;
    sc_core::sc_export<bank_write_if> result;
    sc_core::sc_export<memory::scratchpad_if> words;

    /// The limits must be valid (validate() in fetta/isa/device_limits.h).
    unified_memory(sc_core::sc_module_name name, const device_limits& limits);

    /// Elaboration: counts the accesses of the banks of `words` from now on.
    const base::bank_counts& count_banks() { return m_storage.count_banks(); }

    memory_windows& transfers() { return m_windows; }
    const memory_windows& transfers() const { return m_windows; }
    const char* kind() const override { return "unified_memory"; }

private:
    const row_layout& layout() const override { return m_layout; }
    const unsigned char* bytes() const override { return m_bytes; }
    unsigned char* bytes() override { return m_bytes; }
    void read_row(base::element_type type, std::uint64_t row, unsigned bank, float* to) const override;
    void write_row(base::element_type type, std::uint64_t row, unsigned bank, const float* from,
                   std::uint32_t lanes) override;
    void note_written(const memory_range& range) override;

    unsigned m_side;
    row_layout m_layout;
    memory::scratchpad m_storage;
    memory::scratchpad_if& m_pad;
    unsigned char* m_bytes;
    memory_windows m_windows;
};

} // namespace tensorloom::fetta
