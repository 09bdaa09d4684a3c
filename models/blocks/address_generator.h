#pragma once
#include <array>
#include <cstdint>

namespace tensorloom::blocks {

struct address_loop {
    std::uint64_t count = 1; ///< at least 1
    std::int64_t stride = 0;
};

/// An address generator: a nest of loop counters, each with a limit and a signed stride, and the address that they
/// make. Plain C++.
///
///     address = base + sum over loops of counter x stride          exact while it and every partial sum fit 64 bits
///
/// Loop 0 is the outermost. Every loop has a register with the address at which its present iteration began, so that a
/// loop that moves on adds its stride once and those inside of it begin there: no multiplier, and limits and strides
/// may differ from one turn to the next.
class address_generator {
public:
    static constexpr unsigned max_loops = 8;

    /// `loops`: the outermost first, 0 to max_loops of them. Counters are 0.
    void start(std::int64_t base, const address_loop* loops, unsigned count);

    std::int64_t address() const { return m_began[m_loops]; }
    std::uint64_t counter(unsigned loop) const { return m_counter[loop]; }

    /// The innermost loop that can moves on; all inside of it wrap. Returns its number, or that of loops when all have
    /// wrapped: the nest is back at its start.
    unsigned step();

    /// From now on a loop has this limit, above its counter, and this stride.
    void set(unsigned loop, const address_loop& now) { m_loop[loop] = now; }

private:
    std::array<address_loop, max_loops> m_loop{};
    std::array<std::uint64_t, max_loops> m_counter{};
    std::array<std::int64_t, max_loops + 1> m_began{}; // [l + 1]: with the counters of loops 0 to l
    unsigned m_loops = 0;
};

} // namespace tensorloom::blocks
