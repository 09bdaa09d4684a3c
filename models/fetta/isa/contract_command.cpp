#include <tensorloom/models/fetta/isa/contract_command.h>

namespace tensorloom::fetta {
namespace {

// In the order of contract_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    fields(c.mapping, c.batch, c.contracted, c.ia_free, c.ib_free, c.mask_batch, c.mask_contracted, c.mask_ia,
           c.mask_ib, c.accumulator_row, c.reserved);
    for (auto* o : {&c.ia, &c.ib, &c.result}) {
        fields(o->base, o->bank, o->stride, o->step, o->modes, o->reserved);
        for (auto& m : o->mode) { fields(m.size, m.stride); }
    }
};

} // namespace

bool contract_command::operator==(const contract_command& o) const
{
    const auto numbers = [](const contract_command& c) {
        return std::array<std::uint32_t, 11>{c.flags,   c.mapping, c.batch,          c.contracted,
                                             c.ia_free, c.ib_free, c.mask_batch,     c.mask_contracted,
                                             c.mask_ia, c.mask_ib, c.accumulator_row};
    };
    return numbers(*this) == numbers(o) && reserved == o.reserved && ia == o.ia && ib == o.ib && result == o.result;
}

contract_command contract_command::at(const isa::loop_indices& iteration) const
{
    contract_command now = *this;
    for (auto* o : {&now.ia, &now.ib, &now.result}) { isa::advance(o->base, o->step, iteration); }
    return now;
}

std::vector<std::uint8_t> contract_command::encode() const { return base::encoded(*this, each_member); }

contract_command contract_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    contract_command c = base::decoded<contract_command>(payload, each_member);
    c.flags = flags;
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

bool passes_buffer(const contract_command& c, operand_role role)
{
    return is_linear(c, role) && !(role == operand_role::result && c.has(contract_command::flag_keep));
}

base::element_type type_of(const contract_command& c, operand_role role, const device_limits& g)
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

} // namespace tensorloom::fetta
