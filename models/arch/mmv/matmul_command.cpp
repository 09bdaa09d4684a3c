#include <tensorloom/models/arch/mmv/matmul_command.h>
#include <tensorloom/models/arch/values/byte_layout.h>
#include <tensorloom/models/arch/program/shell_commands.h>

namespace tensorloom::arch::mmv {
namespace {

void encode_operand(const matrix_operand& o, std::uint8_t* to)
{
    store_le(to, o.address);
    store_le(to + 4, o.row_stride);
    encode_steps(o.step, to + 8);
}

matrix_operand decode_operand(const std::uint8_t* from)
{
    return {load_le<std::uint32_t>(from), load_le<std::int32_t>(from + 4), decode_steps(from + 8)};
}

} // namespace

matmul_command matmul_command::at(const loop_indices& iteration) const
{
    matmul_command now = *this;
    for (auto* o : {&now.result, &now.left, &now.weights}) { advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> matmul_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    encode_operand(result, to.data() + matmul_fields::result.offset);
    encode_operand(left, to.data() + matmul_fields::left.offset);
    encode_operand(weights, to.data() + matmul_fields::weights.offset);
    store_le(to.data() + matmul_fields::words.offset, words);
    store_le(to.data() + matmul_fields::left_columns.offset, left_columns);
    store_le(to.data() + matmul_fields::result_columns.offset, result_columns);
    store_le(to.data() + matmul_fields::reserved.offset, reserved);
    return to;
}

matmul_command matmul_command::decode(const std::uint8_t* payload)
{
    matmul_command c;
    c.result = decode_operand(payload + matmul_fields::result.offset);
    c.left = decode_operand(payload + matmul_fields::left.offset);
    c.weights = decode_operand(payload + matmul_fields::weights.offset);
    c.words = load_le<std::uint32_t>(payload + matmul_fields::words.offset);
    c.left_columns = load_le<std::uint32_t>(payload + matmul_fields::left_columns.offset);
    c.result_columns = load_le<std::uint32_t>(payload + matmul_fields::result_columns.offset);
    c.reserved = load_le<std::uint32_t>(payload + matmul_fields::reserved.offset);
    return c;
}

} // namespace tensorloom::arch::mmv
