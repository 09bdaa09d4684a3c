#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::torus {

/// Opcodes of an orbital torus, in addition to those of every device.
enum class opcode : std::uint8_t {
    orbit = 0x20,    ///< a three-mode transform, forward or back
    multiply = 0x21, ///< a matrix product on a plane of nodes (multiply_command.h)
    pointwise = 0x22 ///< the elements of a tensor where it lies (isa/tiles/pointwise_command.h)
};

// Payload of ORBIT, little-endian; descriptors: tensor_descriptor.h.
namespace orbit_fields {

inline constexpr std::uint32_t descriptor_bytes = isa::tensor_descriptor::encoded_bytes;
inline constexpr base::layout_field order("order", 0, 1, 3,
                                          "modes 1, 2, 3 in the order in which a forward transform sums them");
inline constexpr base::layout_field way("way", 3, 1, 1, "0 forward, 1 inverse");
inline constexpr base::layout_field vector("vector", 4, 1, 1,
                                           "scheduling vector: bits 0, 1, 2 are set where the signs of Q, R, S are -1");
inline constexpr base::layout_field left_out("left_out", 5, 1, 1,
                                             "modes at the end of the order that are not summed: 0, 1 or 2");
inline constexpr base::layout_field reserved("reserved", 6, 1, 2, "0", base::field_kind::reserved);
inline constexpr base::layout_field in_block("in_block", 8, 2, 3, "elements of a block along n of modes 1, 2, 3");
inline constexpr base::layout_field out_block("out_block", 14, 2, 3, "elements of a block along k of modes 1, 2, 3");
inline constexpr base::layout_field shifts("shifts", 20, 1, 3,
                                           "right shift of the sums of stages I, II, III, 0 to 31; 0 unless int8");
inline constexpr base::layout_field reserved_1("reserved_1", 23, 1, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field
    completion_address("completion_address", 24, 8, 1,
                       "address to which the token (4 bytes) is written after Y, with flag COMPLETION",
                       base::field_kind::address);
inline constexpr base::layout_field x("x", 32, descriptor_bytes, 1,
                                      "operand: forward N1 x N2 x N3, inverse K1 x K2 x K3; order 4 with the number of "
                                      "transforms as first size; absent with flags KEEP_TENSOR and TAKE_NEXT",
                                      base::field_kind::tensor);
inline constexpr base::layout_field
    y("y", x.end(), descriptor_bytes, 1,
      "result, likewise, elements or sums; with flag ACCUMULATE sums, from which it starts; with "
      "flag HOLD_RESULT only the latter, or with STORE_PREVIOUS the place of the held "
      "result, otherwise absent",
      base::field_kind::tensor);
inline constexpr base::layout_field
    matrix("matrix", y.end(), descriptor_bytes, 3,
           "C1, C2, C3, order 2: C[n,k], N_s x K_s, both ways; absent with flag KEEP_MATRICES, and of "
           "a mode that is not summed",
           base::field_kind::tensor);
inline constexpr base::layout_field
    workspace("workspace", matrix.end(), descriptor_bytes, 1,
              "contiguous elements, order 1: the intermediate tensors of a transform larger than the "
              "torus; may be absent otherwise. With flag LOAD_NEXT the next X, order 3",
              base::field_kind::tensor);
inline constexpr base::layout_field all[] = {order,    way,       vector, left_out,   reserved,
                                             in_block, out_block, shifts, reserved_1, completion_address,
                                             x,        y,         matrix, workspace};

} // namespace orbit_fields

inline constexpr base::byte_layout orbit_layout{"orbit", orbit_fields::all};
static_assert(orbit_layout.is_whole(), "a byte of the ORBIT payload has no field, or two");

/// The macro-command of an orbital torus: Y (+)= X x1 C1 x2 C2 x3 C3, or inverse, X (+)= Y x1 C1^H x2 C2^H x3 C3^H. The
/// payload is listed above; the header's flags are the members below.
///
/// A mode that is left out is not summed: it has K_s = N_s, in_block = out_block, and no matrix. A forward transform
/// then runs its first stages, and leaves its result as X1 or X2; an inverse one begins there and runs the last stages.
///
/// Blocks: P in_block_s elements along n and P out_block_s along k of mode s fill the torus. A smaller tensor is padded
/// with +0; a larger one is tiled and needs a workspace (orbit_tiles.h). A held or kept tensor stays on the torus
/// between commands: a forward result as X3, an inverse one as X.
struct orbit_command {
    static constexpr std::uint16_t flag_keep_matrices = 1u << 0;
    static constexpr std::uint16_t flag_keep_tensor = 1u << 1;
    static constexpr std::uint16_t flag_hold_result = 1u << 2;
    static constexpr std::uint16_t flag_double_buffer = 1u << 3;
    static constexpr std::uint16_t flag_completion = 1u << 4;
    static constexpr std::uint16_t flag_accumulate = 1u << 5;
    static constexpr std::uint16_t flag_take_next = 1u << 6;
    static constexpr std::uint16_t flag_load_next = 1u << 7;
    static constexpr std::uint16_t flag_store_previous = 1u << 8;
    static constexpr std::uint16_t known_flags = 0x1ff;
    static constexpr std::size_t payload_bytes = orbit_layout.bytes();

