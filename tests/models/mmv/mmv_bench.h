#pragma once
#include "models/device_bench.h"
#include "platform/mmv/mmv_testbed.h"

namespace tensorloom::test {

/// An MMU/VCU pair between protocol checkers.
using mmv_bench = device_bench<mmv::traits>;
using mmv_row = log_row<mmv::counts>;
using mmv_outcome = bench_outcome<mmv::counts>;

} // namespace tensorloom::test
