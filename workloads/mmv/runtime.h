#pragma once
#include <tensorloom/models/arch/mmv/events.h>
#include <tensorloom/models/arch/mmv/limits.h>
#include <tensorloom/workloads/runtime.h>

namespace tensorloom::workloads {

/// An MMU/VCU pair as algorithms see it. Its scratchpad keeps what it holds from program to program.
using mmv_runtime = runtime<arch::mmv::limits, arch::mmv::counts>;

} // namespace tensorloom::workloads
