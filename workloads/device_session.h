#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>

namespace tensorloom::workloads {

/// A program that the device ended with an error. what() is one line: error, command, the device's activity.
class program_error : public std::runtime_error {
public:
    program_error(isa::error_code code, std::uint32_t command, const std::string& text)
        : std::runtime_error(text), m_code(code), m_command(command)
    {}
    isa::error_code code() const { return m_code; }
    std::uint32_t command() const { return m_command; } ///< index in the program

private:
    isa::error_code m_code;
    std::uint32_t m_command;
};

/// Counts of device events and the duration of one program.
template <class Counts> struct program_outcome {
    Counts counts;
    std::uint64_t cycles = 0; ///< START to DONE; 0 in a session without timing
};

/// A device with memory on its bus: the host library's interface for algorithms, the same for every device. Limits:
/// what programs for this device must keep to; Counts: of its events.
template <class Limits, class Counts> class device_session {
public:
    using limits_type = Limits;
    using counts_type = Counts;

    virtual ~device_session() = default;

    virtual const Limits& limits() const = 0;

    /// Memory on the bus for data starts at data_base(); both are multiples of 4096.
    virtual std::uint64_t data_base() const = 0;
    virtual std::uint64_t data_bytes() const = 0;
    virtual void write(std::uint64_t address, const void* from, std::size_t bytes) = 0;
    virtual void read(std::uint64_t address, void* to, std::size_t bytes) = 0;

    /// Runs a program (isa/program/program.h) to its end. The device's own memory keeps its contents between programs.
    /// The session stores the program outside of the data. Throws program_error when the device reports an error.
    virtual program_outcome<Counts> run(const std::vector<std::uint8_t>& program) = 0;
};

} // namespace tensorloom::workloads
