#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::isa::vector {

/// The instructions of a vector unit, on words of a scratchpad: in an MMU/VCU pair and in other devices with such a
/// unit.
///
/// A word is an element of the unit's format. Vectors are contiguous words; n is an instruction's length, s its block
/// length (0-based indices, the last block may be partial). A flag is a word that is 0 or not; results that are flags
/// are 0 or 1.
enum class opcode : std::uint8_t {
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
    log,
    scatter_add,
    pack_f16,
    unpack_f16,
    pack_int8,
    unpack_int8,
    random_mask
};

/// The work of a vector instruction per element, as far as it affects energy.
enum class lane_work : std::uint8_t { add, multiply, multiply_add, function, logic, move, revspec, compact, revert };

/// The payload layout of an instruction.
enum class payload_kind : std::uint8_t { vector, strided };

struct instruction {
    opcode code;
    const char* name;    ///< mnemonic
    const char* meaning; ///< z: the result
    payload_kind payload;
    lane_work work;
};

inline constexpr instruction instructions[] = {
    {opcode::add, "add", "z[i] = a[i] + b[i]", payload_kind::vector, lane_work::add},
    {opcode::sub, "sub", "z[i] = a[i] - b[i]", payload_kind::vector, lane_work::add},
    {opcode::mul, "mul", "z[i] = a[i] * b[i] (not AC0: a multiplier per lane)", payload_kind::vector,
     lane_work::multiply},
    {opcode::and_, "and", "z[i] = flag a[i] and flag b[i]", payload_kind::vector, lane_work::logic},
    {opcode::or_, "or", "z[i] = flag a[i] or flag b[i]", payload_kind::vector, lane_work::logic},
    {opcode::not_, "not", "z[i] = not flag a[i]", payload_kind::vector, lane_work::logic},
    {opcode::mask, "mask", "z[i] = flag b[i] ? a[i] : 0", payload_kind::vector, lane_work::logic},
    {opcode::is_zero, "is_zero", "z[i] = a[i] == 0", payload_kind::vector, lane_work::logic},
    {opcode::bit, "bit", "z[i] = bit `bits` of a[i] (two's complement, from 0; integers only)", payload_kind::vector,
     lane_work::logic},
    {opcode::gather_last, "gather_last",
     "z[j] = a[j*s + s-1], of a partial last block its last element; ceil(n/s) results", payload_kind::vector,
     lane_work::move},
    {opcode::scatter_last, "scatter_last", "z = a, with z[j*s + s-1] = b[j] where j*s + s-1 < n", payload_kind::vector,
     lane_work::move},
    {opcode::fill_first, "fill_first", "z[i] = a[s*floor(i/s)]", payload_kind::vector, lane_work::move},
    {opcode::or_block, "or_block", "z[j] = or of the flags a of block j; ceil(n/s) results", payload_kind::vector,
     lane_work::logic},
    {opcode::revspec, "revspec",
     "per block: z[i] = a[i] - sum over j < s-1 of the block with b[j] != b[j+1] and b[i] == b[j+1] of a[j]: reverts "
     "the speculative scan a by the "
     "scanned flags b",
     payload_kind::vector, lane_work::revspec},
    {opcode::compact, "compact", "z[b[i]-1] = a[i] where b[i] != 0; `table` results, 0 where none was written",
     payload_kind::vector, lane_work::compact},
    {opcode::revert, "revert", "z[i] = a[i] - (b[i] > 0 ? c[b[i]-1] : 0), c has `table` elements", payload_kind::vector,
     lane_work::revert},
    {opcode::gather_idx, "gather_idx", "z[i] = a[b[i]], a has `table` elements", payload_kind::vector, lane_work::move},
    {opcode::gather_prev, "gather_prev", "z[i] = b[i] == 0 ? 0 : a[b[i]-1], a has `table` elements",
     payload_kind::vector, lane_work::move},
    {opcode::expand, "expand",
     "z[i*s + k] = k < `bits` and bit k of b[i] ? a[i] * 2^k : 0, k < s; n*s results (integers only)",
     payload_kind::vector, lane_work::logic},
    {opcode::flags, "flags", "z[i] = 0 for i < n, then z[a[j]] = 1 for j < `table` with a[j] < n", payload_kind::vector,
     lane_work::move},
    {opcode::repl, "repl", "z[i][j][k] = a[i][j][k] where i, j, k < `valid`, else 0: a copy by strides",
     payload_kind::strided, lane_work::move},
    {opcode::max, "max", "z[i] = the larger of a[i] and b[i]; NaN where one is, -0 < +0 (f32, f64 only)",
     payload_kind::vector, lane_work::logic},
    {opcode::min, "min", "z[i] = the smaller of a[i] and b[i]; NaN where one is, -0 < +0 (f32, f64 only)",
     payload_kind::vector, lane_work::logic},
    {opcode::relu, "relu", "z[i] = the larger of a[i] and +0; NaN where a[i] is (f32, f64 only)", payload_kind::vector,
     lane_work::logic},
    {opcode::relu_gradient, "relu_gradient", "z[i] = b[i] > 0 ? a[i] : 0 (f32, f64 only)", payload_kind::vector,
     lane_work::logic},
    {opcode::sigmoid, "sigmoid", "z[i] = 1 / (1 + e^-a[i]) (f32, f64 only)", payload_kind::vector, lane_work::function},
    {opcode::tanh, "tanh", "z[i] = tanh a[i] (f32, f64 only)", payload_kind::vector, lane_work::function},
    {opcode::exp, "exp", "z[i] = e^a[i] (f32, f64 only)", payload_kind::vector, lane_work::function},
    {opcode::div, "div", "z[i] = a[i] / b[i] (f32, f64 only)", payload_kind::vector, lane_work::function},
    {opcode::sqrt, "sqrt", "z[i] = square root of a[i] (f32, f64 only)", payload_kind::vector, lane_work::function},
    {opcode::sum_block, "sum_block",
     "z[j] = sum of block j of a, neighbours first: repeated sums of elements 0 and 1, 2 and 3, ..., "
     "an odd last one unchanged; ceil(n/s) results (f32, f64 only)",
     payload_kind::vector, lane_work::add},
    {opcode::max_block, "max_block",
     "z[j] = largest element of block j of a, as max; ceil(n/s) results (f32, f64 only)", payload_kind::vector,
     lane_work::logic},
    {opcode::mul_add, "mul_add", "z[i] = c[0] * b[i] + a[i], rounded once: a step of an optimizer (f32, f64 only)",
     payload_kind::vector, lane_work::multiply_add},
    {opcode::pack_bf16, "pack_bf16",
     "a rounded to bf16, two in a word: z[(q*t + p)*s + h*s/2 + k] has a[i] in its lower half and a[i+1], i = "
     "((2q + h)*t + p)*s + 2k, h < 2, p < t, 2k < s, t = `table`, 0 for i >= n; ceil(n/(2st))*s*t results (f32 only)",
     payload_kind::vector, lane_work::logic},
    {opcode::unpack_bf16, "unpack_bf16",
     "z[i] = the number that pack_bf16 with this n, s and `table` has put into a as a[i] (f32 only)",
     payload_kind::vector, lane_work::move},
    {opcode::log, "log", "z[i] = natural logarithm of a[i]; -infinity of 0, NaN below (f32, f64 only)",
     payload_kind::vector, lane_work::function},
    {opcode::scatter_add, "scatter_add",
     "z[b[i]*s + k] += a[i*s + k], k < s, for i = 0, 1, ..., n-1 in this order: z has `table` rows of s words, a has n "
     "(f32, f64 only)",
     payload_kind::vector, lane_work::add},
    {opcode::pack_f16, "pack_f16",
     "a rounded to f16, two in a word: z[j] has a[2j] in its lower half and a[2j+1], 0 for elements from n on; "
     "ceil(n/2) "
     "results (f32 only)",
     payload_kind::vector, lane_work::logic},
    {opcode::unpack_f16, "unpack_f16", "z[i] = the number that pack_f16 with this n has put into a as a[i] (f32 only)",
     payload_kind::vector, lane_work::move},
    {opcode::pack_int8, "pack_int8",
     "a shifted right by `bits`, to nearest, ties to even, saturated to -128 to 127, four in a word: z[j] has a[4j] in "
     "its lowest byte, then a[4j+1] to a[4j+3], 0 for elements from n on; ceil(n/4) results (int32 only)",
     payload_kind::vector, lane_work::logic},
    {opcode::unpack_int8, "unpack_int8",
     "z[i] = the number that pack_int8 with this n has put into a as a[i] (int32 only)", payload_kind::vector,
     lane_work::move},
    {opcode::random_mask, "random_mask",
     "z[i] = r(i + c[1]) < b[i] ? 0 : a[i], r(k) = 2^-24 floor(w / 2^8), w = word k mod 2 of Philox-2x32-10 of the "
     "counter (floor(k/2), `bits`) and the key c[0]; c as 32 bits, k modulo 2^32 (f32 only)",
     payload_kind::vector, lane_work::function},
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

/// Functional blocks that a vector unit may omit; the value is the bit in limits::blocks.
enum class functional_block : std::uint8_t {
    revspec = 0,
    compact = 1,
    revert = 2,
    multiplier = 3,
    activation = 4,   ///< max, min, relu, relu_gradient, sigmoid, tanh, exp, log, div, sqrt, random_mask
    reduction = 5,    ///< sum_block, max_block, scatter_add
    multiply_add = 6, ///< mul_add
    conversion = 7    ///< pack_*, unpack_*
};
inline constexpr std::uint8_t all_functional_blocks = 0xff;

/// Their names, in this order.
inline constexpr const char* functional_block_names[] = {"revspec",    "compact",   "revert",       "multiplier",
                                                         "activation", "reduction", "multiply_add", "conversion"};

constexpr std::uint8_t block_bit(functional_block b)
{
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(b));
}

