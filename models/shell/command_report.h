#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorloom::shell {

/// A row for the log: a phase of a command, with the cycles of it that the program waited for.
struct report_row {
    const char* cause;
    const char* phase;
    std::uint64_t start_cycle;
    std::uint64_t cycles;
    const std::uint64_t* counts;                  ///< by the device's event table; valid until the report changes
    std::uint64_t busy_start_cycle = start_cycle; ///< of the phase
    std::uint64_t busy_cycles = cycles;           ///< of the phase, waited for or not
};

/// What a device says of one command: its phases, one after the other from the command's begin.
class command_report {
public:
    explicit command_report(std::size_t events) : m_events(events) {}

    void begin(std::uint64_t cycle);
    /// `counts` may be nullptr: none.
    void add(const char* cause, const char* name, std::uint64_t cycles, const std::uint64_t* counts);
    /// Phases that lie behind the end are cut off; cycles that none covers become a phase of cause "wait".
    void end(std::uint64_t cycle);

    bool empty() const { return m_phases.empty(); }
    std::uint64_t end_cycle() const { return m_end; }
    std::uint64_t cycles() const { return m_end - m_begin; }
    std::uint64_t* counts_of_first() { return m_counts.data(); } ///< of a report that is not empty

    /// A row per phase, when the program waited for the command from this cycle to its end: what lies before has 0
    /// cycles.
    std::vector<report_row> rows(std::uint64_t waited_from) const;

private:
    struct phase {
        const char* cause;
        const char* name;
        std::uint64_t cycles;
    };

    std::size_t m_events;
    std::uint64_t m_begin = 0;
    std::uint64_t m_end = 0;
    std::vector<phase> m_phases;
    std::vector<std::uint64_t> m_counts; // of phase after phase
};

} // namespace tensorloom::shell
