#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::triada {

/// Opcode of a TriADA.
enum class opcode : std::uint8_t {
    gemt = 0x20,     ///< three-mode matrix-by-tensor product
    pointwise = 0x21 ///< every cell changes its own element (isa/tiles/pointwise_command.h)
};

/// Payload of a GEMT command, after the command header. Descriptors: tensor_descriptor.h.
namespace gemt_fields {

inline constexpr std::uint32_t descriptor_bytes = isa::tensor_descriptor::encoded_bytes;
inline constexpr base::layout_field order("order", 0, 1, 3, "modes 1, 2, 3 in the order in which they are summed");
inline constexpr base::layout_field stage_mask("stage_mask", 3, 1, 1, "bit i: stage i of the order runs; 1 to 7");
inline constexpr base::layout_field
    shifts("shifts", 4, 1, 3, "right shift of the sums of stages 1, 2, 3 of the order, 0 to 31; 0 unless int8");
inline constexpr base::layout_field
    partials("partials", 7, 1, 1,
             "blocks of the result that share a loaded block of the operand, 0 (as 1) to the partial sums of a cell");
inline constexpr base::layout_field zero_threshold("zero_threshold", 8, 8, 1, "IEEE double, finite and at least 0",
                                                   base::field_kind::real);
inline constexpr base::layout_field
    completion_address("completion_address", 16, 8, 1,
                       "address to which the token (4 bytes) is written after Y, with flag COMPLETION",
                       base::field_kind::address);
inline constexpr base::layout_field
    row_order_address("row_order_address", 24, 8, 3,
                      "addresses of the row orders of modes 1, 2, 3: N_s 4-byte row numbers each; 0 for the diagonal",
                      base::field_kind::address);
inline constexpr base::layout_field x("x", 48, descriptor_bytes, 1,
                                      "X, order 3: N1 x N2 x N3 elements; with flags KEEP_TENSOR and TAKE_NEXT "
                                      "contiguous with base 0, the sizes of what lies in the cells",
                                      base::field_kind::tensor);
inline constexpr base::layout_field y("y", x.end(), descriptor_bytes, 1,
                                      "Y, order 3: K1 x K2 x K3, elements or sums of the device's format; with flag "
                                      "HOLD_RESULT contiguous with base 0",
                                      base::field_kind::tensor);
inline constexpr base::layout_field
    initial_y("initial_y", y.end(), descriptor_bytes, 1,
              "initial Y, K1 x K2 x K3 sums, with flag ACCUMULATE; place of the held tensor, order 3, with flag "
              "STORE_PREVIOUS",
              base::field_kind::tensor);
inline constexpr base::layout_field
    matrix("matrix", initial_y.end(), descriptor_bytes, 3,
           "C1, C2, C3, order 2: C[n,k], N_s x K_s; absent with flag KEEP_MATRICES, and of a mode that is not summed",
           base::field_kind::tensor);
inline constexpr base::layout_field workspace(
    "workspace", matrix.end(), descriptor_bytes, 1,
    "contiguous elements, order 1: the intermediate tensors of a product larger than the mesh, and "
    "copies of X and Y; may be absent otherwise; the tensor to load beside the work, order 3, with flag LOAD_NEXT",
    base::field_kind::tensor);
inline constexpr base::layout_field all[] = {
    order, stage_mask, shifts,    partials, zero_threshold, completion_address, row_order_address,
    x,     y,          initial_y, matrix,   workspace};

} // namespace gemt_fields

inline constexpr base::byte_layout gemt_layout{"gemt", gemt_fields::all};
static_assert(gemt_layout.is_whole(), "a byte of the GEMT payload has no field, or two");

/// TriADA's macro-command: Y (+)= X x1 C1 x2 C2 x3 C3. The payload is listed above; the header's flags are the members
/// below.
///
/// C_s is N_s x K_s: X has sizes N, Y sizes K. A stage outside the mask does not run: its mode is not summed and has
/// K_s = N_s, no matrix, no row order, no shift. X, the matrices and the workspace have the device's format; Y has it
/// or the format of its sums (accumulator_type()); the initial Y has the format of the sums.
///
/// Between commands a tensor can stay in the cells: a result that is held is the operand of a later command that keeps
/// it, or it is stored beside the work of a later command on another tensor; a tensor that is loaded beside the work of
/// one command is the operand of a later one that takes it. Only products that fit the mesh can do so.
///
/// X, Y with its initial value, and the intermediate tensors of a product larger than the mesh can be stored tile by
/// tile (isa::tile_descriptor(), in tiles of the mesh's sizes), X and Y by the host or by the command's own copies into
/// the workspace and out of it. Without effect in a product that fits: a tensor in one tile is a contiguous one.
struct gemt_command {
    static constexpr std::uint16_t flag_esop = 1u << 0;
    static constexpr std::uint16_t flag_accumulate = 1u << 1;
    static constexpr std::uint16_t flag_keep_matrices = 1u << 2;
    static constexpr std::uint16_t flag_double_buffer = 1u << 3;
    static constexpr std::uint16_t flag_completion = 1u << 4;
    static constexpr std::uint16_t flag_keep_tensor = 1u << 5;
    static constexpr std::uint16_t flag_hold_result = 1u << 6;
    static constexpr std::uint16_t flag_take_next = 1u << 7;
    static constexpr std::uint16_t flag_load_next = 1u << 8;
    static constexpr std::uint16_t flag_store_previous = 1u << 9;
    static constexpr std::uint16_t flag_x_tiles = 1u << 10;
    static constexpr std::uint16_t flag_y_tiles = 1u << 11;
    static constexpr std::uint16_t flag_work_tiles = 1u << 12;
    static constexpr std::uint16_t flag_convert_x = 1u << 13;
    static constexpr std::uint16_t flag_convert_y = 1u << 14;
    static constexpr std::uint16_t layout_flags =
        flag_x_tiles | flag_y_tiles | flag_work_tiles | flag_convert_x | flag_convert_y;
    static constexpr std::uint16_t known_flags = 0x7fff;
    static constexpr std::size_t payload_bytes = gemt_layout.bytes();

