#include <tensorloom/models/arch/vector/vector_command.h>
#include <tensorloom/models/arch/values/byte_layout.h>
#include <tensorloom/models/arch/program/shell_commands.h>

namespace tensorloom::arch::vector {
namespace {

void encode_operand(const vector_operand& o, std::uint8_t* to)
{
    store_le(to, o.address);
    store_le(to + 4, o.shift);
    encode_steps(o.step, to + 8);
}

vector_operand decode_operand(const std::uint8_t* from)
{
    return {load_le<std::uint32_t>(from), load_le<std::uint32_t>(from + 4), decode_steps(from + 8)};
}

} // namespace

vector_command vector_command::at(const loop_indices& iteration) const
{
    vector_command now = *this;
    for (auto* o : {&now.result, &now.a, &now.b, &now.c}) { advance(o->address, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> vector_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    encode_operand(result, to.data() + vector_fields::result.offset);
    encode_operand(a, to.data() + vector_fields::a.offset);
    encode_operand(b, to.data() + vector_fields::b.offset);
    encode_operand(c, to.data() + vector_fields::c.offset);
    store_le(to.data() + vector_fields::length.offset, length);
    store_le(to.data() + vector_fields::table.offset, table);
    store_le(to.data() + vector_fields::block.offset, block);
    store_le(to.data() + vector_fields::bits.offset, bits);
    return to;
}

vector_command vector_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    vector_command v;
    v.flags = flags;
    v.result = decode_operand(payload + vector_fields::result.offset);
    v.a = decode_operand(payload + vector_fields::a.offset);
    v.b = decode_operand(payload + vector_fields::b.offset);
    v.c = decode_operand(payload + vector_fields::c.offset);
    v.length = load_le<std::uint32_t>(payload + vector_fields::length.offset);
    v.table = load_le<std::uint32_t>(payload + vector_fields::table.offset);
    v.block = load_le<std::uint32_t>(payload + vector_fields::block.offset);
    v.bits = load_le<std::uint32_t>(payload + vector_fields::bits.offset);
    return v;
}

} // namespace tensorloom::arch::vector
