#pragma once
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/fetta/geometry.h>

namespace tensorloom::arch::fetta {

/// What a device counts for a CONTRACT, in closed form, but for what a linear operand's or result's rows and conflicts
/// depend on: its *_row_* count is that of a banked one, and conflict_cycle is 0. Takes constant time. The command
/// passes check() (limits.h).
counts contract_counts(const contract_command& command, const geometry& g);

} // namespace tensorloom::arch::fetta
