#pragma once
#include <optional>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::workloads {

/// An operand that lies where a linear one does, read (or written) as a banked one: a row of each bank per cycle,
/// brought to the engines by the network alone.
struct banked_form {
    fetta::contract_operand operand; ///< base: row
    bool transposed = false;         ///< the transpose layer of its network is on
};

/// The banked form of a linear operand or result of a command, if it has one: no gather or scatter buffer is needed
/// then. `transpose_layer`: it may be on; it is off where that does as well.
///
/// A linear tensor's rows of P elements go round the banks. It has a banked form when, in every cycle,
///     the P elements of each row are neighbours, and begin at a multiple of P
///     the rows of the engines' parts are as far apart as the bits of these engines, behind the transpose layer: the
///     lowest bit of a part of rows that are neighbours goes to bit 0 of the bank, and so on
///     all lie at the same row of their banks, which counters with strides number (contract_command.h)
/// Example: P = 4, 16 engines split 4 x 4 over both free indices of an output-stationary mapping, both operands with
/// that index fastest. Both want the lower two bits of the bank, and two operands cannot have the same bits of the
/// engines: one has them through the transpose layer.
///
/// The command passes check() (limits.h) with the linear operand; its base must be a row of bank 0.
std::optional<banked_form> banked_form_of(const fetta::contract_command& command, fetta::operand_role role,
                                          const fetta::device_limits& g, bool transpose_layer);

} // namespace tensorloom::workloads
