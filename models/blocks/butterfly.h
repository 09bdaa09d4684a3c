#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::blocks {

/// The order of a butterfly's levels from inputs to outputs, by the distance of the ports that they join.
enum class level_order : std::uint8_t {
    far_first, ///< N/2 ... 4, 2, 1
    near_first ///< 1, 2, 4 ... N/2
};

/// The shape of a butterfly network: N = 2^levels ports, log2 N levels, and a transpose layer where N is a square.
/// Plain C++.
///
/// The level on bit q joins port j to port j ^ 2^q, by a straight and by a diagonal wire. The transpose layer exchanges
/// the halves of a port's number: port (hi, lo) goes to (lo, hi), and comes back when it passes twice. Source: FETTA
/// (arXiv 2504.06474), sections V-B2 and V-B3.
struct butterfly {
    static constexpr unsigned max_levels = 6; ///< the 64 ports of a word of bits
    /// The ports of a word whose number has bit q clear.
    static constexpr std::array<std::uint64_t, max_levels> without_bit{0x5555555555555555u, 0x3333333333333333u,
                                                                       0x0f0f0f0f0f0f0f0fu, 0x00ff00ff00ff00ffu,
                                                                       0x0000ffff0000ffffu, 0x00000000ffffffffu};

    unsigned levels = 4; ///< 1 to max_levels
    level_order order = level_order::far_first;

    /// Of this many ports: a power of two, 2 to 64; any other number is a base::input_error.
    static butterfly of_ports(unsigned ports, level_order order);

    constexpr unsigned ports() const { return 1u << levels; }
    constexpr std::uint64_t all_ports() const { return ~std::uint64_t{0} >> (64 - ports()); } ///< a bit each
    /// The bit of the port number that this level can change; level 0 is the one at the inputs.
    constexpr unsigned bit(unsigned level) const
    {
        return order == level_order::far_first ? levels - 1 - level : level;
    }
    /// The ports whose number has this bit.
    constexpr std::uint64_t with_bit(unsigned q) const { return all_ports() & ~without_bit[q]; }
    constexpr bool has_transpose() const { return levels % 2 == 0; }
    /// The port that a port is wired to by the transpose layer.
    constexpr unsigned transposed(unsigned port) const { return base::transposed(port, levels); }
};

/// The setting of every switch of a butterfly. It travels with the data: a new setting in every cycle costs no time.
///
/// One bit per port and level. In a distribution network it sets the multiplexer before an output of the level; in a
/// reduction network the two bits of an adder switch belong to its two inputs (butterfly_switches.h). Set, the data
/// takes the diagonal.
struct butterfly_controls {
    std::array<std::uint64_t, butterfly::max_levels> diagonal{}; ///< [q], bit j: port j of the level on bit q
    bool transpose = false;                                      ///< the transpose layer is on

    friend bool operator==(const butterfly_controls& a, const butterfly_controls& b)
    {
        return a.transpose == b.transpose && a.diagonal == b.diagonal;
    }
    friend bool operator!=(const butterfly_controls& a, const butterfly_controls& b) { return !(a == b); }
};

/// Selection vectors, one word per bit q: their exclusive or with an index gives the controls (paper, Fig. 15).
using select_vectors = std::array<std::uint64_t, butterfly::max_levels>;

/// The raw control: c_q[j] = index[q] xor select[q][j]. Bits of ports that do not exist are ignored.
butterfly_controls raw_controls(const butterfly& shape, const select_vectors& select, unsigned index, bool transpose);

/// The default selection vectors of a mask: select[q][j] = mask[q] and j[q].
select_vectors mask_vectors(const butterfly& shape, unsigned mask);

/// The regular family: raw_controls() of a mask's vectors, for N masks and N indices.
///
/// Port j of a distribution network gets the row of port (j & ~mask) ^ index after the transpose layer: a unicast, or
/// multicasts to 2^bits(mask) ports each. The same controls make a reduction network add the inputs that differ only in
/// bits of the mask, and send the sum of the inputs like i to port (i & ~mask) ^ index before the transpose layer. One
/// mask and one index therefore control both networks; only the index changes when the data lies in the next bank. A
/// mask or index of N or more, and a transpose layer that does not exist, are a base::input_error.
butterfly_controls xor_controls(const butterfly& shape, unsigned mask, unsigned index, bool transpose);

} // namespace tensorloom::blocks
