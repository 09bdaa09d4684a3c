#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/program/shell_commands.h>
#include <tensorloom/models/arch/values/byte_layout.h>

namespace tensorloom::arch::fetta {
namespace {

// The fields of the three operands follow each other alike: where they are, from the first byte of an operand.
namespace in_operand {

constexpr std::uint32_t base = 0, bank = 4;
constexpr std::uint32_t stride = contract_fields::ia_stride.offset - contract_fields::ia_place.offset;
constexpr std::uint32_t step = contract_fields::ia_step.offset - contract_fields::ia_place.offset;
constexpr std::uint32_t modes = contract_fields::ia_modes.offset - contract_fields::ia_place.offset;
constexpr std::uint32_t mode = contract_fields::ia_mode.offset - contract_fields::ia_place.offset;

} // namespace in_operand

void encode_operand(const contract_operand& o, std::uint8_t* to)
{
    store_le(to + in_operand::base, o.base);
    store_le(to + in_operand::bank, o.bank);
    for (unsigned c = 0; c < o.stride.size(); ++c) { store_le(to + in_operand::stride + 4 * c, o.stride[c]); }
    encode_steps(o.step, to + in_operand::step);
    for (unsigned i = 0; i < o.modes.size(); ++i) { store_le(to + in_operand::modes + 4 * i, o.modes[i]); }
    store_le(to + in_operand::modes + 4 * o.modes.size(), o.reserved);
    for (unsigned m = 0; m < max_operand_modes; ++m) {
        store_le(to + in_operand::mode + 8 * m, o.mode[m].size);
        store_le(to + in_operand::mode + 8 * m + 4, o.mode[m].stride);
    }
}

contract_operand decode_operand(const std::uint8_t* from)
{
    contract_operand o;
    o.base = load_le<std::uint32_t>(from + in_operand::base);
    o.bank = load_le<std::uint32_t>(from + in_operand::bank);
    for (unsigned c = 0; c < o.stride.size(); ++c) {
        o.stride[c] = load_le<std::int32_t>(from + in_operand::stride + 4 * c);
    }
    o.step = decode_steps(from + in_operand::step);
    for (unsigned i = 0; i < o.modes.size(); ++i) {
        o.modes[i] = load_le<std::uint32_t>(from + in_operand::modes + 4 * i);
    }
    o.reserved = load_le<std::uint32_t>(from + in_operand::modes + 4 * o.modes.size());
    for (unsigned m = 0; m < max_operand_modes; ++m) {
        o.mode[m].size = load_le<std::uint32_t>(from + in_operand::mode + 8 * m);
        o.mode[m].stride = load_le<std::int32_t>(from + in_operand::mode + 8 * m + 4);
    }
    return o;
}

// A number of the command with the field it is in; the same list serves both directions.
struct placed {
    std::uint32_t contract_command::*number;
    std::uint32_t offset;
};
constexpr placed numbers[] = {
    {&contract_command::mapping, contract_fields::mapping.offset},
    {&contract_command::batch, contract_fields::batch.offset},
    {&contract_command::contracted, contract_fields::contracted.offset},
    {&contract_command::ia_free, contract_fields::ia_free.offset},
    {&contract_command::ib_free, contract_fields::ib_free.offset},
    {&contract_command::mask_batch, contract_fields::masks.offset},
    {&contract_command::mask_contracted, contract_fields::masks.offset + 4},
    {&contract_command::mask_ia, contract_fields::masks.offset + 8},
    {&contract_command::mask_ib, contract_fields::masks.offset + 12},
    {&contract_command::accumulator_row, contract_fields::accumulator_row.offset},
};

} // namespace

contract_command contract_command::at(const loop_indices& iteration) const
{
    contract_command now = *this;
    for (auto* o : {&now.ia, &now.ib, &now.result}) { advance(o->base, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> contract_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    for (const placed& n : numbers) { store_le(to.data() + n.offset, this->*n.number); }
    store_le(to.data() + contract_fields::reserved.offset, reserved);
    encode_operand(ia, to.data() + contract_fields::ia_place.offset);
    encode_operand(ib, to.data() + contract_fields::ib_place.offset);
    encode_operand(result, to.data() + contract_fields::result_place.offset);
    return to;
}

contract_command contract_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    contract_command c;
    c.flags = flags;
    for (const placed& n : numbers) { c.*n.number = load_le<std::uint32_t>(payload + n.offset); }
    c.reserved = load_le<std::uint64_t>(payload + contract_fields::reserved.offset);
    c.ia = decode_operand(payload + contract_fields::ia_place.offset);
    c.ib = decode_operand(payload + contract_fields::ib_place.offset);
    c.result = decode_operand(payload + contract_fields::result_place.offset);
    return c;
}

const char* role_name(operand_role role)
{
    switch (role) {
    case operand_role::ia: return "ia";
    case operand_role::ib: return "ib";
    default: return "result";
    }
}

const contract_operand& operand_of(const contract_command& c, operand_role role)
{
    switch (role) {
    case operand_role::ia: return c.ia;
    case operand_role::ib: return c.ib;
    default: return c.result;
    }
}

bool is_linear(const contract_command& c, operand_role role)
{
    switch (role) {
    case operand_role::ia: return c.has(contract_command::flag_linear_ia);
    case operand_role::ib: return c.has(contract_command::flag_linear_ib);
    default: return c.has(contract_command::flag_linear_result);
    }
}

element_type type_of(const contract_command& c, operand_role role, const geometry& g)
{
    return role == operand_role::result ? c.result_type() : g.operand;
}

std::uint32_t shared_mask(const contract_command& c, operand_role role)
{
    switch (role) {
    case operand_role::ia: return c.mask_ib;
    case operand_role::ib: return c.mask_ia;
    default: return c.mask_contracted;
    }
}

bool is_transposed(const contract_command& c, operand_role role)
{
    switch (role) {
    case operand_role::ia: return c.has(contract_command::flag_transpose_ia);
    case operand_role::ib: return c.has(contract_command::flag_transpose_ib);
    default: return c.has(contract_command::flag_transpose_result);
    }
}

} // namespace tensorloom::arch::fetta
