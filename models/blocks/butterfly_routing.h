#pragma once
#include <array>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/blocks/butterfly.h>

namespace tensorloom::blocks {

/// In a request: a port that gets, or sends, nothing.
inline constexpr unsigned no_port = ~0u;

/// Why a butterfly cannot do what was asked: where two paths meet that must not.
///
/// A butterfly has one path from an input to an output, so what blocks is certain. It is blocking by design (paper,
/// V-B2).
struct butterfly_blockage {
    /// After this level, at this port: rows that these two ports of the request need apart. In a distribution network
    /// the two outputs want different rows; in a reduction network the two inputs belong to different sums.
    struct meeting {
        unsigned level = 0;
        unsigned distance = 0; ///< of the level's diagonals
        unsigned port = 0;
        std::array<unsigned, 2> between{};
    };
    bool reduces = false;
    bool has_transposed = false; ///< the transpose layer exists, and does not help
    meeting plain;               ///< with the transpose layer off
    meeting transposed;          ///< with it on

    /// One line: "outputs 3 and 7 want different rows at port 3 after level 1 (distance 4) ...".
    std::string text() const;
};

using butterfly_route = std::variant<butterfly_controls, butterfly_blockage>;

/// Controls of a distribution network that bring output j the row of input from[j] (no_port: any or none), for any map
/// that it can do.
///
/// Found by solving backwards: behind the levels on the bits `done`, the row on its way from i to j is at port (j &
/// done) | (i & ~done). A map that has a route without the transpose layer is given that one. Multiplexers that no
/// wanted row needs stay straight. Not one entry per port, and entries of N or more, are an base::input_error.
butterfly_route route_distribution(const butterfly& shape, const std::vector<unsigned>& from);

/// Controls of a reduction network that send input i to output to[i] (no_port: absent) and there add up all that have
/// the same output, for any map that it can do; it can compact the sums of any contiguous groups to ports 0, 1, 2 ...
/// when its near levels come first.
///
/// A switch without a wanted row at one of its inputs never adds, so rows that idle outputs forward spoil nothing.
/// Errors as above.
butterfly_route route_reduction(const butterfly& shape, const std::vector<unsigned>& to);

} // namespace tensorloom::blocks
