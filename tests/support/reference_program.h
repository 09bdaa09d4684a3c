#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::test {

/// Memory on the bus of a reference interpreter.
class reference_bus_memory {
public:
    reference_bus_memory(std::uint64_t base, std::uint64_t bytes) : m_base(base), m_bytes(bytes) {}

    /// Throws reference_failure (bus_error) when a byte lies outside.
    std::uint8_t* at(std::uint64_t address, std::size_t bytes);
    const std::vector<std::uint8_t>& bytes() const { return m_bytes; }

    /// Visits the elements of a tensor in C order: where each lies, its bytes, and its bytes' offset in the dense
    /// tensor. Of a GATHER the numbers of its slices, which stand for the indices of the first mode.
    void for_each_element(const isa::tensor_descriptor& tensor, const std::vector<std::uint32_t>& slices,
                          const std::function<void(std::uint8_t*, std::size_t, std::uint64_t)>& action);

private:
    std::uint64_t m_base;
    std::vector<std::uint8_t> m_bytes;
};

/// A command as it stands in a program.
struct reference_command {
    isa::command_header header;
    const std::uint8_t* after_header;

    /// Throws reference_failure unless it has so many bytes, rounded up to 16.
    const std::uint8_t* payload(std::size_t bytes) const;
};

/// What a reference interpreter does itself.
class reference_executor {
public:
    /// LOAD or STORE of this iteration, or GATHER of these slices.
    virtual void transfer(bool load, const isa::transfer_command& command,
                          const std::vector<std::uint32_t>& slices) = 0;
    virtual std::vector<std::uint32_t> list(std::uint64_t local, std::uint32_t entries) = 0; ///< of a GATHER
    /// A command that is not of the shell. Throws reference_failure.
    virtual void execute(const reference_command& command, const isa::loop_indices& iteration) = 0;

protected:
    ~reference_executor() = default;
};

/// Runs a program: LOOP and END, WAIT and SIGNAL, one command after the other. `command` is the index of the one that
/// runs. Throws reference_failure, also for what a device finds when it loads a program.
void run_reference_program(const std::vector<std::uint8_t>& program, reference_executor& executor,
                           std::uint32_t& command);

} // namespace tensorloom::test
