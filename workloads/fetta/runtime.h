#pragma once
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/geometry.h>
#include <tensorloom/workloads/runtime.h>

namespace tensorloom::workloads {

/// A FETTA as contractions see it: its geometry is what programs must keep to. Its unified memory keeps what it holds
/// from program to program.
using fetta_runtime = runtime<fetta::geometry, fetta::counts>;

} // namespace tensorloom::workloads
