#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::workloads {

/// The flat indices of a CONTRACT, in the order of its masks.
enum class command_index : std::uint8_t { batch, contracted, ia_free, ib_free };
inline constexpr unsigned command_indices = 4;
constexpr unsigned at(command_index index) { return static_cast<unsigned>(index); } ///< its place in an array

/// Numbering of an operand's rows by positions (contract_command.h).
enum class position_order : std::uint8_t {
    dense, ///< without gaps, with the fewest rows
    /// Pads one counter to a multiple of the banks that share a row, so that the image is a strided view of a tensor.
    /// If the parts of IA's free index are full and of an IA- or W-stationary mapping, neighbouring indices are in
    /// neighbouring parts, for long runs in memory.
    strided
};

/// The banked image of an operand or result in the unified memory: the layout of the command's mapping, in which no two
/// ports request different rows of one bank. Table form of contract_command.h; FETTA, Fig. 12 and section V-C.
///
/// An image is rows x banks x P elements, in the order of the memory's window. The element at (row, bank, e) belongs to
/// the flat indices
///     sum over counters, parts and the element of digit x weight
/// if they are within the extents; otherwise it is padding, with any value, which a device does not read.
struct banked_image {
    struct digit {
        std::uint64_t count = 1;
        command_index index = command_index::batch; ///< the index of this digit
        std::uint64_t weight = 0;
    };
    std::array<digit, 4> counter{};            ///< of the position, as the command's strides
    std::array<std::int32_t, 4> stride{};      ///< of positions, per counter
    std::array<digit, command_indices> part{}; ///< by mask: the part of an engine; count 1 where banks share it
    std::array<std::uint32_t, command_indices> mask{};
    std::uint32_t shared_mask = 0; ///< bits of the bank that are part of positions
    std::optional<unsigned>
        lowest_counter; ///< position_order::strided: the counter whose lowest digits are in those bits
    command_index element = command_index::batch; ///< the index along a row
    std::uint64_t positions = 1;
    std::uint64_t rows = 1; ///< of every bank
    std::uint32_t banks = 1, side = 1;

    std::uint64_t elements() const { return rows * banks * side; }
    /// Flat indices below this are in the image, padding included.
    std::uint64_t padded(command_index index) const;
};

banked_image image_of(const fetta::contract_command& command, const fetta::device_limits& g, fetta::operand_role role,
                      position_order order);

/// By command_index: the offset in a tensor for every value of the flat index, in elements. An element's offset is the
/// sum of three. Empty for an index that the tensor does not have.
using index_offsets = std::array<std::vector<std::uint64_t>, command_indices>;

/// Copies a tensor's elements into an image; padding is not written. T: float, or uint16_t for bfloat16.
template <class T>
void pack_image(const banked_image& image, const index_offsets& offsets, const T* tensor, T* elements);
/// The inverse copy.
template <class T>
void unpack_image(const banked_image& image, const index_offsets& offsets, const T* elements, T* tensor);

/// Tensors in memory, from offset 0 on, whose concatenation in the window of the unified memory gives the rows of an
/// image in position_order::strided. `stride`: elements per step of each flat index. Descriptors have at most 8 modes;
/// images with more digits need several tensors, in order. Padding accesses memory at its flat indices.
struct strided_pattern {
    isa::tensor_descriptor first;
    std::uint64_t views = 1; ///< equal but for their starts
};
strided_pattern strided_pattern_of(const banked_image& image, const std::array<std::int64_t, command_indices>& stride,
                                   base::element_type type);
std::vector<isa::tensor_descriptor> strided_views(const banked_image& image,
                                                  const std::array<std::int64_t, command_indices>& stride,
                                                  base::element_type type);

} // namespace tensorloom::workloads
