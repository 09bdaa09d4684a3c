#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/resources.h>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::shell {

/// Repeats the issue of a program's commands to units that work in parallel, with each resource free in turn: the rules
/// of overlapped_issue, on cycles instead of simulated time. With nothing free, the cycles are those of the program.
///
/// Events arrive in program order; the cycles of a command when it has ended. Memory grows with the commands in flight.
///
/// Example
///
///     shell::command_replay replay;
///     replay.begin(base::freed_cycles(10)); // fetched
///     const auto load = replay.issue(0, {0, {}, {{0, 64}}});
///     replay.ended(load, base::freed_cycles::of("load", 100));
///     out << replay.finish().without(base::resource::bus); // 10
class command_replay {
public:
    /// A program starts its first command after these cycles.
    void begin(const base::freed_cycles& fetched);

    /// Command `number` (of all issued or passed) begins when its unit is free and the commands that it depends on have
    /// ended. Returns its place for ended().
    std::uint64_t issue(std::uint64_t number, access_set accesses);
    void ended(std::uint64_t place, const base::freed_cycles& cycles);
    /// The command processor itself takes these cycles.
    void spend(const base::freed_cycles& cycles);
    /// The program waits until all commands before this number have ended.
    void wait_for(std::uint64_t number);

    /// The cycles up to the end of all commands, which must have ended.
    base::freed_cycles finish();

private:
    enum class step_kind { issue, spend, wait };

    struct step {
        step_kind kind;
        std::uint64_t number;
        access_set accesses;
        std::optional<base::freed_cycles> cycles; // of an issued command: once it has ended
    };
    struct command {
        std::uint64_t number;
        access_set accesses;
        base::freed_cycles end;
    };

    void add(step next);
    void repeat_known();
    void repeat(const step& s);

    base::freed_cycles m_now;        // of the program
    std::vector<command> m_commands; // in flight with at least one resource free
    std::deque<step> m_steps;        // not repeated yet
    std::uint64_t m_repeated = 0;    // steps
};

} // namespace tensorloom::shell
