#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/values/named_value.h>

namespace tensorloom::arch::vector {

/// The instructions of an MMU/VCU pair. Operands lie in its scratchpad.
///
/// A word is an element of the device's format, or of that of its sums where the two differ (int8: int32). Vectors are
/// words, one after the other; n is an instruction's length, s its block length (0-based indices, partial last blocks
/// allowed). A flag is a word that is 0 or not; results that are flags are 0 or 1.
///
/// The vector unit is a block that other devices have, too (a FETTA, on f32 words): they take its instructions,
/// payloads and limits from here. These stay with the MMU/VCU pair because its three units share one table of opcodes,
/// one scratchpad and one arithmetic of addresses.
enum class opcode : std::uint8_t {
    matmul = 0x20,

    // ---- vector unit ----
    add = 0x30,
    sub,
    mul,
    and_,
    or_,
    not_,
    mask,
    is_zero,
    bit,
    gather_last,
    scatter_last,
    fill_first,
    or_block,
    revspec,
    compact,
    revert,
    gather_idx,
    gather_prev,
    expand,
    flags,
    repl,
    max,
    min,
    relu,
    relu_gradient,
    sigmoid,
    tanh,
    exp,
    div,
    sqrt,
    sum_block,
    max_block,
    mul_add,
    pack_bf16,
    unpack_bf16,

