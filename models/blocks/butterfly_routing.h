#pragma once
#include <array>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/blocks/butterfly.h>

namespace tensorloom::blocks {

/// In a request: a port that receives or sends no row.
inline constexpr unsigned no_port = ~0u;

/// Why a butterfly cannot route a request: where two incompatible paths meet.
///
/// A butterfly has one path from an input to an output, so a found conflict is final. It is blocking by design (paper,
/// V-B2).
struct butterfly_blockage {
    /// The two request ports `between` need different rows at `port` after `level`. In a distribution network the two
    /// outputs want different rows; in a reduction network the two inputs belong to different sums.
    struct meeting {
        unsigned level = 0;
        unsigned distance = 0; ///< distance of the level's diagonals
        unsigned port = 0;
        std::array<unsigned, 2> between{};
    };
    bool reduces = false;
    bool has_transposed = false; ///< the transpose layer exists and does not help
    meeting plain;               ///< with the transpose layer off
    meeting transposed;          ///< with it on

    /// One line: "no route: outputs 3 and 7 need different rows at port 3 after level 1 (distance 4)".
    std::string text() const;
};

using butterfly_route = std::variant<butterfly_controls, butterfly_blockage>;

/// Controls of a distribution network that bring output j the row of input from[j] (no_port: any or none), for every
/// routable map.
///
/// Solved backwards: after the levels on the bits `done`, the row from i to j is at port (j & done) | (i & ~done). A
/// route without the transpose layer is preferred. Multiplexers that no wanted row needs stay straight. A request
/// without one entry per port, and entries of N or more, are a base::input_error.
butterfly_route route_distribution(const butterfly& shape, const std::vector<unsigned>& from);

/// Controls of a reduction network that send input i to output to[i] (no_port: absent) and add all inputs with the same
/// output, for every routable map. With near levels first, it can compact the sums of contiguous groups to ports 0, 1,
/// 2 ...
///
/// A switch without a wanted row at one of its inputs never adds, so rows forwarded by idle outputs do no harm. Errors
/// as above.
butterfly_route route_reduction(const butterfly& shape, const std::vector<unsigned>& to);

} // namespace tensorloom::blocks
