#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/fetta/memory_windows.h>
#include <tensorloom/models/fetta/row_places.h>
#include <tensorloom/models/fetta/row_port.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// The unified memory: N banks of rows of P elements, for activations, weights and gradients alike.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-C1.
///
/// ia, ib       export: per bank one row read per cycle each
/// result       export: per bank one row written per cycle
/// words        export: the same bytes as words of float32 in N x P banks, for the vector unit; address 0 is the start
///              of the float32 window
/// transfers()  the same bytes as LOAD and STORE see them, in two windows (memory_windows.h)
///
/// A row is P elements of 16 bits, or of 32 bits: the two rows 2r and 2r+1 of a bank are halves of one float32 row,
/// stand side by side and are read or written in one cycle. All 0 at the start.
///
/// The paper's ping-pong buffer is a matter of what a program puts where: each half of the rows is a macro of its own,
/// so that DMA and vector unit work in one half while the engines work in the other; which commands may run beside each
/// other is decided by the bytes that they touch.
/// Timing: none of its own. Banked operands meet every bank once per cycle; what linear ones wait is in
/// arch/fetta/row_requests.h.
/// Not modelled: unused banks that are switched off; arbitration between DMA and engines in one half.
class unified_memory : public sc_core::sc_module, private row_source_if, private row_sink_if {
public:
    sc_core::sc_export<row_source_if> ia;
    sc_core::sc_export<row_source_if> ib;
    sc_core::sc_export<row_sink_if> result;
    sc_core::sc_export<memory::scratchpad_if> words;

    /// A geometry without complaint (arch/fetta/limits.h).
    unified_memory(sc_core::sc_module_name name, const arch::fetta::geometry& geometry);

    memory_windows& transfers() { return m_windows; }
    const memory_windows& transfers() const { return m_windows; }

private:
    const row_places& places() const override { return m_places; }
    const unsigned char* bytes() const override { return m_bytes; }
    unsigned char* bytes() override { return m_bytes; }
    void read_row(arch::element_type type, std::uint64_t row, unsigned bank, float* to) const override;
    void write_row(arch::element_type type, std::uint64_t row, unsigned bank, const float* from,
                   std::uint32_t lanes) override;
    void note_written(const arch::fetta::memory_range& range) override;

    unsigned m_side;
    row_places m_places;
    memory::scratchpad m_storage;
    memory::scratchpad_if& m_pad;
    unsigned char* m_bytes;
    memory_windows m_windows;
};

} // namespace tensorloom::fetta
