#pragma once
#include <optional>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/arch/mmv/opcode.h>

namespace tensorloom::arch::mmv {

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

} // namespace tensorloom::arch::mmv
