#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::fetta {

/// Commands of a FETTA in addition to those of its shell. Instructions of its vector unit have the opcodes of
/// isa/vector/instruction_set.h, as in the MMU/VCU pair.
enum class opcode : std::uint8_t {
    contract = 0x20, ///< payload and flags: contract_command.h
};

/// Units that can work concurrently, as numbered by the shell.
enum class unit : std::uint8_t { tensor_contraction, vector };
inline constexpr unsigned unit_count = 2;

/// The six mappings of Y[M,N] = X[M,K] W[K,N] onto an engine (paper, Fig. 12): the operand in IB, its direction of
/// entry, and the stationary data.
enum class mapping : std::uint8_t {
    ws_v = 0, ///< weight-stationary, IB = W vertical:   rows of X along K, of W along N, of Y along N
    ws_h = 1, ///< weight-stationary, IB = W horizontal: K, K, N
    is_v = 2, ///< input-stationary, IB = X vertical:    M, K, M
    is_h = 3, ///< input-stationary, IB = X horizontal:  K, K, M (X, W, Y)
    os_1 = 4, ///< output-stationary, IB = W: M, N, N
    os_2 = 5  ///< output-stationary, IB = X: M, N, M
};
inline constexpr unsigned mapping_count = 6;

inline constexpr base::named_value mapping_values[] = {
    {0, "ws-v", "weight-stationary, weights enter vertically"},
    {1, "ws-h", "weight-stationary, weights enter horizontally"},
    {2, "is-v", "input-stationary, inputs enter vertically"},
    {3, "is-h", "input-stationary, inputs enter horizontally"},
    {4, "os-1", "output-stationary, weights stream vertically"},
    {5, "os-2", "output-stationary, inputs stream vertically"},
};

constexpr bool is_output_stationary(mapping m) { return m >= mapping::os_1; }
constexpr bool is_horizontal(mapping m) { return m == mapping::ws_h || m == mapping::is_h; }
/// Whether IB holds X, the first tensor of the contraction, and IA holds W; otherwise IB holds W and IA X.
constexpr bool has_x_in_ib(mapping m) { return m == mapping::is_v || m == mapping::is_h || m == mapping::os_2; }

/// A mode of a linear operand.
struct operand_mode {
    std::uint32_t size = 0;
    std::int32_t stride = 0; ///< in elements

    bool operator==(const operand_mode& o) const { return size == o.size && stride == o.stride; }
};
inline constexpr unsigned max_operand_modes = 8;

/// Placement of an operand or of the result in the unified memory.
///
/// Banked (the layout of the mapping): in every cycle one row per port, at the same row of all banks.
///
///     position = sum of counter x stride             counters: contract_command; the row in a tile ends with a group
///                                                    that fits into one tile
///     bank index = bank ^ deposit(position mod 2^m, mask), m = bits of mask: the engine-index bits that share the
///         operand (IA: mask_ib, IB: mask_ia, result: mask_contracted)
///     row of every bank = base + floor(position / 2^m)
///     the port of engine j has bank (j & ~mask) ^ bank_index, after the transpose layer of its flag transpose(...)
///
/// Linear (any C-order tensor; conflicts are counted): element e in linear order lies in row r = e / side, that is, in
/// bank r mod N at row r / N.
///
///     e = base + sum over modes of digit x stride; a flat index of a group (batch, contracted, free) has the digits of
///         its modes, last fastest
struct contract_operand {
    std::uint32_t base = 0; ///< banked: row; linear: element; in the operand's type
    std::uint32_t bank = 0; ///< banked: below N
    /// Banked: strides of positions, by counter
    ///
    ///     IA     {batch tile, contracted tile | step (OS), step | row tile (OS), 0}
    ///     IB     {batch tile, contracted tile | step (OS), free tile | column tile (OS), row in the tile | 0 (OS)}
    ///     result {batch tile, step | row tile (OS), free tile | column tile (OS), 0 | row in the tile (OS)}
    std::array<std::int32_t, 4> stride{};
    std::array<std::int32_t, isa::stepped_loops>
        step{}; ///< added to base per iteration of the innermost loop, and of the next
    /// Linear: numbers of modes of the batch, contracted and free index (result: batch, IA's free, IB's free), in that
    /// order.
    std::array<std::uint32_t, 3> modes{};
    std::array<operand_mode, max_operand_modes> mode{};
    std::uint32_t reserved = 0; ///< encoded after the numbers of modes

