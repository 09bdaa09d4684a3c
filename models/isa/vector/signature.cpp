#include <tensorloom/models/isa/vector/signature.h>

namespace tensorloom::isa::vector {

namespace {

std::uint64_t ceiling(std::uint64_t n, std::uint64_t d) { return (n + d - 1) / d; }

} // namespace

vector_signature vector_signature_of(opcode code)
{
    vector_signature s;
    switch (code) {
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::and_:
    case opcode::or_:
    case opcode::mask:
    case opcode::max:
    case opcode::min:
    case opcode::relu_gradient:
    case opcode::div:
        s.b = operand_use::in_order;
        s.broadcast_b = true;
        break;
    case opcode::bit: s.bits = bits_use::which_bit; break;
    case opcode::gather_last:
    case opcode::fill_first:
    case opcode::or_block:
    case opcode::sum_block:
    case opcode::max_block: s.block = true; break;
    case opcode::mul_add:
        s.b = operand_use::in_order;
        s.broadcast_b = true;
        s.c = operand_use::one_word;
        break;
    case opcode::random_mask:
        s.b = operand_use::in_order;
        s.broadcast_b = true;
        s.c = operand_use::two_words;
        s.bits = bits_use::stream;
        break;
    case opcode::unpack_bf16: s.a = operand_use::table; [[fallthrough]];
    case opcode::pack_bf16: s.block = s.packed_rows = true; break;
    case opcode::pack_int8: s.bits = bits_use::right_shift; break;
    case opcode::unpack_f16:
    case opcode::unpack_int8: s.a = operand_use::table; break;
    case opcode::scatter_last:
    case opcode::revspec:
        s.b = operand_use::in_order;
        s.block = true;
        break;
    case opcode::compact:
        s.b = operand_use::in_order;
        s.table = true;
        break;
    case opcode::revert:
        s.b = operand_use::in_order;
        s.c = operand_use::table;
        s.table = true;
        break;
    case opcode::gather_idx:
    case opcode::gather_prev:
        s.a = operand_use::table;
        s.b = operand_use::in_order;
        s.table = true;
        break;
    case opcode::scatter_add:
        s.a = operand_use::table;
        s.b = operand_use::in_order;
        s.block = s.table = s.reads_result = true;
        break;
    case opcode::expand:
        s.b = operand_use::in_order;
        s.block = true;
        s.bits = bits_use::operand_bits;
        break;
    case opcode::flags:
        s.a = operand_use::table;
        s.table = true;
        break;
    default: break; // not, is_zero, relu, functions of one word, pack_f16: only a
    }
    return s;
}

vector_lengths lengths_of(opcode code, const vector_command& c)
{
    const vector_signature has = vector_signature_of(code);
    const std::uint64_t n = c.length;
    const std::uint64_t block = c.block;
    const std::uint64_t row = has.packed_rows ? block * c.table : 1;
    const std::uint64_t packed = ceiling(n, 2 * row) * row;
    vector_lengths l;
    l.result = n;
    l.a = c.zero_a() ? 0 : has.a == operand_use::table ? c.table : n;
    l.b = has.b == operand_use::none ? 0 : c.broadcast_b() ? 1 : n;
    switch (has.c) {
    case operand_use::one_word: l.c = 1; break;
    case operand_use::two_words: l.c = 2; break;
    case operand_use::table: l.c = c.table; break;
    default: break;
    }
    switch (code) {
    case opcode::gather_last:
    case opcode::or_block:
    case opcode::sum_block:
    case opcode::max_block: l.result = ceiling(n, block); break;
    case opcode::pack_bf16: l.result = packed; break;
    case opcode::unpack_bf16: l.a = packed; break;
    case opcode::pack_f16: l.result = ceiling(n, 2); break;
    case opcode::pack_int8: l.result = ceiling(n, 4); break;
    case opcode::unpack_f16: l.a = ceiling(n, 2); break;
    case opcode::unpack_int8: l.a = ceiling(n, 4); break;
    case opcode::scatter_last: l.b = n / block; break;
    case opcode::compact: l.result = c.table; break;
    case opcode::scatter_add:
        l.result = block * c.table;
        l.a = n * block;
        break;
    case opcode::expand: l.result = n * block; break;
    default: break;
    }
    return l;
}

strided_sizes sizes_of(const strided_signature& has, const strided_command& c)
{
    strided_sizes s;
    if (has.result) { s.result = c.size; }
    if (has.a) { s.a = has.valid ? c.valid : c.size; }
    if (has.b) { s.b = c.size; }
    return s;
}

} // namespace tensorloom::isa::vector
