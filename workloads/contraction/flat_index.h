#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction/einsum.h>

namespace tensorloom::workloads {

/// The groups of modes of a contraction; each is a flat index.
enum class contraction_index : std::uint8_t { batch, contracted, a_free, b_free };
inline constexpr unsigned contraction_indices = 4;
inline constexpr contraction_index all_indices[] = {contraction_index::batch, contraction_index::contracted,
                                                    contraction_index::a_free, contraction_index::b_free};
constexpr unsigned at(contraction_index index) { return static_cast<unsigned>(index); } ///< its place in an array

/// The tensors of a contraction.
enum class contraction_tensor : std::uint8_t { a, b, c };
inline constexpr unsigned contraction_tensors = 3;
inline constexpr contraction_tensor all_tensors[] = {contraction_tensor::a, contraction_tensor::b,
                                                     contraction_tensor::c};
constexpr unsigned at(contraction_tensor tensor) { return static_cast<unsigned>(tensor); } ///< its place in an array
const std::string& modes_of(const contraction& problem, contraction_tensor tensor);
bool has_index(contraction_tensor tensor, contraction_index index);

/// Modes of a group that one command takes as one flat index.
enum class flattening : std::uint8_t {
    any,       ///< all
    contiguous ///< the largest run of modes that are adjacent, in this order, in every tensor that has them; the others
               ///< are loops of commands
};
inline constexpr base::named_value flattening_values[] = {
    {0, "any", "all modes of a group become one index"},
    {1, "contiguous", "only modes that are adjacent in every tensor become one index"},
};

/// A flat index and its division into commands: the sizes before `cut` are loops, those after it are not divided. A
/// block is a range of the flat index, and a box of the modes.
struct flat_index {
    std::string modes;                ///< modes of more than one index; the last is fastest
    std::vector<std::uint32_t> sizes; ///< divisible sizes: the modes, or one size for flattened modes; at least one
    unsigned looped = 0;              ///< number of leading sizes that are always loops
    unsigned cut = 0;
    std::uint64_t cut_size = 1; ///< indices of the cut size in a block; the last block has the rest

    struct range {
        std::uint64_t first = 0;
        std::uint64_t size = 1;
    };
    std::uint64_t extent() const;
    std::uint64_t blocks() const;
    range block(std::uint64_t which) const; ///< ascending

    /// Number of blocks of equal size; at most two kinds, the larger first.
    struct kind {
        std::uint64_t size = 1;
        std::uint64_t count = 1;
    };
    std::vector<kind> kinds() const;

private:
    std::uint64_t inner() const;  ///< elements after the cut
    std::uint64_t pieces() const; ///< of the size that is cut
};

/// The flat index of a group, in the largest blocks that the rule allows. `merged`: cuts need not follow modes.
flat_index whole_index(const contraction& problem, contraction_index index, flattening rule, bool merged);

/// The index in decreasing block sizes; blocks are multiples of `granule` indices where possible.
std::vector<flat_index> cuts_of(const flat_index& index, std::uint64_t granule);

/// One mode of a block of a tensor.
struct box_mode {
    char letter = 0;
    std::uint32_t size = 1;
    std::int64_t tensor_stride = 0; ///< of the whole tensor in C order
    std::int64_t box_stride = 0;    ///< of a dense block in C order
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

/// Stride of a mode of a tensor in C order, in elements.
std::int64_t stride_of(const contraction& problem, contraction_tensor tensor, char mode);

/// Offsets in a tensor in C order of the flat indices of a range. The tensor must have the index.
std::vector<std::uint64_t> offsets_of(const contraction& problem, contraction_tensor tensor, const flat_index& index,
                                      const flat_index::range& range);

/// Constant stride of a flat index: 0 for an index of one; nothing if the modes have no common stride.
std::optional<std::int64_t> even_stride(const contraction& problem, contraction_tensor tensor, const flat_index& index);

} // namespace tensorloom::workloads