    bool operator==(const contract_operand& o) const
    {
        return base == o.base && bank == o.bank && stride == o.stride && step == o.step && modes == o.modes &&
               mode == o.mode && reserved == o.reserved;
    }
};

namespace contract_fields {

inline constexpr base::layout_field mapping("mapping", 0, 4, 1, "0 ws-v, 1 ws-h, 2 is-v, 3 is-h, 4 os-1, 5 os-2");
inline constexpr base::layout_field batch("batch", 4, 4, 1, "G: flat batch index, at least 1");
inline constexpr base::layout_field contracted("contracted", 8, 4, 1, "K: flat contracted index, at least 1");
inline constexpr base::layout_field ia_free("ia_free", 12, 4, 1, "flat free index of IA, at least 1");
inline constexpr base::layout_field ib_free("ib_free", 16, 4, 1, "flat free index of IB, at least 1");
inline constexpr base::layout_field
    masks("masks", 20, 4, 4,
          "bits of the engine index that split batch, contracted, IA's free, IB's free: disjoint, together N - 1");
inline constexpr base::layout_field accumulator_row("accumulator_row", 36, 4, 1,
                                                    "with accumulate or keep: first row of the accumulators");
inline constexpr base::layout_field reserved("reserved", 40, 8, 1, "0", base::field_kind::reserved);
inline constexpr std::uint32_t operand_bytes = 112;
inline constexpr base::layout_field ia_place("ia_place", 48, 4, 2, "base (banked: row, linear: element), bank");
inline constexpr base::layout_field ia_stride("ia_stride", ia_place.end(), 4, 4,
                                              "strides of positions: batch tile, contracted, free, 0",
                                              base::field_kind::signed_number);
inline constexpr base::layout_field ia_step("ia_step", ia_stride.end(), 4, isa::stepped_loops,
                                            "added to base per iteration of the innermost loop, and of the next",
                                            base::field_kind::signed_number);
inline constexpr base::layout_field ia_modes("ia_modes", ia_step.end(), 4, 4,
                                             "linear: numbers of modes of the batch, contracted and free index; 0");
inline constexpr base::layout_field ia_mode("ia_mode", ia_modes.end(), 4, 16,
                                            "linear: size, stride of each mode, in elements",
                                            base::field_kind::signed_number);
inline constexpr base::layout_field ib_place("ib_place", ia_mode.end(), 4, 2, "as ia_place");
inline constexpr base::layout_field ib_stride("ib_stride", ib_place.end(), 4, 4,
                                              "strides of positions: batch tile, contracted, free, row of the tile",
                                              base::field_kind::signed_number);
inline constexpr base::layout_field ib_step("ib_step", ib_stride.end(), 4, isa::stepped_loops, "as ia_step",
                                            base::field_kind::signed_number);
inline constexpr base::layout_field ib_modes("ib_modes", ib_step.end(), 4, 4, "as ia_modes");
inline constexpr base::layout_field ib_mode("ib_mode", ib_modes.end(), 4, 16, "as ia_mode",
                                            base::field_kind::signed_number);
inline constexpr base::layout_field result_place("result_place", ib_mode.end(), 4, 2, "as ia_place");
inline constexpr base::layout_field
    result_stride("result_stride", result_place.end(), 4, 4,
                  "strides of positions: batch tile, IA's free, IB's free, row of the tile",
                  base::field_kind::signed_number);
inline constexpr base::layout_field result_step("result_step", result_stride.end(), 4, isa::stepped_loops, "as ia_step",
                                                base::field_kind::signed_number);
inline constexpr base::layout_field
    result_modes("result_modes", result_step.end(), 4, 4,
                 "linear: numbers of modes of the batch, IA's free and IB's free index; 0");
inline constexpr base::layout_field result_mode("result_mode", result_modes.end(), 4, 16, "as ia_mode",
                                                base::field_kind::signed_number);
inline constexpr base::layout_field all[] = {
    mapping,  batch,     contracted,   ia_free,       ib_free,     masks,        accumulator_row, reserved,
    ia_place, ia_stride, ia_step,      ia_modes,      ia_mode,     ib_place,     ib_stride,       ib_step,
    ib_modes, ib_mode,   result_place, result_stride, result_step, result_modes, result_mode};

} // namespace contract_fields

