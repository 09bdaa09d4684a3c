#include <tensorloom/models/arch/fetta/operand_role.h>

namespace tensorloom::arch::fetta {

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
