#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
#include <tensorloom/workloads/fetta/session.h>
#include "support/fetta_reference_contraction.h"
#include "support/fetta_reference_memory.h"
#include "support/mmv_reference_units.h"
#include "support/reference_program.h"

namespace tensorloom::test {

/// A FETTA as fetta/isa describes it, in plain C++ and naive loops: the oracle of the device, and a machine for
/// contractions where a simulation would be too much.
///
/// Programs are decoded and run command by command; every element is read, multiplied, added and written by itself,
/// with its address checked.
/// Errors end a program as those of the device do, but all are found when a command runs, none when the program is
/// loaded, and overlaps of operands and result are not found. program_outcome::cycles is the sum of the CONTRACTs'
/// cycles: no bus, no shell, no vector unit.
///
/// Vector instructions are those of the reference of an MMU/VCU pair, on words of float32; of an instruction that the
/// device's vector unit lacks the reference knows nothing.
///
/// Counts    all events but vector_word_read, vector_word_write and overlapped_cycle, which say how the hardware does
///           it
class fetta_reference : public workloads::fetta_session, private reference_executor {
public:
    struct settings {
        std::uint64_t memory_base = 0x1000;
        std::uint64_t memory_bytes = 16u << 20;
    };

    explicit fetta_reference(const fetta::device_limits& g) : fetta_reference(g, settings{}) {}
    fetta_reference(const fetta::device_limits& g, const settings& with);
    ~fetta_reference() override;

    const fetta::device_limits& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return m_settings.memory_base; }
    std::uint64_t data_bytes() const override { return m_settings.memory_bytes; }
    void write(std::uint64_t address, const void* from, std::size_t bytes) override;
    void read(std::uint64_t address, void* to, std::size_t bytes) override;
    workloads::program_outcome<fetta::counts> run(const std::vector<std::uint8_t>& program) override;

    /// Of the last program, also of one that ended in an error.
    const fetta::counts& counted() const { return m_counts; }
    /// Of the CONTRACTs of the last program.
    const fetta_reference_cycles& cycles() const { return m_cycles; }
    const std::vector<std::uint8_t>& memory() const { return m_memory.bytes(); }
    fetta_reference_memory& unified_memory() { return m_unified; }

private:
    // reference_executor
    void transfer(bool load, const isa::transfer_command& command, const std::vector<std::uint32_t>& slices) override;
    std::vector<std::uint32_t> list(std::uint64_t local, std::uint32_t entries) override;
    void require_inside(std::uint64_t local, std::uint64_t bytes) const;
    std::uint64_t rows_of(std::uint64_t local, std::uint64_t bytes) const;
    void execute(const reference_command& command, const isa::loop_indices& iteration) override;
    void run_vector(const reference_command& command, const isa::loop_indices& iteration);

    fetta::device_limits m_limits;
    settings m_settings;
    reference_bus_memory m_memory;
    fetta_reference_memory m_unified;
    fetta_reference_accumulators m_accumulators;
    mmv::limits m_word_limits; // of the vector unit
    mmv::counts m_vector_counts;
    std::unique_ptr<reference_units> m_units;
    fetta::counts m_counts;
    fetta_reference_cycles m_cycles;
};

} // namespace tensorloom::test