inline constexpr base::byte_layout contract_layout{"fetta_contract", contract_fields::all};
static_assert(contract_layout.is_whole() && contract_layout.bytes() == 48 + 3 * contract_fields::operand_bytes,
              "a byte of the CONTRACT payload has no field, or two");

/// Contraction of two tensors in the unified memory, with batch, contracted and free indices flattened into one each.
///
/// P = side. g_b, g_k, g_a, g_i: parts of the batch, contracted, IA's free and IB's free index, 2^bits of their masks;
/// c_x: the part of engine j, its bits under the mask, lowest first. Elements whose indices are out of range count as 0
/// and are neither read nor written.
///
/// Stationary (ws, is): tiles in the order batch tile gt, free tile ft, piece of the stream, contracted tile kt; T =
/// ceil(ia_free / g_a) steps.
///
///     b = gt g_b + c_b                        k = (kt g_k + c_k) P + i
///     ib_free index = (ft g_i + c_i) P + n    ia_free index = c_a T + t
///     i: row of the engine; n: column. Row of IA: i. Row of IB: n, row in the tile i (vertical); i, row in the tile n
///     (horizontal). Row of the result: n.
///     Pieces of at most accumulator_rows() steps, a remainder of at least P steps; one piece with accumulate or keep.
///
/// Output-stationary: tiles in the order gt, row tile rt, column tile ct; each streams K' = ceil(K / g_k) steps.
///
///     b = gt g_b + c_b                        k = c_k K' + step
///     ia_free index = (rt g_a + c_a) P + m    ib_free index = (ct g_i + c_i) P + n
///     m: row of the engine; n: column. Row of IA: m. Row of IB: n. Row of the result: n, row in the tile m.
///
/// Accumulator row of a result row, in the accumulators of its output port: accumulator_row + number of the sums before
/// it in the piece (accumulate, keep: in the command), T or P for each batch tile, free, row and column tile. With keep
/// there is no result in memory: base, steps and modes are 0; bank, strides and transposition select the port whose
/// accumulators store a row, as for a result. Kept sums are continued by commands with the same batch and free extents,
/// masks and mapping, and the same bank, strides and transposition of the result; a linear result has bank 0 and
/// strides 0 (every row leaves by the port of the part c_k = 0).
///
/// Order of the sums (psum type; one fused multiply-add per term): a column or PE sums its k ascending, from +0; the
/// reduction network adds the g_k parts in a tree, neighbours first (lowest bit of c_k); the accumulator stores the
/// first contracted tile and adds the others in order.
struct contract_command {
    static constexpr std::uint16_t flag_accumulate = 1u << 0; ///< sums start from the accumulators' contents
    static constexpr std::uint16_t flag_keep = 1u << 1;       ///< sums stay in the accumulators; no result is written
    static constexpr std::uint16_t flag_store_bf16 = 1u << 2; ///< the result is bf16, rounded once; otherwise f32
    static constexpr std::uint16_t flag_linear_ia = 1u << 3;
    static constexpr std::uint16_t flag_linear_ib = 1u << 4;
    static constexpr std::uint16_t flag_linear_result = 1u << 5;
    static constexpr std::uint16_t flag_transpose_ia = 1u << 6; ///< banked: the transpose layer of the network is on
    static constexpr std::uint16_t flag_transpose_ib = 1u << 7;
    static constexpr std::uint16_t flag_transpose_result = 1u << 8;
    static constexpr std::uint16_t known_flags = 0x1ff;
    static constexpr std::size_t payload_bytes = contract_layout.bytes();

