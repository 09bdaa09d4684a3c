#pragma once
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/device_session.h>

namespace tensorloom::workloads {

/// The interface of a FETTA for contractions. Its unified memory keeps its contents between programs.
using fetta_session = device_session<fetta::device_limits, fetta::counts>;

} // namespace tensorloom::workloads
