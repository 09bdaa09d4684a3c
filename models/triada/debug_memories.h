#pragma once
#include <tensorloom/models/shell/debug_memory.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// "mesh_registers": one plane per register of the cells with the sums of all cells (i, j, k) of the
/// mesh in C order, in the accumulator's format (complex: real part first):
///
///     address = (((register P1 + i) P2 + j) P3 + k) bytes of a sum
///
/// A discarded register (tensor_core::keep_sources()) reads as +0.
shell::debug_memory mesh_registers(tensor_core& core, const config& config);

/// "coefficients_1" to "_3": the capacity of the actuator of this mode (0, 1, 2). Its matrix is stored at the
/// beginning, row by row in the device's format; bytes after it read as 0, and writes there have no effect.
shell::debug_memory coefficients(coefficient_memory_if& memory, unsigned mode, const config& config);

} // namespace tensorloom::triada
