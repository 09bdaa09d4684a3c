#include <tensorloom/models/arch/mmv/strided_signature.h>

namespace tensorloom::arch::mmv {

strided_signature strided_signature_of(opcode code)
{
    strided_signature s;
    switch (code) {
    case opcode::repl:
        s.a = true;
        s.valid = true;
        break;
    case opcode::charge:
        s.shape = strided_shape::none;
        s.result = false;
        break;
    case opcode::set: s.immediate = immediate_use::word; break;
    case opcode::move:
    case opcode::s_positive: s.a = true; break;
    case opcode::s_mac:
        s.a = s.b = true;
        s.reads_result = true;
        break;
    case opcode::s_mul_mod:
        s.a = s.b = true;
        s.immediate = immediate_use::modulus;
        break;
    case opcode::s_mac_mod:
        s.a = s.b = true;
        s.reads_result = true;
        s.immediate = immediate_use::modulus;
        break;
    case opcode::s_carry:
        s.a = true;
        s.shape = strided_shape::vector;
        s.immediate = immediate_use::digit_bits;
        break;
    case opcode::eliminate_diagonal:
    case opcode::close_diagonal:
        s.shape = strided_shape::diagonal;
        s.reads_result = true;
        break;
    case opcode::eliminate_row:
        s.a = s.b = true;
        s.writes_b = true;
        s.shape = strided_shape::matrix;
        s.reads_result = true;
        break;
    case opcode::eliminate_column:
    case opcode::close_row:
    case opcode::close_column:
        s.a = true;
        s.shape = strided_shape::matrix;
        s.reads_result = true;
        break;
    default: s.a = s.b = true; break; // s_add, s_sub, s_mul, s_add_clamped, s_less
    }
    return s;
}

strided_sizes sizes_of(opcode code, const strided_command& c)
{
    const strided_signature has = strided_signature_of(code);
    strided_sizes s;
    if (has.result) { s.result = c.size; }
    if (has.a) { s.a = has.valid ? c.valid : c.size; }
    if (has.b) { s.b = c.size; }
    const auto square = [](std::uint32_t m) { return std::array<std::uint32_t, 3>{1, m, m}; };
    switch (code) {
    case opcode::eliminate_row:
    case opcode::close_row: s.a = square(c.size[1]); break;
    case opcode::eliminate_column:
    case opcode::close_column: s.a = square(c.size[2]); break;
    default: break;
    }
    return s;
}

} // namespace tensorloom::arch::mmv
