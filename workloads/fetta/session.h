#pragma once
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/device_session.h>

namespace tensorloom::workloads {

/// A FETTA as contractions see it: its geometry is what programs must keep to. Its unified memory keeps what it holds
/// from program to program.
using fetta_session = device_session<fetta::device_limits, fetta::counts>;

} // namespace tensorloom::workloads
