#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/accelerators/accelerator.h>

namespace tensorloom::workloads {

/// Y[g,m,n] = sum over k of X[g,m,k] W[g,k,n], as an array sees it.
struct array_product {
    std::uint64_t batch = 1, m = 1, n = 1, k = 1;

    std::uint64_t macs() const { return batch * m * n * k; }
};

/// Cycles for a line of a tensor relative to one in the array's order: at least 1.
struct line_factors {
    double x = 1, w = 1, y = 1;
};

/// The loops of an array over a product: the tiles that it holds, and the data that streams through for each.
///
///     weight held     a tile of W, K x N; M rows of X pass. Of the `passes` tiles of one result the last writes it
///         cycles = results x ((passes - 1) max(M fx, load fw) + max(M max(fx, fy), load fw)) + pipeline
///     output held     a tile of Y, M x N; K columns of X and rows of W pass
///     nothing held    the same, a part of K in each cycle
///         cycles = results x max(stream max(fx, fw), drain fy) + pipeline
///
/// `load` and `drain`: cycles to fill or empty a tile, hidden behind the tile before: a 16 x 16 array that holds W
/// takes G ceil(K/16) ceil(N/16) max(M, 16) + 46 cycles. Not double buffered: tiles x (stream + pipeline), pipeline =
/// 46 with the load of 16 in it.
struct tile_loops {
    held_tensor held = held_tensor::weight; ///< weight, output or nothing
    array_product product;
    std::uint64_t results = 1;                           ///< tiles of the result
    std::uint64_t passes = 1;                            ///< weight held: tiles of K
    std::uint64_t stream = 1;                            ///< cycles of work per tile
    std::uint64_t load = 0;                              ///< weight held: cycles to load a tile; else to drain one
    std::uint64_t x_lines = 0, w_lines = 0, y_lines = 0; ///< accesses of lines in the array's order
    /// Neighbours of X, W and Y per access, each along its line; at most a line.
    std::uint64_t x_width = 1, w_width = 1, y_width = 1;
    std::uint64_t delivered = 0; ///< elements of both operands delivered to PEs by a network
    std::uint64_t reduced = 0;   ///< products added by a network
    std::uint64_t sums = 0;      ///< stored in the accumulators, or added to their content

    std::uint64_t tiles() const { return results * passes; }
    double cycles(const accelerator& machine, const line_factors& factors) const;
    /// The events as FETTA counts them; `y_rows`: rows of 8 bytes per line of results, 0 if sums stay.
    fetta::counts counts(const accelerator& machine, const line_factors& factors, unsigned y_rows) const;
};

/// PEs of every array.
inline constexpr std::uint64_t array_pes = 256;

/// The loops of a product on an array with a fixed or any split; for `any` the tile with the fewest cycles, then the
/// fewest lines. Holding the input equals holding the weight with X and W exchanged.
tile_loops loops_of(const accelerator& machine, held_tensor held, const array_product& product);

} // namespace tensorloom::workloads
