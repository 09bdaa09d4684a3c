#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/fetta/row_places.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// A read port of the banks of the unified memory: one row of each bank per cycle. Rows are of bf16 or f32; whoever
/// calls has checked that they exist, and keeps to one row per bank and cycle.
class row_source_if : public virtual sc_core::sc_interface {
public:
    /// P elements; bfloat16 becomes the float that it is.
    virtual void read_row(arch::element_type type, std::uint64_t row, unsigned bank, float* to) const = 0;

    /// For a whole operand at once: a row lies at bytes() + places().row(...). Valid as long as the memory.
    virtual const row_places& places() const = 0;
    virtual const unsigned char* bytes() const = 0;

protected:
    ~row_source_if() override = default;
};

/// The write port of the banks of the unified memory: one row of each bank per cycle.
class row_sink_if : public virtual sc_core::sc_interface {
public:
    /// Writes the elements whose bit in `lanes` is set; to bf16 they are rounded once.
    virtual void write_row(arch::element_type type, std::uint64_t row, unsigned bank, const float* from,
                           std::uint32_t lanes) = 0;

    /// For a whole result at once: as row_source_if; what has been written is noted once.
    virtual const row_places& places() const = 0;
    virtual unsigned char* bytes() = 0;
    virtual void note_written(const arch::fetta::memory_range& range) = 0;

protected:
    ~row_sink_if() override = default;
};

} // namespace tensorloom::fetta
