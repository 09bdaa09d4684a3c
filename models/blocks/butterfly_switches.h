#pragma once
#include <cstdint>
#include <tensorloom/models/blocks/butterfly.h>

namespace tensorloom::blocks {

/// Mode of an adder switch with two inputs. Its value is the command, coded as in FEATHER (whose high half is our left,
/// the lower port): bit 0 is the diagonal bit of the left input, bit 1 that of the right one.
enum class adder_mode : std::uint8_t {
    pass = 0b00,      ///< left to left, right to right
    add_right = 0b01, ///< left + right to the right output
    add_left = 0b10,  ///< left + right to the left output
    swap = 0b11       ///< left to right, right to left
};

/// Value at the output of an adding switch that does not get the sum.
enum class idle_output : std::uint8_t {
    invalid, ///< no value; absent inputs are not added
    forward  ///< its own input, as in FEATHER, where the user selects the valid outputs
};

/// The mode of the switch on bit q with this left port (bit q of its number is 0).
inline adder_mode mode_of(const butterfly_controls& controls, unsigned q, unsigned left)
{
    const std::uint64_t from_left = controls.diagonal[q] >> left;
    const std::uint64_t from_right = from_left >> (1u << q);
    return static_cast<adder_mode>((from_left & 1) | (from_right & 1) << 1);
}

inline void set_mode(butterfly_controls& controls, unsigned q, unsigned left, adder_mode mode)
{
    const unsigned right = left | 1u << q;
    std::uint64_t& word = controls.diagonal[q];
    const auto bits = static_cast<std::uint64_t>(mode);
    word = (word & ~(std::uint64_t{1} << left | std::uint64_t{1} << right)) | (bits & 1) << left | (bits >> 1) << right;
}

/// Arrivals at the outputs of a level: bit j of `straight`, the row of port j; bit j of `across`, the row of port j ^
/// 2^q; both, their sum.
struct level_arrivals {
    std::uint64_t straight = 0;
    std::uint64_t across = 0;

    std::uint64_t valid() const { return straight | across; }
    std::uint64_t sums() const { return straight & across; }
};

/// Bits of ports, each moved to the other end of its diagonal on bit q.
constexpr std::uint64_t along_diagonals(std::uint64_t ports, unsigned q)
{
    const unsigned distance = 1u << q;
    return (ports & butterfly::without_bit[q]) << distance | (ports >> distance & butterfly::without_bit[q]);
}

/// A level of multiplexers: v'[j] = c[j] ? v[j ^ 2^q] : v[j]. Never a sum.
constexpr level_arrivals multiplex(std::uint64_t valid, std::uint64_t diagonal, unsigned q)
{
    return {valid & ~diagonal, along_diagonals(valid, q) & diagonal};
}

/// A level of adder switches. In a switch that adds, a single valid input passes unchanged to the output of the sum.
constexpr level_arrivals switch_adders(std::uint64_t valid, std::uint64_t diagonal, unsigned q, idle_output idle)
{
    const std::uint64_t leaving = valid & diagonal;
    const std::uint64_t forwarded =
        idle == idle_output::forward ? leaving & ~along_diagonals(diagonal, q) : std::uint64_t{0};
    return {(valid & ~diagonal) | forwarded, along_diagonals(leaving, q)};
}

/// Calls move(from, to) for every output of a level of multiplexers on bit q.
template <class Move> inline void for_arrivals(const level_arrivals& arrivals, unsigned q, Move&& move)
{
    for (std::uint64_t rest = arrivals.valid(); rest != 0; rest &= rest - 1) {
        const auto to = static_cast<unsigned>(__builtin_ctzll(rest));
        move(to ^ static_cast<unsigned>(arrivals.across >> to & 1) << q, to);
    }
}

/// For a level of adder switches: move(from, to), or add(left, right, to), where left is the lower port.
template <class Move, class Add>
inline void for_arrivals(const level_arrivals& arrivals, unsigned q, Move&& move, Add&& add)
{
    for (std::uint64_t rest = arrivals.valid(); rest != 0; rest &= rest - 1) {
        const auto to = static_cast<unsigned>(__builtin_ctzll(rest));
        const unsigned other = to ^ 1u << q;
        if ((arrivals.across >> to & 1) == 0) {
            move(to, to);
        } else if ((arrivals.straight >> to & 1) == 0) {
            move(other, to);
        } else {
            add(to < other ? to : other, to < other ? other : to, to);
        }
    }
}

} // namespace tensorloom::blocks
