#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::shell {

/// Tracks the commands in flight, in program order: what a new command must wait for, and how far the program has
/// progressed.
///
/// A failed command stays, with its unit, until clear(): no command overtakes it. Memory grows with units, not with
/// commands.
///
/// Example
///
///     shell::scoreboard board(2);
///     board.enter({0, {}, {{0, 64}}}, 1);                        // unit 0 writes bytes
///     const auto blocker = board.blocker({1, {{32, 64}}, {}}); // unit 1 must wait for unit 0
///     board.leave(0, true);
class scoreboard {
public:
    explicit scoreboard(unsigned units) : m_units(units) {}

    void clear();

    /// The unit of the earliest command that a command with these accesses must wait for: one on the same unit, or one
    /// that it depends on.
    std::optional<unsigned> blocker(const access_set& accesses) const;
    /// The unit of the earliest of the first `commands` commands that has not ended successfully.
    std::optional<unsigned> earliest(std::uint64_t commands) const;
    /// The unit of the earliest running command.
    std::optional<unsigned> earliest_working() const;

    bool working(unsigned unit) const { return m_units[unit] == state::working; }
    bool failed(unsigned unit) const { return m_units[unit] == state::failed; }

    /// A command begins; it must not be blocked.
    void enter(access_set accesses, std::uint32_t token);
    /// A command that takes no time has ended.
    void pass(std::uint32_t token);
    /// The command on this unit ends.
    void leave(unsigned unit, bool well);

    std::uint64_t issued() const { return m_issued; }     ///< entered or passed
    std::uint64_t executed() const { return m_executed; } ///< ended successfully, counted without gap from the first
    std::uint32_t token() const { return m_token; }       ///< of the last of those; 0 if there is none
    std::uint64_t number(unsigned unit) const; ///< of the command on this unit: the number of commands issued before it

private:
    enum class state { free, working, failed };

    struct entry {
        access_set accesses;
        std::uint64_t number;
        std::uint64_t
            commands;        // commands that have ended when this one has: itself and those passed up to the next entry
        std::uint32_t token; // of the last of them
    };

    std::size_t place_of(unsigned unit) const;

    std::vector<state> m_units;
    std::vector<entry> m_order;
    std::uint64_t m_issued = 0;
    std::uint64_t m_executed = 0;
    std::uint32_t m_token = 0;
};

} // namespace tensorloom::shell