    // ---- scalar unit ----
    charge = 0x60,
    set,
    move,
    s_add,
    s_sub,
    s_mul,
    s_mac,
    s_add_clamped,
    s_positive,
    s_less,
    s_mul_mod,
    s_mac_mod,
    s_carry,
    eliminate_diagonal,
    eliminate_row,
    eliminate_column,
    close_diagonal,
    close_row,
    close_column
};

/// Which unit executes an instruction.
enum class unit : std::uint8_t { matrix, vector, scalar };
inline constexpr unsigned unit_count = 3;

/// What a vector instruction does to an element, as far as its energy depends on it.
enum class lane_work : std::uint8_t {
    none,
    add,
    multiply,
    multiply_add,
    function,
    logic,
    move,
    revspec,
    compact,
    revert
};

/// How the payload of an instruction is laid out.
enum class payload_kind : std::uint8_t { matmul, vector, strided };

struct instruction {
    opcode code;
    const char* name;    ///< mnemonic
    const char* meaning; ///< z: the result
    unit executed_by;
    payload_kind payload;
    lane_work work; ///< vector unit only
};

inline constexpr instruction instructions[] = {
    {opcode::matmul, "matmul", "z = x R: rows of s words of x times the s x s weights R", unit::matrix,
     payload_kind::matmul, lane_work::none},

    {opcode::add, "add", "z[i] = a[i] + b[i]", unit::vector, payload_kind::vector, lane_work::add},
    {opcode::sub, "sub", "z[i] = a[i] - b[i]", unit::vector, payload_kind::vector, lane_work::add},
    {opcode::mul, "mul", "z[i] = a[i] * b[i] (not AC0: a multiplier per lane)", unit::vector, payload_kind::vector,
     lane_work::multiply},
    {opcode::and_, "and", "z[i] = flag a[i] and flag b[i]", unit::vector, payload_kind::vector, lane_work::logic},
    {opcode::or_, "or", "z[i] = flag a[i] or flag b[i]", unit::vector, payload_kind::vector, lane_work::logic},
    {opcode::not_, "not", "z[i] = not flag a[i]", unit::vector, payload_kind::vector, lane_work::logic},
    {opcode::mask, "mask", "z[i] = flag b[i] ? a[i] : 0", unit::vector, payload_kind::vector, lane_work::logic},
    {opcode::is_zero, "is_zero", "z[i] = a[i] == 0", unit::vector, payload_kind::vector, lane_work::logic},
    {opcode::bit, "bit", "z[i] = bit `bits` of a[i] (two's complement, from 0; integers only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::gather_last, "gather_last",
     "z[j] = a[j*s + s-1], of a partial last block its last element; ceil(n/s) results", unit::vector,
     payload_kind::vector, lane_work::move},
    {opcode::scatter_last, "scatter_last", "z = a, with z[j*s + s-1] = b[j] where j*s + s-1 < n", unit::vector,
     payload_kind::vector, lane_work::move},
    {opcode::fill_first, "fill_first", "z[i] = a[s*floor(i/s)]", unit::vector, payload_kind::vector, lane_work::move},
    {opcode::or_block, "or_block", "z[j] = or of the flags a of block j; ceil(n/s) results", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::revspec, "revspec",
     "per block: z[i] = a[i] - sum over j < s-1 of the block with b[j] != b[j+1] and b[i] == b[j+1] of a[j]: reverts "
     "the speculative scan a by the "
     "scanned flags b",
     unit::vector, payload_kind::vector, lane_work::revspec},
    {opcode::compact, "compact", "z[b[i]-1] = a[i] where b[i] != 0; `table` results, 0 where none was written",
     unit::vector, payload_kind::vector, lane_work::compact},
    {opcode::revert, "revert", "z[i] = a[i] - (b[i] > 0 ? c[b[i]-1] : 0), c has `table` elements", unit::vector,
     payload_kind::vector, lane_work::revert},
    {opcode::gather_idx, "gather_idx", "z[i] = a[b[i]], a has `table` elements", unit::vector, payload_kind::vector,
     lane_work::move},
    {opcode::gather_prev, "gather_prev", "z[i] = b[i] == 0 ? 0 : a[b[i]-1], a has `table` elements", unit::vector,
     payload_kind::vector, lane_work::move},
    {opcode::expand, "expand",
     "z[i*s + k] = k < `bits` and bit k of b[i] ? a[i] * 2^k : 0, k < s; n*s results (integers only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::flags, "flags", "z[i] = 0 for i < n, then z[a[j]] = 1 for j < `table` with a[j] < n", unit::vector,
     payload_kind::vector, lane_work::move},
    {opcode::repl, "repl", "z[i][j][k] = a[i][j][k] where i, j, k < `valid`, else 0: a copy by strides", unit::vector,
     payload_kind::strided, lane_work::move},
    {opcode::max, "max", "z[i] = the larger of a[i] and b[i]; NaN where one is, -0 < +0 (f32, f64 only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::min, "min", "z[i] = the smaller of a[i] and b[i]; NaN where one is, -0 < +0 (f32, f64 only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::relu, "relu", "z[i] = the larger of a[i] and +0; NaN where a[i] is (f32, f64 only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::relu_gradient, "relu_gradient", "z[i] = b[i] > 0 ? a[i] : 0 (f32, f64 only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::sigmoid, "sigmoid", "z[i] = 1 / (1 + e^-a[i]) (f32, f64 only)", unit::vector, payload_kind::vector,
     lane_work::function},
    {opcode::tanh, "tanh", "z[i] = tanh a[i] (f32, f64 only)", unit::vector, payload_kind::vector, lane_work::function},
    {opcode::exp, "exp", "z[i] = e^a[i] (f32, f64 only)", unit::vector, payload_kind::vector, lane_work::function},
    {opcode::div, "div", "z[i] = a[i] / b[i] (f32, f64 only)", unit::vector, payload_kind::vector, lane_work::function},
    {opcode::sqrt, "sqrt", "z[i] = square root of a[i] (f32, f64 only)", unit::vector, payload_kind::vector,
     lane_work::function},
    {opcode::sum_block, "sum_block",
     "z[j] = sum of block j of a, neighbours first: while there are several, sums of elements 0 and 1, 2 and 3, ..., "
     "an odd last one as it is; ceil(n/s) results (f32, f64 only)",
     unit::vector, payload_kind::vector, lane_work::add},
    {opcode::max_block, "max_block",
     "z[j] = largest element of block j of a, as max; ceil(n/s) results (f32, f64 only)", unit::vector,
     payload_kind::vector, lane_work::logic},
    {opcode::mul_add, "mul_add", "z[i] = c[0] * b[i] + a[i], rounded once: a step of an optimizer (f32, f64 only)",
     unit::vector, payload_kind::vector, lane_work::multiply_add},
    {opcode::pack_bf16, "pack_bf16",
     "a rounded to bf16, two in a word: z[(q*t + p)*s + h*s/2 + k] has a[i] in its lower half and a[i+1], i = "
     "((2q + h)*t + p)*s + 2k, h < 2, p < t, 2k < s, t = `table`, 0 for i >= n; ceil(n/(2st))*s*t results (f32 only)",
     unit::vector, payload_kind::vector, lane_work::logic},
    {opcode::unpack_bf16, "unpack_bf16",
     "z[i] = the number that pack_bf16 with this n, s and `table` has put into a as a[i] (f32 only)", unit::vector,
     payload_kind::vector, lane_work::move},

    {opcode::charge, "charge",
     "no result: takes the time of `cpu_ops` operations of the scalar unit, which the host does in its place",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::set, "set", "z[i][j][k] = the immediate", unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::move, "move", "z[i][j][k] = a[i][j][k]", unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::s_add, "s_add", "z[i][j][k] = a[i][j][k] + b[i][j][k]", unit::scalar, payload_kind::strided,
     lane_work::none},
    {opcode::s_sub, "s_sub", "z[i][j][k] = a[i][j][k] - b[i][j][k]", unit::scalar, payload_kind::strided,
     lane_work::none},
    {opcode::s_mul, "s_mul", "z[i][j][k] = a[i][j][k] * b[i][j][k]", unit::scalar, payload_kind::strided,
     lane_work::none},
    {opcode::s_mac, "s_mac", "z[i][j][k] += a[i][j][k] * b[i][j][k], k fastest: sums where strides of z are 0",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::s_add_clamped, "s_add_clamped", "z[i][j][k] = min(a[i][j][k] + b[i][j][k], 1)", unit::scalar,
     payload_kind::strided, lane_work::none},
    {opcode::s_positive, "s_positive", "z[i][j][k] = a[i][j][k] > 0", unit::scalar, payload_kind::strided,
     lane_work::none},
    {opcode::s_less, "s_less", "z[i][j][k] = a[i][j][k] < b[i][j][k]", unit::scalar, payload_kind::strided,
     lane_work::none},
    {opcode::s_mul_mod, "s_mul_mod", "z[i][j][k] = a[i][j][k] * b[i][j][k] mod the immediate (integers only)",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::s_mac_mod, "s_mac_mod",
     "z[i][j][k] = (z[i][j][k] + a[i][j][k] * b[i][j][k]) mod the immediate (integers only)", unit::scalar,
     payload_kind::strided, lane_work::none},
    {opcode::s_carry, "s_carry",
     "z[k] = digit k of sum a[k] 2^(B k), B the immediate: digits of B bits, what is left over stays in the last "
     "(int64 only)",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::eliminate_diagonal, "eliminate_diagonal",
     "z is m x m: for t < m-1, i > t, j > t: z[i][j] -= z[i][t]*z[t][j]/z[t][t] (m = size[1] = size[2]; f64 only)",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::eliminate_row, "eliminate_row",
     "z is size[1] x size[2], a the eliminated diagonal block: for t < m-1, i > t, all j: z[i][j] -= "
     "a[i][t]*z[t][j]/a[t][t]; then b[i][j] = "
     "-z[i][j]/a[i][i] (f64 only)",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::eliminate_column, "eliminate_column",
     "z is size[1] x size[2], a the eliminated diagonal block: for t < m, all i, j > t: z[i][j] -= "
     "z[i][t]*a[t][j]/a[t][t] (f64 only)",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::close_diagonal, "close_diagonal", "z is m x m flags: for t, i, j: z[i][j] |= z[i][t] & z[t][j]",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::close_row, "close_row", "z is size[1] x size[2] flags, a m x m: for t, i, j: z[i][j] |= a[i][t] & z[t][j]",
     unit::scalar, payload_kind::strided, lane_work::none},
    {opcode::close_column, "close_column",
     "z is size[1] x size[2] flags, a m x m: for t, i, j: z[i][j] |= z[i][t] & a[t][j]", unit::scalar,
     payload_kind::strided, lane_work::none},
};

inline constexpr std::size_t instruction_count = sizeof instructions / sizeof instructions[0];

/// The instruction with this opcode, or nullptr.
constexpr const instruction* find_instruction(std::uint8_t code)
{
    for (const auto& i : instructions) {
        if (static_cast<std::uint8_t>(i.code) == code) { return &i; }
    }
    return nullptr;
}

/// Functional blocks that a vector unit may lack; the value is the bit of limits::blocks.
enum class functional_block : std::uint8_t {
    revspec = 0,
    compact = 1,
    revert = 2,
    multiplier = 3,
    activation = 4,   ///< max, min, relu, relu_gradient, sigmoid, tanh, exp, div, sqrt
    reduction = 5,    ///< sum_block, max_block
    multiply_add = 6, ///< mul_add
    conversion = 7    ///< pack_bf16, unpack_bf16
};
inline constexpr std::uint8_t all_functional_blocks = 0xff;
/// What an MMU/VCU pair has unless it is told otherwise: the machine of its papers knows no functions of real numbers.
inline constexpr std::uint8_t mmv_functional_blocks = 0x0f;

constexpr std::uint8_t block_bit(functional_block b)
{
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(b));
}

// What an instruction needs of a device: a functional block, a format of words.

/// The block of the vector unit that an instruction needs, if any.
constexpr std::optional<functional_block> needed_block(opcode code)
{
    switch (code) {
    case opcode::revspec: return functional_block::revspec;
    case opcode::compact: return functional_block::compact;
    case opcode::revert: return functional_block::revert;
    case opcode::mul: return functional_block::multiplier;
    case opcode::max:
    case opcode::min:
    case opcode::relu:
    case opcode::relu_gradient:
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::div:
    case opcode::sqrt: return functional_block::activation;
    case opcode::sum_block:
    case opcode::max_block: return functional_block::reduction;
    case opcode::mul_add: return functional_block::multiply_add;
    case opcode::pack_bf16:
    case opcode::unpack_bf16: return functional_block::conversion;
    default: return std::nullopt;
    }
}

/// Instructions over flags, indices and comparisons exist in all formats that are not complex; some in integers alone,
/// in f32 and f64, or in one format.
constexpr bool exists_in_format(opcode code, element_type format)
{
    switch (code) {
    case opcode::matmul:
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::mask:
    case opcode::is_zero:
    case opcode::gather_last:
    case opcode::scatter_last:
    case opcode::fill_first:
    case opcode::repl:
    case opcode::charge:
    case opcode::set:
    case opcode::move:
    case opcode::s_add:
    case opcode::s_sub:
    case opcode::s_mul:
    case opcode::s_mac: return true;
    case opcode::bit:
    case opcode::expand:
    case opcode::s_mul_mod:
    case opcode::s_mac_mod: return is_integer(format);
    case opcode::s_carry: return format == element_type::int64;
    case opcode::eliminate_diagonal:
    case opcode::eliminate_row:
    case opcode::eliminate_column: return format == element_type::f64;
    case opcode::max:
    case opcode::min:
    case opcode::relu:
    case opcode::relu_gradient:
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::div:
    case opcode::sqrt:
    case opcode::sum_block:
    case opcode::max_block:
    case opcode::mul_add: return format == element_type::f32 || format == element_type::f64;
    case opcode::pack_bf16:
    case opcode::unpack_bf16: return format == element_type::f32;
    default: return !is_complex(format);
    }
}

} // namespace tensorloom::arch::vector
