#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/debug_memory.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Bytes of a device's own memory.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0; ///< 0: none
};

/// What a command reads and writes: what decides whether it may run beside an earlier one that has not finished.
struct access_set {
    unsigned unit = 0; ///< place of its unit in the device's list; whoever issues the command knows it
    std::vector<byte_range> reads;
    std::vector<byte_range> writes;
};

/// A byte lies in both.
bool overlap(const byte_range& a, const byte_range& b);

/// The later command must wait for the earlier one: it reads what that writes, or writes what that reads or writes.
bool depends(const access_set& later, const access_set& earlier);

/// How a command ended.
struct command_outcome {
    isa::error_code error = isa::error_code::none;        ///< aborted: it stopped because it was asked to
    std::uint64_t address = 0;                            ///< with bus_error
    isa::bus_response response = isa::bus_response::none; ///< with bus_error

    bool ok() const { return error == isa::error_code::none; }
};

/// How a command ends whose last transfer ended like this.
command_outcome outcome_of(const bus::dma_result& result);

/// A command while a unit executes it.
struct running_command {
    const issued_command& command;
    const program_clock& clock;
    const bus::stop_request& stop;
    command_report& phases;

    /// Reports a phase: phases follow each other from the command's begin. What lies behind its end (an abort) is cut
    /// off. `counts` by the device's event table, or nullptr. They show when the command has ended.
    void report(const char* cause, const char* phase, std::uint64_t cycles, const std::uint64_t* counts = nullptr)
    {
        phases.add(cause, phase, cycles, counts);
    }
};

/// A unit of a device: executes the commands of some opcodes, one at a time. A device is a list of these; the shell
/// finds the unit of a command by its opcode, calls check() when a program is loaded, and in each iteration accesses(),
/// where commands overlap, and execute().
class command_unit {
public:
    virtual ~command_unit() = default;

    /// Whether it has this opcode, one of the device's own (0x20 and up) or LOAD and STORE.
    virtual bool executes(std::uint8_t opcode) const = 0;
    /// A reason to refuse a command, of the right length, when a program is loaded: operands may advance.
    virtual std::optional<isa::check_error> check(const isa::command_header& header,
                                                  const std::uint8_t* payload) const = 0;
    /// The bytes of the device's memory that it reads and writes in this iteration; none when execute() refuses it.
    virtual access_set accesses(const issued_command& command) const = 0;
    /// Refuses the command or runs it; returns when it has ended, in time too, at a cycle boundary. Called in the
    /// shell's thread, with overlap in one of the unit's own.
    virtual command_outcome execute(running_command& running) = 0;

    /// Elaboration: shows the command at hand in a waveform.
    virtual void trace_command(sc_core::sc_trace_file&) {}
    /// Elaboration: shows what the unit is doing.
    virtual void trace(sc_core::sc_trace_file&) {}

    /// A program starts: its first command has not been fetched yet.
    virtual void begin_program() {}
    /// Logs what it has done by the present time: somebody reads the event counters. Units that log by report() have
    /// nothing to do.
    virtual void sync() {}
    /// Back to the state after construction; called between programs.
    virtual void reset() {}

    /// Memories that it has to itself: what a debugger sees of it, and what is saved.
    virtual std::vector<debug_memory> memories() { return {}; }
    /// A debugger is there: from now on they hold what they can, at the expense of speed.
    virtual void begin_debug() {}
    /// Between programs: what else of its state a later program can see.
    virtual void write_state(base::state_writer&) const {}
    /// Reads that, or throws base::input_error; nothing has changed. Returns what puts it there, after a reset().
    virtual std::function<void()> read_state(base::state_reader&)
    {
        return [] {};
    }
};

/// What a waveform shows of a unit: the command that it executes, after it has let it pass.
class unit_activity {
public:
    void begin(const issued_command& command)
    {
        m_opcode = command.header.opcode;
        m_command = command.index;
    }
    void end() { m_opcode = 0; }
    /// As `<unit>.opcode`, 0 when idle, and `<unit>.command`, the index of the last one.
    void trace(sc_core::sc_trace_file& file, const std::string& unit) const;

private:
    std::uint8_t m_opcode = 0;
    std::uint32_t m_command = 0;
};

/// The units of a device by opcode.
///
/// Example
///
///     shell::unit_table units;
///     units.add(unit, commands);
///     const shell::unit_table::entry& found = units[0x20];
class unit_table {
public:
    struct entry {
        command_unit* unit = nullptr; ///< nullptr: no unit of this device has the opcode
        unsigned number = 0;          ///< place in the list of units
        std::size_t payload_bytes = 0;
    };

    /// Of these commands those that the unit executes.
    void add(command_unit& unit, const isa::command_descriptions& commands);

    const std::vector<command_unit*>& units() const { return m_units; }
    const entry& operator[](std::uint8_t opcode) const { return m_entries[opcode]; }

private:
    std::vector<command_unit*> m_units;
    std::array<entry, 256> m_entries{};
};

} // namespace tensorloom::shell
