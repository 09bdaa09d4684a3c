#pragma once
#include <cstdint>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/geometry.h>

namespace tensorloom::arch::fetta {

/// The three tensors of a CONTRACT, for what is done with each of them alike.
enum class operand_role : std::uint8_t { ia, ib, result };
inline constexpr operand_role operand_roles[] = {operand_role::ia, operand_role::ib, operand_role::result};

const char* role_name(operand_role role);
const contract_operand& operand_of(const contract_command& command, operand_role role);
element_type type_of(const contract_command& command, operand_role role, const geometry& g);
std::uint32_t shared_mask(const contract_command& command, operand_role role); ///< of the engines that share its rows
bool is_linear(const contract_command& command, operand_role role);
bool is_transposed(const contract_command& command, operand_role role); ///< the transpose layer of its network is on

} // namespace tensorloom::arch::fetta
