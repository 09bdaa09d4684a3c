#include <tensorloom/models/arch/vector/strided_command.h>
#include <tensorloom/models/arch/values/byte_layout.h>
#include <tensorloom/models/arch/program/shell_commands.h>

namespace tensorloom::arch::vector {
namespace {

void encode_operand(const strided_operand& o, std::uint8_t* to)
{
    store_le(to, o.address);
    for (unsigned m = 0; m < 3; ++m) { store_le(to + 4 + 4 * m, o.stride[m]); }
    encode_steps(o.step, to + 16);
}

strided_operand decode_operand(const std::uint8_t* from)
{
    strided_operand o;
    o.address = load_le<std::uint32_t>(from);
    for (unsigned m = 0; m < 3; ++m) { o.stride[m] = load_le<std::int32_t>(from + 4 + 4 * m); }
    o.step = decode_steps(from + 16);
    return o;
}

} // namespace

strided_command strided_command::at(const loop_indices& iteration) const
{
    strided_command now = *this;
    for (auto* o : {&now.result, &now.a, &now.b}) { advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> strided_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    encode_operand(result, to.data() + strided_fields::result.offset);
    encode_operand(a, to.data() + strided_fields::a.offset);
    encode_operand(b, to.data() + strided_fields::b.offset);
    for (unsigned m = 0; m < 3; ++m) {
        store_le(to.data() + strided_fields::size.offset + 4 * m, size[m]);
        store_le(to.data() + strided_fields::valid.offset + 4 * m, valid[m]);
    }
    store_le(to.data() + strided_fields::cpu_ops.offset, cpu_ops);
    for (unsigned w = 0; w < 2; ++w) { store_le(to.data() + strided_fields::immediate.offset + 8 * w, immediate[w]); }
    store_le(to.data() + strided_fields::reserved.offset, reserved);
    return to;
}

strided_command strided_command::decode(const std::uint8_t* payload)
{
    strided_command c;
    c.result = decode_operand(payload + strided_fields::result.offset);
    c.a = decode_operand(payload + strided_fields::a.offset);
    c.b = decode_operand(payload + strided_fields::b.offset);
    for (unsigned m = 0; m < 3; ++m) {
        c.size[m] = load_le<std::uint32_t>(payload + strided_fields::size.offset + 4 * m);
        c.valid[m] = load_le<std::uint32_t>(payload + strided_fields::valid.offset + 4 * m);
    }
    c.cpu_ops = load_le<std::uint64_t>(payload + strided_fields::cpu_ops.offset);
    for (unsigned w = 0; w < 2; ++w) {
        c.immediate[w] = load_le<std::uint64_t>(payload + strided_fields::immediate.offset + 8 * w);
    }
    c.reserved = load_le<std::uint64_t>(payload + strided_fields::reserved.offset);
    return c;
}

} // namespace tensorloom::arch::vector
