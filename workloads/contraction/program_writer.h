#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/workloads/contraction/program.h>

namespace tensorloom::workloads {

/// Writes the programs of one phase. A program longer than half of `most_bytes` ends at the next may_cut().
class program_writer {
public:
    program_writer(program_phase phase, const fetta::device_limits& g, std::size_t most_bytes)
        : m_phase(phase), m_limits(g), m_most_bytes(most_bytes)
    {}

    /// `local`: byte address in the unified memory, for any type.
    void load(const isa::tensor_descriptor& from, std::uint64_t local, const std::string& what);
    void store(const isa::tensor_descriptor& to, std::uint64_t local, const std::string& what);
    void contract(const fetta::contract_command& command, const std::string& what);
    /// Instructions of the vector unit; addresses are bytes of the float32 window, from 0.
    void vector(isa::vector::opcode code, const isa::vector::vector_command& command, const std::string& what);
    void repl(const isa::vector::strided_command& command, const std::string& what);

    /// Allows the following commands to be in another program.
    void may_cut();
    /// All programs. Throws base::input_error when one has more than most_bytes.
    std::vector<contraction_program> programs();

private:
    void add(std::uint8_t code, std::uint16_t flags, const std::vector<std::uint8_t>& payload, const std::string& what);
    void transfer(isa::opcode code, const isa::tensor_descriptor& tensor, std::uint64_t local, const std::string& what);
    void close();

    program_phase m_phase;
    fetta::device_limits m_limits;
    std::size_t m_most_bytes; // of a program
    isa::program_builder m_builder;
    std::size_t m_bytes = 0; // of the current commands
    std::vector<std::string> m_descriptions;
    std::vector<contraction_program> m_programs;
};

/// A mode of a tensor in memory.
struct memory_mode {
    std::uint64_t size = 1;
    std::int64_t stride = 0; ///< in elements
};

/// The descriptor of these modes, outermost first; contiguous modes are merged. At most 8 may remain.
isa::tensor_descriptor descriptor_of(std::uint64_t address, base::element_type type,
                                     const std::vector<memory_mode>& modes);

} // namespace tensorloom::workloads
