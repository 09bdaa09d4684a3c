#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include "support/mmv_reference_units.h"
#include "support/reference_program.h"

namespace tensorloom::test {

/// An MMU/VCU pair as the instruction table describes it, in plain C++ and naive loops: the oracle of the device, and a
/// machine for algorithms where a simulation would be too much.
///
/// Programs are decoded and run command by command; every element is read, computed and written by itself, with its
/// address checked.
/// Errors end a program as those of the device do (program_error: accumulator_overflow, arithmetic_overflow, bad_index,
/// too_large, bad_field, ...), but all are found when a command runs, none when the program is loaded.
///
/// Counts    all events but scratchpad_read, scratchpad_write and overlapped_cycle, which say how the hardware does it
/// Not modelled: time (program_outcome::cycles is 0), the order in which a device checks the fields of a command.
class mmv_reference : public workloads::mmv_session, private reference_executor {
public:
    struct settings {
        std::uint64_t memory_base = 0x1000;
        std::uint64_t memory_bytes = 16u << 20;
        unsigned word_bits = 0; ///< B of the circuit sizes; 0: the bits of a word
    };

    explicit mmv_reference(const mmv::limits& limits) : mmv_reference(limits, settings{}) {}
    mmv_reference(const mmv::limits& limits, const settings& with);
    ~mmv_reference() override;

    const mmv::limits& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return m_settings.memory_base; }
    std::uint64_t data_bytes() const override { return m_settings.memory_bytes; }
    void write(std::uint64_t address, const void* from, std::size_t bytes) override;
    void read(std::uint64_t address, void* to, std::size_t bytes) override;
    workloads::program_outcome<mmv::counts> run(const std::vector<std::uint8_t>& program) override;

    /// Of the last program, also of one that ended in an error.
    const mmv::counts& counted() const { return m_counts; }
    const std::vector<std::uint8_t>& memory() const { return m_memory.bytes(); }
    const reference_scratchpad& scratchpad() const { return m_scratchpad; }

private:
    // reference_executor
    void transfer(bool load, const isa::transfer_command& command, const std::vector<std::uint32_t>& slices) override;
    std::vector<std::uint32_t> list(std::uint64_t local, std::uint32_t entries) override;
    void execute(const reference_command& command, const isa::loop_indices& iteration) override;

    mmv::limits m_limits;
    settings m_settings;
    reference_bus_memory m_memory;
    reference_scratchpad m_scratchpad;
    mmv::counts m_counts;
    std::unique_ptr<reference_units> m_units;
};

} // namespace tensorloom::test
