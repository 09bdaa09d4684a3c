#pragma once
#include "models/device_bench.h"
#include "platform/system/mmv_harness.h"

namespace tensorloom::test {

/// An MMU/VCU pair between protocol checkers.
using mmv_bench = device_bench<mmv::traits>;
using mmv_row = log_row<arch::mmv::counts>;
using mmv_outcome = bench_outcome<arch::mmv::counts>;

} // namespace tensorloom::test
