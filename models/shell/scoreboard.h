#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::shell {

/// Which commands are in flight, in the order of the program; what a new one must wait for; how far the program has
/// come.
///
/// A command that failed stays, with its unit, until clear(): nothing overtakes it. Takes memory per unit, none per
/// command.
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

    /// The unit of the earliest command that one with these accesses must wait for: on its unit, or one that it depends
    /// on.
    std::optional<unsigned> blocker(const access_set& accesses) const;
    /// The unit of the earliest of the first `commands` that has not ended well.
    std::optional<unsigned> earliest(std::uint64_t commands) const;
    /// The unit of the earliest command that works.
    std::optional<unsigned> earliest_working() const;

    bool working(unsigned unit) const { return m_units[unit] == state::working; }
    bool failed(unsigned unit) const { return m_units[unit] == state::failed; }

    /// A command begins; nothing blocks it.
    void enter(access_set accesses, std::uint32_t token);
    /// A command has come and gone.
    void pass(std::uint32_t token);
    /// The command of this unit ends.
    void leave(unsigned unit, bool well);

    std::uint64_t issued() const { return m_issued; }     ///< entered or passed
    std::uint64_t executed() const { return m_executed; } ///< ended well, counted from the first without gap
    std::uint32_t token() const { return m_token; }       ///< of the last of those; 0 without one
    std::uint64_t number(unsigned unit) const;            ///< of the command there: so many were issued before it

private:
    enum class state { free, working, failed };

    struct entry {
        access_set accesses;
        std::uint64_t number;
        std::uint64_t commands; // that have ended well when this one does: itself, those after it up to the next entry
        std::uint32_t token;    // of the last of them
    };

    std::size_t place_of(unsigned unit) const;

    std::vector<state> m_units;
    std::vector<entry> m_order;
    std::uint64_t m_issued = 0;
    std::uint64_t m_executed = 0;
    std::uint32_t m_token = 0;
};

} // namespace tensorloom::shell