    std::uint16_t flags = 0;
    std::array<std::uint8_t, 3> order{3, 1, 2}; ///< the modes in the order in which a forward transform sums them
    direction way = direction::forward;
    scheduling_vector vector;
    block_sizes blocks; ///< by mode
    std::uint64_t completion_address = 0;
    std::uint8_t left_out = 0;              ///< modes at the end of the order that are not summed, 0 to 2
    std::array<std::uint8_t, 2> reserved{}; ///< must be 0
    std::array<std::uint8_t, 3> shifts{};   ///< of stages I, II, III: of sums that become operands or Y; int8 only
    std::uint8_t reserved_1 = 0;
    isa::tensor_descriptor x, y;                  ///< order 3, or 4: several transforms
    std::array<isa::tensor_descriptor, 3> matrix; ///< order 2, C[n,k], by mode
    isa::tensor_descriptor workspace;             ///< order 1, contiguous

    bool keep_matrices() const { return (flags & flag_keep_matrices) != 0; }
    bool keep_tensor() const { return (flags & flag_keep_tensor) != 0; }
    bool hold_result() const { return (flags & flag_hold_result) != 0; }
    bool double_buffer() const { return (flags & flag_double_buffer) != 0; }
    bool completion() const { return (flags & flag_completion) != 0; }
    bool accumulate() const { return (flags & flag_accumulate) != 0; }
    bool take_next() const { return (flags & flag_take_next) != 0; }
    bool load_next() const { return (flags & flag_load_next) != 0; }
    bool store_previous() const { return (flags & flag_store_previous) != 0; }
    /// Other tensors move beside the work, or have done so.
    bool overlaps() const { return take_next() || load_next() || store_previous(); }
    const isa::tensor_descriptor& next_x() const { return workspace; } ///< with flag_load_next
    const isa::tensor_descriptor& previous_y() const { return y; }     ///< with flag_store_previous

    /// Sets order and left_out so that the stages of a mask run: bit i stands for the i-th mode of `modes`, the order
    /// of a forward transform, as in TriADA's GEMT. Modes that are not summed come last; 1 to 7.
    void run_stages(const std::array<std::uint8_t, 3>& modes, unsigned stage_mask);

    /// Stages that run; the modes that they sum, 0 to 2, in their order; whether a mode is one of them.
    unsigned stages() const { return left_out > 2 ? 1 : 3u - left_out; }
    unsigned first_stage() const { return way == direction::inverse ? 3 - stages() : 0; } ///< 0: I; 1: II; 2: III
    std::vector<unsigned> summed_modes() const;
    bool sums(unsigned mode) const;

    std::vector<std::uint8_t> encode() const;
    static orbit_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

/// The flags of an ORBIT command's header.
inline constexpr base::named_value orbit_flag_values[] = {
    {orbit_command::flag_keep_matrices, "keep_matrices", "use the matrices of the previous command"},
    {orbit_command::flag_keep_tensor, "keep_tensor", "the operand is the tensor held on the torus"},
    {orbit_command::flag_hold_result, "hold_result", "the result stays on the torus"},
    {orbit_command::flag_double_buffer, "double_buffer", "load and unload while nodes work"},
    {orbit_command::flag_completion, "completion", "write the token to the completion address"},
    {orbit_command::flag_accumulate, "accumulate", "add to the sums that Y contains"},
    {orbit_command::flag_take_next, "take_next", "X is the tensor that an earlier command loaded with load_next"},
    {orbit_command::flag_load_next, "load_next", "load the tensor in field workspace beside the work"},
    {orbit_command::flag_store_previous, "store_previous", "store the held result in field y beside the work"},
};

/// Limits of a device for the check of a command.
struct orbit_limits {
    std::uint32_t side = 1;               ///< P
    std::array<std::uint32_t, 3> block{}; ///< the largest, along modes 1, 2, 3
    base::element_type format = base::element_type::f64;
    std::uint64_t coefficient_elements = 1u << 16; ///< capacity of a node
};

/// The first reason why such a device cannot run a command; nothing when it can.
std::optional<isa::check_error> check(const orbit_command& command, const orbit_limits& device);

} // namespace tensorloom::torus
