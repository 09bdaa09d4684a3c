#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <limits>

namespace tensorloom::mmv {
namespace {

__extension__ typedef unsigned __int128 wide; // of three factors of 32 bits

// 0 + 1 + ... + (m - 1): pairs (t, i) with t < i
wide pairs(wide m) { return m * (m - 1) / 2; }

wide operations(opcode code, const isa::vector::strided_command& c)
{
    const wide rows = c.size[1];
    const wide columns = c.size[2];
    const wide elements = c.size[0] * rows * columns;
    switch (code) {
    case opcode::charge: return c.cpu_ops;
    case opcode::s_mac:
    case opcode::s_mul_mod:
    case opcode::s_mac_mod: return 2 * elements;
    case opcode::s_carry: return 3 * elements;
    case opcode::eliminate_diagonal: return 3 * (pairs(rows) * (2 * rows - 1) / 3); // sum of squares below rows
    case opcode::eliminate_row: return 3 * pairs(rows) * columns + 2 * rows * columns;
    case opcode::eliminate_column: return 3 * pairs(columns) * rows;
    case opcode::close_diagonal:
    case opcode::close_row: return 2 * rows * rows * columns;
    case opcode::close_column: return 2 * rows * columns * columns;
    default: return elements;
    }
}

} // namespace

isa::vector::strided_signature signature_of(opcode code)
{
    isa::vector::strided_signature s;
    switch (code) {
    case opcode::charge:
        s.shape = isa::vector::strided_shape::none;
        s.result = false;
        break;
    case opcode::set: s.immediate = isa::vector::immediate_use::word; break;
    case opcode::move:
    case opcode::s_positive: s.a = true; break;
    case opcode::s_mac:
        s.a = s.b = true;
        s.reads_result = true;
        break;
    case opcode::s_mul_mod:
        s.a = s.b = true;
        s.immediate = isa::vector::immediate_use::modulus;
        break;
    case opcode::s_mac_mod:
        s.a = s.b = true;
        s.reads_result = true;
        s.immediate = isa::vector::immediate_use::modulus;
        break;
    case opcode::s_carry:
        s.a = true;
        s.shape = isa::vector::strided_shape::vector;
        s.immediate = isa::vector::immediate_use::digit_bits;
        break;
    case opcode::eliminate_diagonal:
    case opcode::close_diagonal:
        s.shape = isa::vector::strided_shape::diagonal;
        s.reads_result = true;
        break;
    case opcode::eliminate_row:
        s.a = s.b = true;
        s.writes_b = true;
        s.shape = isa::vector::strided_shape::matrix;
        s.reads_result = true;
        break;
    case opcode::eliminate_column:
    case opcode::close_row:
    case opcode::close_column:
        s.a = true;
        s.shape = isa::vector::strided_shape::matrix;
        s.reads_result = true;
        break;
    default: s.a = s.b = true; break; // s_add, s_sub, s_mul, s_add_clamped, s_less
    }
    return s;
}

isa::vector::strided_sizes sizes_of(opcode code, const isa::vector::strided_command& c)
{
    isa::vector::strided_sizes s = isa::vector::sizes_of(signature_of(code), c);
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

std::uint64_t scalar_operations(opcode code, const isa::vector::strided_command& c)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const wide exact = operations(code, c);
    return exact > most ? most : static_cast<std::uint64_t>(exact);
}

} // namespace tensorloom::mmv
