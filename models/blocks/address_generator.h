#pragma once
#include <array>
#include <cstdint>

namespace tensorloom::blocks {

struct address_loop {
    std::uint64_t count = 1; ///< at least 1
    std::int64_t stride = 0;
};

/// An address generator: nested loop counters, each with a limit and a signed stride, and the resulting address. Plain
/// C++.
///
///     address = base + sum over loops of counter x stride          exact while it and every partial sum fit 64 bits
///
/// Loop 0 is the outermost. A register per loop stores the address at which its current iteration began: a loop that
/// advances adds its stride once, and the loops inside it restart there. No multiplier is needed, and limits and
/// strides may differ between iterations.
class address_generator {
public:
    static constexpr unsigned max_loops = 8;

    /// Starts with all counters at 0. `loops`: 0 to max_loops of them, the outermost first.
    void start(std::int64_t base, const address_loop* loops, unsigned count);

    std::int64_t address() const { return m_began[m_loops]; }
    std::uint64_t counter(unsigned loop) const { return m_counter[loop]; }

    /// Advances the innermost loop that can advance; all loops inside it wrap. Returns its number, or the number of
    /// loops when all have wrapped: the nest is back at its start.
    unsigned step();

    /// Sets the limit of a loop, above its counter, and its stride.
    void set(unsigned loop, const address_loop& now) { m_loop[loop] = now; }

private:
    std::array<address_loop, max_loops> m_loop{};
    std::array<std::uint64_t, max_loops> m_counter{};
    std::array<std::int64_t, max_loops + 1> m_began{}; // [l + 1]: with the counters of loops 0 to l
    unsigned m_loops = 0;
};

struct index_digit {
    std::uint64_t size = 1; ///< at least 1
    std::int64_t stride = 0;
};

/// A mixed-radix counter: the digits of a flat index, and the resulting address. Plain C++.
///
///     flat = (.. (d0 size1 + d1) size2 + d2 ..)     last digit fastest, as the modes of a C-order tensor
///     address = sum of digit x stride               exact while it fits 64 bits
///
/// The next index costs a carry, any other one a division per digit.
class digit_counter {
public:
    static constexpr unsigned max_digits = 8;

    /// Starts at flat index 0 with 0 to max_digits digits.
    void start(const index_digit* digits, unsigned count);

    std::uint64_t flat() const { return m_flat; }
    std::int64_t address() const { return m_address; }

    /// Moves to a flat index below the product of the sizes: free at the current index, cheap at the next one.
    void seek(std::uint64_t flat)
    {
        if (flat == m_flat) { return; }
        if (flat == m_flat + 1) {
            step();
        } else {
            divide(flat);
        }
    }
    /// Moves to the next flat index; from the last one to 0.
    void step();

private:
    void divide(std::uint64_t flat);

    std::array<index_digit, max_digits> m_digit{};
    std::array<std::uint64_t, max_digits> m_value{};
    unsigned m_digits = 0;
    std::uint64_t m_flat = 0;
    std::int64_t m_address = 0;
};

} // namespace tensorloom::blocks
