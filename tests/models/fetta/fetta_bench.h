#pragma once
#include "models/device_bench.h"
#include "platform/fetta/fetta_testbed.h"

namespace tensorloom::test {

/// A FETTA between protocol checkers.
using fetta_bench = device_bench<fetta::traits>;
using fetta_row = log_row<fetta::counts>;
using fetta_outcome = bench_outcome<fetta::counts>;

} // namespace tensorloom::test