    std::uint16_t flags = 0; ///< flags of the command header
    std::uint32_t mapping = 0;
    std::uint32_t batch = 1, contracted = 1, ia_free = 1, ib_free = 1;
    std::uint32_t mask_batch = 0, mask_contracted = 0, mask_ia = 0, mask_ib = 0;
    std::uint32_t accumulator_row = 0;
    std::uint64_t reserved = 0;
    contract_operand ia, ib, result;

    bool operator==(const contract_command& o) const;
    bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
    fetta::mapping mapped() const { return static_cast<fetta::mapping>(mapping); }
    base::element_type result_type() const
    {
        return has(flag_store_bf16) ? base::element_type::bf16 : base::element_type::f32;
    }

    /// The command in this iteration: bases advanced, steps 0.
    contract_command at(const isa::loop_indices& iteration) const;

    std::vector<std::uint8_t> encode() const;
    static contract_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

inline constexpr base::named_value contract_flag_values[] = {
    {contract_command::flag_accumulate, "accumulate", "sums start from the accumulators' contents"},
    {contract_command::flag_keep, "keep", "sums stay in the accumulators; no result is written"},
    {contract_command::flag_store_bf16, "store_bf16", "the result is rounded to bf16"},
    {contract_command::flag_linear_ia, "linear_ia", "IA is stored in linear order"},
    {contract_command::flag_linear_ib, "linear_ib", "IB is stored in linear order"},
    {contract_command::flag_linear_result, "linear_result", "the result is stored in linear order"},
    {contract_command::flag_transpose_ia, "transpose_ia", "the transpose layer of IA's network is on"},
    {contract_command::flag_transpose_ib, "transpose_ib", "the transpose layer of IB's network is on"},
    {contract_command::flag_transpose_result, "transpose_result", "the transpose layer of the reduction network is on"},
};

/// The three tensors of a CONTRACT, for code that treats them alike.
enum class operand_role : std::uint8_t { ia, ib, result };
inline constexpr operand_role operand_roles[] = {operand_role::ia, operand_role::ib, operand_role::result};

const char* role_name(operand_role role);
const contract_operand& operand_of(const contract_command& command, operand_role role);
base::element_type type_of(const contract_command& command, operand_role role, const device_limits& g);
std::uint32_t shared_mask(const contract_command& command,
                          operand_role role); ///< bits of the engine index that share its rows
bool is_linear(const contract_command& command, operand_role role);
/// It passes a gather or scatter buffer: a linear operand, or a linear result that leaves the accumulators.
bool passes_buffer(const contract_command& command, operand_role role);
bool is_transposed(const contract_command& command, operand_role role); ///< the transpose layer of its network is on

// Parts of an index group: a mask of engine-index bits splits the group among the engines.

/// Number of parts that a mask splits a group into: 2^bits.
constexpr std::uint32_t parts(std::uint32_t mask)
{
    std::uint32_t n = 1;
    for (; mask != 0; mask &= mask - 1) { n *= 2; }
    return n;
}

/// The part of an engine: its index bits under the mask, lowest first.
constexpr std::uint32_t part_of(std::uint32_t engine, std::uint32_t mask)
{
    std::uint32_t part = 0;
    for (std::uint32_t to = 1; mask != 0; mask &= mask - 1, to *= 2) {
        if ((engine & mask & (~mask + 1)) != 0) { part |= to; }
    }
    return part;
}

/// The inverse of part_of(): places the bits of the part, lowest first, at the ones of the mask.
constexpr std::uint32_t deposit(std::uint32_t part, std::uint32_t mask)
{
    std::uint32_t bits = 0;
    for (; mask != 0; mask &= mask - 1, part /= 2) {
        if ((part & 1) != 0) { bits |= mask & (~mask + 1); }
    }
    return bits;
}

} // namespace tensorloom::fetta
