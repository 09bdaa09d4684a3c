#pragma once
#include <tensorloom/models/arch/fetta/driver.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/fetta/device.h>
#include "models/device_bench.h"

namespace tensorloom::test {

struct fetta_kind {
    using device = fetta::device<512>;
    using config = fetta::config;
    using driver = arch::fetta::driver;
    using counts = arch::fetta::counts;
    static constexpr std::size_t event_count = arch::fetta::event_count;
};

/// A FETTA between protocol checkers.
using fetta_bench = device_bench<fetta_kind>;
using fetta_row = log_row<arch::fetta::counts>;
using fetta_outcome = bench_outcome<arch::fetta::counts>;

} // namespace tensorloom::test