/// The block that an instruction needs, if any.
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
    case opcode::log:
    case opcode::div:
    case opcode::sqrt:
    case opcode::random_mask: return functional_block::activation;
    case opcode::sum_block:
    case opcode::max_block:
    case opcode::scatter_add: return functional_block::reduction;
    case opcode::mul_add: return functional_block::multiply_add;
    case opcode::pack_bf16:
    case opcode::unpack_bf16:
    case opcode::pack_f16:
    case opcode::unpack_f16:
    case opcode::pack_int8:
    case opcode::unpack_int8: return functional_block::conversion;
    default: return std::nullopt;
    }
}

/// Instructions on flags, indices and comparisons exist in all formats except complex ones; others only for integers,
/// for f32 and f64, or in one format.
constexpr bool exists_in_format(opcode code, base::element_type format)
{
    if (code == opcode::random_mask) { return format == base::element_type::f32; }
    switch (needed_block(code).value_or(functional_block::multiplier)) {
    case functional_block::activation:
    case functional_block::reduction:
    case functional_block::multiply_add: return format == base::element_type::f32 || format == base::element_type::f64;
    case functional_block::conversion: {
        const bool of_integers = code == opcode::pack_int8 || code == opcode::unpack_int8;
        return format == (of_integers ? base::element_type::int32 : base::element_type::f32);
    }
    default: break;
    }
    switch (code) {
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::mask:
    case opcode::is_zero:
    case opcode::gather_last:
    case opcode::scatter_last:
    case opcode::fill_first:
    case opcode::repl: return true;
    case opcode::bit:
    case opcode::expand: return base::is_integer(format);
    default: return !base::is_complex(format);
    }
}

} // namespace tensorloom::isa::vector
