#pragma once
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/workloads/runtime.h>

namespace tensorloom::workloads {

/// A FETTA as contractions see it: its geometry is what programs must keep to. Its unified memory keeps what it holds
/// from program to program.
using fetta_runtime = runtime<arch::fetta::geometry, arch::fetta::counts>;

} // namespace tensorloom::workloads
