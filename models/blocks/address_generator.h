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

struct index_digit {
    std::uint64_t size = 1; ///< at least 1
    std::int64_t stride = 0;
};

/// A mixed-radix counter: the digits of a flat index, and the address that they make. Plain C++.
///
///     flat = (.. (d0 size1 + d1) size2 + d2 ..)     last digit fastest, as the modes of a C-order tensor
///     address = sum of digit x stride               exact while it fits 64 bits
///
/// One step on is a carry, anywhere else a division per digit.
class digit_counter {
public:
    static constexpr unsigned max_digits = 8;

    /// 0 to max_digits digits; the flat index is 0.
    void start(const index_digit* digits, unsigned count);

    std::uint64_t flat() const { return m_flat; }
    std::int64_t address() const { return m_address; }

    /// To a flat index below the product of the sizes: free where the counter stands, cheap one step on.
    void seek(std::uint64_t flat)
    {
        if (flat == m_flat) { return; }
        if (flat == m_flat + 1) {
            step();
        } else {
            divide(flat);
        }
    }
    /// To the next flat index; from the last one to 0.
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
