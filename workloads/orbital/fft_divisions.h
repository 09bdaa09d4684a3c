#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

// Fast Fourier transforms of a tensor of three modes on the P x P x P nodes of a torus, counted: what the transforms of
// the orbital torus compete with. Complex data, sizes and P powers of two, P at most each size. Words are elements.

/// How the tensor is divided among nodes, and with it what moves between the transforms along its modes.
enum class fft_division {
    slabs,   ///< 1D: planes; all nodes in use exchange, once, before mode 1
    pencils, ///< 2D: lines; nodes of a column exchange before mode 2, those of a row before mode 1
    blocks   ///< 3D: blocks, as on the torus; before each mode nodes of a ring gather its lines, after it blocks return
};
inline constexpr base::named_value fft_division_values[] = {
    {0, "slabs", "1D decomposition"},
    {1, "pencils", "2D decomposition"},
    {2, "blocks", "3D decomposition"},
};

/// Every `stride`th node of an axis, `count` of them. With `group`s that start on the nodes between, all of the axis
/// or a part of it is in use.
struct node_span {
    std::uint32_t count = 1, stride = 1;
};
/// Along Q, R, S. The nodes of a group in the order of their coordinates, Q slowest, S fastest.
using node_group = std::array<node_span, 3>;

/// Every node of a group sends a block to every other node of it: in rounds, in each of which a node sends to one
/// other.
struct fft_exchange {
    node_group group;
    std::uint64_t groups = 1; ///< that do this at the same time
    std::uint64_t words = 0;  ///< of a block
};

struct fft_plan {
    fft_division division = fft_division::slabs;
    std::uint32_t side = 1;                ///< P
    shape3 shape{};                        ///< of the tensor
    std::array<std::uint32_t, 3> used{};   ///< nodes in use along Q, R, S, from the first on
    std::vector<fft_exchange> exchanges{}; ///< in their order; none with one node
};

/// slabs: as many nodes as planes, in a box that is as cubic as possible; modes 3 and 2 are transformed, then planes of
/// mode 1 become planes of mode 2. pencils: A x B nodes, A along mode 1 and then 2, B along mode 2 and then 3: the
/// pair with most nodes in use, of these the one with fewest hops; a row of A nodes begins along Q, a column of B along
/// S, and along R the rest of both. blocks: nothing if a node has fewer lines than the ring has nodes.
///
/// The tensor is loaded where the first transform needs it, and stays where the last one leaves it: slabs of mode 2,
/// pencils of mode 1, blocks at home. Throws base::input_error for sizes or a side that are no powers of two, and for
/// sizes below the side.
std::optional<fft_plan> plan_fft(fft_division division, std::uint32_t side, const shape3& shape);

/// What a plan does. Blocks go by the shortest way along Q, then R, then S; of two ways round a ring that are as long,
/// nodes with an even place in their group's ring go up, the others down.
struct fft_counts {
    std::uint64_t nodes = 0;                  ///< in use
    std::uint64_t rounds = 0;                 ///< a node sends at most one block to one other node
    std::uint64_t words = 0;                  ///< that leave the node where they are
    std::array<std::uint64_t, 3> word_hops{}; ///< words x links that they pass, along Q, R, S
    std::uint64_t farthest_hops = 0;          ///< of the block with the longest way
    std::uint64_t busiest_link_words = 0;     ///< of each exchange the link with most words, one direction; their sum
    std::uint64_t multiply_adds = 0;          ///< real: six per butterfly of radix 2
    std::uint64_t memory_accesses = 0;        ///< words that butterflies read and write: 2, a root of unity, and 2
    std::uint64_t node_words = 0;             ///< memory of a node in use: the tensor twice

    std::uint64_t hops() const { return word_hops[0] + word_hops[1] + word_hops[2]; }
    std::uint64_t forwarded() const { return hops() - words; } ///< words x nodes on their ways that pass them on
};
fft_counts counts_of(const fft_plan& plan);

} // namespace tensorloom::workloads
