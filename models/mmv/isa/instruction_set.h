#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/signature.h>
#include <tensorloom/models/isa/vector/strided_command.h>

namespace tensorloom::mmv {

/// The instructions of the matrix and the scalar unit of an MMU/VCU pair; those of its vector unit are
/// isa::vector::opcode. Operands are in the scratchpad.
///
/// A word is an element of the device's format, or of the format of its sums where the two differ (bf16, f16: f32;
/// int8: int32). s: rows and columns of the array.
enum class opcode : std::uint8_t {
    matmul = 0x20,
    product,

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

struct instruction {
    opcode code;
    const char* name;    ///< mnemonic
    const char* meaning; ///< z: the result
};

inline constexpr instruction instructions[] = {
    {opcode::matmul, "matmul", "z = x R: rows of s words of x times the s x s weights R"},
    {opcode::product, "product",
     "z = x R or, with accumulate, z += x R: matrices of any size, tile by tile of s x s weights"},

    {opcode::charge, "charge",
     "no result: takes the time of `cpu_ops` operations of the scalar unit, which the host executes instead"},
    {opcode::set, "set", "z[i][j][k] = the immediate"},
    {opcode::move, "move", "z[i][j][k] = a[i][j][k]"},
    {opcode::s_add, "s_add", "z[i][j][k] = a[i][j][k] + b[i][j][k]"},
    {opcode::s_sub, "s_sub", "z[i][j][k] = a[i][j][k] - b[i][j][k]"},
    {opcode::s_mul, "s_mul", "z[i][j][k] = a[i][j][k] * b[i][j][k]"},
    {opcode::s_mac, "s_mac", "z[i][j][k] += a[i][j][k] * b[i][j][k], k fastest: sums where strides of z are 0"},
    {opcode::s_add_clamped, "s_add_clamped", "z[i][j][k] = min(a[i][j][k] + b[i][j][k], 1)"},
    {opcode::s_positive, "s_positive", "z[i][j][k] = a[i][j][k] > 0"},
    {opcode::s_less, "s_less", "z[i][j][k] = a[i][j][k] < b[i][j][k]"},
    {opcode::s_mul_mod, "s_mul_mod", "z[i][j][k] = a[i][j][k] * b[i][j][k] mod the immediate (integers only)"},
    {opcode::s_mac_mod, "s_mac_mod",
     "z[i][j][k] = (z[i][j][k] + a[i][j][k] * b[i][j][k]) mod the immediate (integers only)"},
    {opcode::s_carry, "s_carry",
     "z[k] = digit k of sum a[k] 2^(B k), B the immediate: digits of B bits, the last digit keeps the remaining carry "
     "(int64 only)"},
    {opcode::eliminate_diagonal, "eliminate_diagonal",
     "z is m x m: for t < m-1, i > t, j > t: z[i][j] -= z[i][t]*z[t][j]/z[t][t] (m = size[1] = size[2]; f32, f64 "
     "only)"},
    {opcode::eliminate_row, "eliminate_row",
     "z is size[1] x size[2], a the eliminated diagonal block: for t < m-1, i > t, all j: z[i][j] -= "
     "a[i][t]*z[t][j]/a[t][t]; then b[i][j] = "
     "-z[i][j]/a[i][i] (f32, f64 only)"},
    {opcode::eliminate_column, "eliminate_column",
     "z is size[1] x size[2], a the eliminated diagonal block: for t < m, all i, j > t: z[i][j] -= "
     "z[i][t]*a[t][j]/a[t][t] (f32, f64 only)"},
    {opcode::close_diagonal, "close_diagonal", "z is m x m flags: for t, i, j: z[i][j] |= z[i][t] & z[t][j]"},
    {opcode::close_row, "close_row",
     "z is size[1] x size[2] flags, a m x m: for t, i, j: z[i][j] |= a[i][t] & z[t][j]"},
    {opcode::close_column, "close_column",
     "z is size[1] x size[2] flags, a m x m: for t, i, j: z[i][j] |= z[i][t] & a[t][j]"},
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

/// Whether the scalar unit executes an instruction; the matrix unit executes the others.
constexpr bool is_scalar(opcode code) { return code != opcode::matmul && code != opcode::product; }

/// Default functional blocks of the vector unit, a bit per isa::vector::functional_block: the papers' machine has no
/// functions of real numbers.
inline constexpr std::uint8_t functional_blocks = 0x0f;

/// Formats of an instruction: comparisons and flags in all real formats, remainders only in integers, carries only in
/// int64, eliminations in f32 and f64.
constexpr bool exists_in_format(opcode code, base::element_type word)
{
    switch (code) {
    case opcode::matmul:
    case opcode::product:
    case opcode::charge:
    case opcode::set:
    case opcode::move:
    case opcode::s_add:
    case opcode::s_sub:
    case opcode::s_mul:
    case opcode::s_mac: return true;
    case opcode::s_mul_mod:
    case opcode::s_mac_mod: return base::is_integer(word);
    case opcode::s_carry: return word == base::element_type::int64;
    case opcode::eliminate_diagonal:
    case opcode::eliminate_row:
    case opcode::eliminate_column: return word == base::element_type::f32 || word == base::element_type::f64;
    default: return !base::is_complex(word);
    }
}

// The scalar unit's use of the payload that its instructions share with REPL (isa/vector/strided_command.h).

/// The operands and fields of an instruction; the others are 0.
isa::vector::strided_signature signature_of(opcode code);

/// The sizes of its operands.
isa::vector::strided_sizes sizes_of(opcode code, const isa::vector::strided_command& command);

/// Event scalar_op, and the time of the scalar unit, for its instructions:
///
///     charge                              cpu_ops
///     set, move, s_add, s_sub, s_mul,
///     s_add_clamped, s_positive, s_less   1 per element
///     s_mac, s_mul_mod, s_mac_mod         2 per element
///     s_carry                             3 per word
///     eliminate_*                         3 per inner update (multiply, divide, subtract), and 2 per element of b
///     close_*                             2 per inner update
/// At most 2^64 - 1 (saturating).
std::uint64_t scalar_operations(opcode code, const isa::vector::strided_command& command);

} // namespace tensorloom::mmv
