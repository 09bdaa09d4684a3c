#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction/einsum.h>

namespace tensorloom::workloads {

/// The groups of modes of a contraction, each a flat index.
enum class contraction_index : std::uint8_t { batch, contracted, a_free, b_free };
inline constexpr unsigned contraction_indices = 4;

/// Its tensors.
enum class contraction_tensor : std::uint8_t { a, b, c };
inline constexpr unsigned contraction_tensors = 3;
const std::string& modes_of(const contraction& problem, contraction_tensor tensor);
bool has_index(contraction_tensor tensor, contraction_index index);

/// Which modes of a group one command takes as one flat index.
enum class flattening : std::uint8_t {
    any,       ///< all
    contiguous ///< the largest run of modes that are neighbours, in this order, in every tensor that has them; the
               ///< others are loops of commands
};
inline constexpr base::named_value flattening_values[] = {
    {0, "any", "all modes of a group become one index"},
    {1, "contiguous", "only modes that are adjacent in every tensor become one index"},
};

/// A flat index and how commands cut it: the sizes before `cut` are loops, those behind it stay whole. So a block is a
/// range of the flat index, and a box of the modes.
struct flat_index {
    std::string modes; ///< those of more than one index; the last is fastest
    std::vector<std::uint32_t>
        sizes;           ///< what can be cut: the modes, or all that may be flattened as one; at least one size
    unsigned looped = 0; ///< so many of the first sizes are never within one command
    unsigned cut = 0;
    std::uint64_t cut_size = 1; ///< digits of it in a block; the last block has what is left

    struct range {
        std::uint64_t first = 0;
        std::uint64_t size = 1;
    };
    std::uint64_t extent() const;
    std::uint64_t blocks() const;
    range block(std::uint64_t which) const; ///< ascending

    /// Blocks that are alike; at most two kinds, the larger first.
    struct kind {
        std::uint64_t size = 1;
        std::uint64_t count = 1;
    };
    std::vector<kind> kinds() const;

private:
    std::uint64_t inner() const;  ///< elements behind the cut
    std::uint64_t pieces() const; ///< of the size that is cut
};

/// The flat index of a group, in the largest blocks that the rule lets a command have. `merged`: cuts need not follow
/// modes.
flat_index whole_index(const contraction& problem, contraction_index index, flattening rule, bool merged);

/// The index in ever smaller blocks, from the largest on; blocks are multiples of `granule` indices where that is
/// possible.
std::vector<flat_index> cuts_of(const flat_index& index, std::uint64_t granule);

/// One mode of a block of a tensor that is cut along modes.
struct box_mode {
    char letter = 0;
    std::uint32_t size = 1;
    std::int64_t tensor_stride = 0; ///< of the whole tensor in C order
    std::int64_t box_stride = 0;    ///< of the block by itself in C order
};

/// A block of a tensor: modes of more than one index, in the tensor's order.
struct tensor_box {
    std::uint64_t first = 0; ///< element of the tensor
    std::uint64_t elements = 1;
    std::vector<box_mode> modes;
};
tensor_box box_of(const contraction& problem, contraction_tensor tensor,
                  const std::array<flat_index, contraction_indices>& index,
                  const std::array<std::uint32_t, contraction_indices>& block);

/// Elements of a tensor in C order from one digit of a mode to the next.
std::int64_t stride_of(const contraction& problem, contraction_tensor tensor, char mode);

/// Offset in a tensor in C order of each flat index from range.first on. The tensor has the index.
std::vector<std::uint64_t> offsets_of(const contraction& problem, contraction_tensor tensor, const flat_index& index,
                                      const flat_index::range& range);

/// Elements from one flat index to the next, the same all the way: 0 for an index of one; nothing where modes do not
/// follow each other.
std::optional<std::int64_t> even_stride(const contraction& problem, contraction_tensor tensor, const flat_index& index);

} // namespace tensorloom::workloads
