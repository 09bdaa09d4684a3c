#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/bank_ports.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/shell/transfer_unit.h>

namespace tensorloom::fetta {

/// The unified memory as LOAD and STORE see it: two windows on the same bytes (row_address() in
/// fetta/isa/device_limits.h), rows of 16-bit elements from 0 and rows of float32 from memory_bytes() on. A transfer
/// stays in one of them.
///
/// Its port moves one row per bank and cycle: N rows of the window's kind.
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

/// The unified memory: N banks of rows of P elements, for activations, weights and gradients alike.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-C1.
///
/// ia, ib       export: per bank one row read per cycle each
/// result       export: per bank one row written per cycle
/// words        export: the same bytes as words of float32 in N x P banks, for the vector unit; address 0 is the start
///              of the float32 window
/// transfers()  the same bytes as LOAD and STORE see them, in two windows
///
/// A row is P elements of 16 bits, or of 32 bits: the two rows 2r and 2r+1 of a bank are halves of one float32 row,
/// stand side by side and are read or written in one cycle. All 0 at the start.
///
/// The paper's ping-pong buffer is a matter of what a program puts where: each half of the rows is a macro of its own,
/// so that DMA and vector unit work in one half while the engines work in the other; which commands may run beside each
/// other is decided by the bytes that they touch.
/// Timing: none of its own. Banked operands meet every bank once per cycle; what linear ones wait is in
/// fetta/isa/bank_conflicts.h.
/// Not modelled: unused banks that are switched off; arbitration between DMA and engines in one half.
class unified_memory : public sc_core::sc_module, private bank_read_if, private bank_write_if {
public:
    sc_core::sc_export<bank_read_if> ia;
    sc_core::sc_export<bank_read_if> ib;
    sc_core::sc_export<bank_write_if> result;
    sc_core::sc_export<memory::scratchpad_if> words;

    /// A geometry without complaint (fetta/isa/contract_check.h).
    unified_memory(sc_core::sc_module_name name, const device_limits& limits);

    /// Elaboration: the banks of `words` are counted from now on.
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
