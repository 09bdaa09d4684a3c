#pragma once
#include <tensorloom/models/shell/debug_memory.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// "mesh_registers": a plane for each register (input, first, second, result), in it the sums of all cells (i, j, k) of
/// the mesh in C order, in the accumulator's format (complex: real part first):
///
///     address = (((register P1 + i) P2 + j) P3 + k) bytes of a sum
///
/// A register that was given up (tensor_core::keep_sources()) shows +0.
shell::debug_memory mesh_registers(tensor_core& core, const config& config);

/// "coefficients_1" to "_3": what the actuator of this mode (0, 1, 2) can hold; the matrix it holds is at the
/// beginning, row by row in the device's format. Bytes behind it are 0, and writes there have no effect.
shell::debug_memory coefficients(coefficient_memory_if& memory, unsigned mode, const config& config);

} // namespace tensorloom::triada
