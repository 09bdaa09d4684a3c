#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

// Loading a program into a device: fetch, check as a whole, iterate.

/// Why a program ended early: the contents of the ERROR registers.
struct program_failure {
    isa::error_code code;
    std::uint32_t command; ///< index in the program
    std::uint64_t address = 0;
    isa::bus_response response = isa::bus_response::none;
};

inline program_failure failure_of(const command_outcome& outcome, std::uint32_t command)
{
    return {outcome.error, command, outcome.address, outcome.response};
}

/// Reads the header of a program from memory and resizes `program` to the size in it.
///
/// Errors     bad_program   an address that is not a multiple of 16; magic, version or size in the header
///            bus_error, aborted
std::optional<program_failure> fetch_header(std::uint64_t address, std::uint32_t max_bytes, bus::dma_ports& dma,
                                            const bus::stop_request& stop, std::vector<std::uint8_t>& program);
/// Fetches the header and the rest, with the same errors. Takes the time of both transfers.
std::optional<program_failure> fetch_program(std::uint64_t address, std::uint32_t max_bytes, bus::dma_ports& dma,
                                             const bus::stop_request& stop, std::vector<std::uint8_t>& program);

/// Checks the commands of a program in order, with the errors of check_program().
class command_checks {
public:
    explicit command_checks(const unit_table& units) : m_units(units) {}

    /// Checks a command's header alone, which must be present: its length and reserved bytes.
    static std::optional<isa::error_code> check_header(const isa::program_command& command);
    /// Checks the rest of the next command, whose header is valid.
    std::optional<isa::error_code> check_next(const isa::program_command& command);
    /// Checks the place after the last command.
    std::optional<program_failure> end(std::uint32_t count, const isa::program_command& place) const;

private:
    const unit_table& m_units;
    std::vector<std::uint32_t> m_open_loops; // indices, outermost first
};

/// The first error of a program whose header is valid, before any of it runs.
///
///     bad_program          commands that end before or after the program's end
///     bad_command          length, flags or reserved bytes of a header; a fifth LOOP inside four; an END without LOOP;
///                          when nothing else is wrong, the first LOOP without END
///     unknown_opcode
///     unsupported_opcode   LOAD or STORE without a memory
///     and the payload errors of isa/program/shell_commands.h and of the units
std::optional<program_failure> check_program(const std::vector<std::uint8_t>& program, const unit_table& units);

/// Iterates the commands of a program in the order in which they run, with loops unrolled. Memory does not grow with
/// iterations.
///
/// LOOP and END are commands like others: a LOOP appears once, before its first iteration; an END appears in every
/// iteration, with the iteration that it ends. HALT does not end the iteration.
///
/// Example
///
///     if (!shell::check_program(program, units)) {
///         shell::program_walk walk(program);
///         while (const auto command = walk.next()) { out << command->index << '\n'; }
///     }
class program_walk {
public:
    /// A valid program, which must stay in place.
    explicit program_walk(const std::vector<std::uint8_t>& program);

    /// The next command; nothing at the end of the program.
    std::optional<issued_command> next();

    bool ended() const { return m_next.ended(); }
    /// The current position in the program; at the end, the place after the last command.
    const isa::program_command& place() const { return *m_next; }

private:
    struct open_loop {
        isa::program_commands::iterator body;
        std::uint32_t count = 0;
        std::uint32_t iteration = 0;
    };

    isa::program_commands::iterator m_next;
    std::array<open_loop, isa::max_loop_depth> m_loops{}; // outermost first
    unsigned m_depth = 0;
};

} // namespace tensorloom::shell