    std::uint16_t flags = 0;
    std::array<std::uint8_t, 3> order{3, 1, 2}; ///< the modes in the order in which they are summed
    std::uint8_t stage_mask = 7;                ///< bit i: stage i of the order runs
    std::array<std::uint8_t, 3> shifts{};       ///< by stage: right shift of sums that become operands or Y; int8 only
    std::uint8_t partials = 0;                  ///< results that share a loaded operand block; 0 as 1
    double zero_threshold = 0; ///< at least 0; a stored operand of at most this modulus counts as zero (ESOP)
    std::uint64_t completion_address = 0; ///< the token (32 bits) is written here after Y, with flag_completion
    std::array<std::uint64_t, 3> row_order_address{}; ///< N_s 32-bit row indices: step t streams row pi(t); 0: in
                                                      ///< ascending order. 0 with kept matrices, which keep theirs.
    isa::tensor_descriptor x, y, initial_y;           ///< order 3; initial_y with flag_accumulate
    std::array<isa::tensor_descriptor, 3> matrix;     ///< order 2, C[n,k], by mode; absent with flag_keep_matrices
    isa::tensor_descriptor workspace; ///< order 1, contiguous, at least gemt_workspace_elements() (gemt_tiles.h)

    /// The tensor that flag_load_next loads: a product that fits the mesh needs no workspace.
    const isa::tensor_descriptor& next_x() const { return workspace; }
    /// Where flag_store_previous stores the held tensor; not with flag_accumulate.
    const isa::tensor_descriptor& previous_y() const { return initial_y; }

    bool esop() const { return (flags & flag_esop) != 0; }
    bool accumulate() const { return (flags & flag_accumulate) != 0; }
    bool keep_matrices() const { return (flags & flag_keep_matrices) != 0; }
    bool double_buffer() const { return (flags & flag_double_buffer) != 0; }
    bool completion() const { return (flags & flag_completion) != 0; }
    bool keep_tensor() const { return (flags & flag_keep_tensor) != 0; }
    bool hold_result() const { return (flags & flag_hold_result) != 0; }
    bool take_next() const { return (flags & flag_take_next) != 0; }
    bool load_next() const { return (flags & flag_load_next) != 0; }
    bool store_previous() const { return (flags & flag_store_previous) != 0; }
    bool x_tiles() const { return (flags & flag_x_tiles) != 0; }
    bool y_tiles() const { return (flags & flag_y_tiles) != 0; }
    bool work_tiles() const { return (flags & flag_work_tiles) != 0; }
    bool convert_x() const { return (flags & flag_convert_x) != 0; }
    bool convert_y() const { return (flags & flag_convert_y) != 0; }
    /// Whether X comes from memory.
    bool loads_x() const { return !keep_tensor() && !take_next(); }

    /// Whether stage 0, 1 or 2 of the order runs.
    bool runs(unsigned stage) const { return (stage_mask >> stage & 1u) != 0; }
    /// The mode (0, 1, 2) that this stage sums over.
    unsigned mode_of(unsigned stage) const { return order[stage] - 1u; }
    /// Whether mode 0, 1 or 2 is summed, that is, whether its stage runs.
    bool sums(unsigned mode) const;

    std::vector<std::uint8_t> encode() const;
    static gemt_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

/// The flags of a GEMT command's header.
inline constexpr base::named_value gemt_flag_values[] = {
    {gemt_command::flag_esop, "esop", "skip zeros (ESOP)"},
    {gemt_command::flag_accumulate, "accumulate", "Y starts as the initial Y"},
    {gemt_command::flag_keep_matrices, "keep_matrices", "use the matrices of the previous command"},
    {gemt_command::flag_double_buffer, "double_buffer", "load and unload blocks while others are computed"},
    {gemt_command::flag_completion, "completion", "write the token to the completion address"},
    {gemt_command::flag_keep_tensor, "keep_tensor", "X is the tensor held in the cells"},
    {gemt_command::flag_hold_result, "hold_result", "Y stays in the cells"},
    {gemt_command::flag_take_next, "take_next", "X is the tensor that an earlier command loaded beside its work"},
    {gemt_command::flag_load_next, "load_next", "load a tensor beside the work"},
    {gemt_command::flag_store_previous, "store_previous", "store the held tensor beside the work"},
    {gemt_command::flag_x_tiles, "x_tiles", "X is stored tile by tile"},
    {gemt_command::flag_y_tiles, "y_tiles", "Y and the initial Y are stored tile by tile"},
    {gemt_command::flag_work_tiles, "work_tiles", "intermediate tensors are stored tile by tile"},
    {gemt_command::flag_convert_x, "convert_x", "copy X from its rows into tiles in the workspace first"},
    {gemt_command::flag_convert_y, "convert_y", "compute Y in tiles in the workspace, copy it to its rows last"},
};

/// Limits of a device for the check of a command.
struct gemt_limits {
    std::array<std::uint32_t, 3> mesh{}; ///< cells along modes 1, 2, 3
    base::element_type format = base::element_type::f64;
    std::uint64_t matrix_elements = 1u << 20; ///< capacity of an actuator
    unsigned partials = 2;                    ///< partial sums of a cell, besides its operand and the next one
};

/// The first reason why such a device cannot run a command; nothing when it can.
std::optional<isa::check_error> check(const gemt_command& command, const gemt_limits& device);

} // namespace tensorloom::triada
