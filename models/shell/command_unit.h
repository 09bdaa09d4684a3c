#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
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

/// Bytes of a device's local memory.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0; ///< 0: none
};

/// The few ranges that a command reads, or writes: without allocations, because there is one for every command. More
/// than `capacity` throw std::out_of_range.
class byte_ranges {
public:
    static constexpr std::size_t capacity = 4;

    byte_ranges() = default;
    byte_ranges(std::initializer_list<byte_range> ranges)
    {
        for (const auto& range : ranges) { push_back(range); }
    }

    void push_back(const byte_range& range) { m_ranges.at(m_size++) = range; }
    void clear() { m_size = 0; }
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    const byte_range& operator[](std::size_t range) const { return m_ranges[range]; }
    const byte_range* begin() const { return m_ranges.data(); }
    const byte_range* end() const { return m_ranges.data() + m_size; }

private:
    std::array<byte_range, capacity> m_ranges;
    std::size_t m_size = 0;
};

/// The bytes that a command reads and writes: they decide whether it may run in parallel with an earlier one.
struct access_set {
    unsigned unit = 0; ///< index of its unit in the device's list; set by the issuer
    byte_ranges reads;
    byte_ranges writes;
};

/// Whether the ranges share a byte.
bool overlap(const byte_range& a, const byte_range& b);

/// Whether the later command must wait for the earlier one: it reads what that writes, or writes what that reads or
/// writes.
bool depends(const access_set& later, const access_set& earlier);

/// How a command ended.
struct command_outcome {
    isa::error_code error = isa::error_code::none;        ///< aborted: stopped on request
    std::uint64_t address = 0;                            ///< with bus_error
    isa::bus_response response = isa::bus_response::none; ///< with bus_error

    bool ok() const { return error == isa::error_code::none; }
};

/// The outcome of a command whose last transfer ended like this.
command_outcome outcome_of(const bus::dma_result& result);

/// A command while a unit executes it.
struct running_command {
    const issued_command& command;
    const program_clock& clock;
    const bus::stop_request& stop;
    command_report& phases;

    /// Reports a phase: phases are consecutive from the command's begin. Phases after its end (an abort) are cut off.
    /// `counts` by the device's event table, or nullptr. Counts become visible when the command has ended. `freed`: as
    /// in command_report::add().
    void report(const char* cause, const char* phase, std::uint64_t cycles, const std::uint64_t* counts = nullptr,
                const base::freed_cycles* freed = nullptr)
    {
        phases.add(cause, phase, cycles, counts, freed);
    }
};

/// A unit of a device: executes the commands of some opcodes, one at a time. A device is a list of units. The shell
/// finds the unit of a command by its opcode and calls check() when a program is loaded; in each iteration it calls
/// accesses(), where commands overlap, and execute().
class command_unit {
public:
    virtual ~command_unit() = default;

    /// Whether the unit executes this opcode: a device opcode (0x20 and up), LOAD or STORE.
    virtual bool executes(std::uint8_t opcode) const = 0;
    /// Checks a command of correct length when a program is loaded; returns the reason to refuse it. Its
    /// operands may advance with iterations.
    virtual std::optional<isa::check_error> check(const isa::command_header& header,
                                                  const std::uint8_t* payload) const = 0;
    /// The bytes of the device's memory that the command reads and writes in this iteration; none when execute()
    /// refuses it.
    virtual access_set accesses(const issued_command& command) const = 0;
    /// Refuses or runs the command; returns when it has ended, in simulated time, at a cycle boundary. Called in the
    /// shell's thread; with overlap, in the unit's own thread.
    virtual command_outcome execute(running_command& running) = 0;

    /// Elaboration: adds the current command to a waveform.
    virtual void trace_command(sc_core::sc_trace_file&) {}
    /// Elaboration: adds the unit's activity to a waveform.
    virtual void trace(sc_core::sc_trace_file&) {}

    /// A program starts: its first command has not been fetched yet.
    virtual void begin_program() {}
    /// Logs the work done up to now, because the event counters are about to be read. Not needed by units that log by
    /// report().
    virtual void sync() {}
    /// Restores the state after construction; called between programs.
    virtual void reset() {}

    /// The unit's private memories, for debuggers and saved states.
    virtual std::vector<debug_memory> memories() { return {}; }
    /// A debugger is attached: keep these memories up to date from now on, even if this is slower.
    virtual void begin_debug() {}
    /// Between programs: writes further state that a later program can observe.
    virtual void write_state(base::state_writer&) const {}
    /// Reads that state, or throws base::input_error; changes nothing. The returned function sets the state after a
    /// reset().
    virtual std::function<void()> read_state(base::state_reader&)
    {
        return [] {};
    }
};

/// A unit's current command in a waveform.
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

/// Maps opcodes to the units of a device.
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
        unsigned number = 0;          ///< index in the list of units
        std::size_t payload_bytes = 0;
    };

    /// Adds the unit for those of these commands that it executes.
    void add(command_unit& unit, const isa::command_descriptions& commands);

    const std::vector<command_unit*>& units() const { return m_units; }
    const entry& operator[](std::uint8_t opcode) const { return m_entries[opcode]; }

private:
    std::vector<command_unit*> m_units;
    std::array<entry, 256> m_entries{};
};

} // namespace tensorloom::shell
