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

/// How positions (contract_command.h) number the rows of an operand.
enum class position_order : std::uint8_t {
    dense,  ///< without gaps: fewest rows
    strided ///< one counter is padded to a multiple of the banks that share a row, so that the image is a strided view
            ///< of a tensor
};

/// The banked image of an operand or result in the unified memory: the layout that the command's mapping wants, in
/// which no two ports ask one bank for different rows. Source: contract_command.h, of which this is the table form;
/// FETTA, Fig. 12 and section V-C.
///
/// An image is rows x banks x P elements, in the order of the memory's window. Its element at (row, bank, e) belongs to
/// the flat indices
///     sum over counters, parts and the element of digit x weight
/// where that lies in the extents; else it is padding, of any value: a device reads none of it.
struct banked_image {
    struct digit {
        std::uint64_t count = 1;
        command_index index = command_index::batch; ///< of which it is a digit
        std::uint64_t weight = 0;
    };
    std::array<digit, 4> counter{};            ///< of the position, as the command's strides
    std::array<std::int32_t, 4> stride{};      ///< of positions, per counter
    std::array<digit, command_indices> part{}; ///< by mask: the part that an engine takes; count 1 where banks share it
    std::array<std::uint32_t, command_indices> mask{};
    std::uint32_t shared_mask = 0;                ///< bits of the bank that number positions
    std::optional<unsigned> lowest_counter;       ///< position_order::strided: its lowest digits lie in those bits
    command_index element = command_index::batch; ///< the index that runs along a row
    std::uint64_t positions = 1;
    std::uint64_t rows = 1; ///< of every bank
    std::uint32_t banks = 1, side = 1;

    std::uint64_t elements() const { return rows * banks * side; }
    /// Flat indices from 0 to before this are named by some element of the image, padding included.
    std::uint64_t padded(command_index index) const;
};

banked_image image_of(const fetta::contract_command& command, const fetta::device_limits& g, fetta::operand_role role,
                      position_order order);

/// For every flat index of a command, by command_index: offset in a tensor, in elements. The offset of an element is
/// the sum of three. An index that the tensor does not have is empty.
using index_offsets = std::array<std::vector<std::uint64_t>, command_indices>;

/// Copies a tensor's elements to their places in an image; padding keeps what it is. T: float, or uint16_t for
/// bfloat16.
template <class T>
void pack_image(const banked_image& image, const index_offsets& offsets, const T* tensor, T* elements);
/// The other way round.
template <class T>
void unpack_image(const banked_image& image, const index_offsets& offsets, const T* elements, T* tensor);

/// The tensors in memory, from offset 0 on, that lie in the window of the unified memory one after the other as the
/// rows of an image in position_order::strided; `stride`: elements per step of each flat index. Descriptors have at
/// most 8 modes: where the image has more digits there are several tensors, in order. Padding reads (writes) what lies
/// in memory at its flat indices.
struct strided_pattern {
    isa::tensor_descriptor first;
    std::uint64_t views = 1; ///< all alike but for where they begin
};
strided_pattern strided_pattern_of(const banked_image& image, const std::array<std::int64_t, command_indices>& stride,
                                   base::element_type type);
std::vector<isa::tensor_descriptor> strided_views(const banked_image& image,
                                                  const std::array<std::int64_t, command_indices>& stride,
                                                  base::element_type type);

} // namespace tensorloom::workloads
