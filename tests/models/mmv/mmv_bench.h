#pragma once
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/events.h>
#include <tensorloom/models/mmv/device.h>
#include "models/device_bench.h"

namespace tensorloom::test {

struct mmv_kind {
    using device = mmv::device<512>;
    using config = mmv::config;
    using driver = arch::mmv::driver;
    using counts = arch::mmv::counts;
    static constexpr std::size_t event_count = arch::mmv::event_count;
};

/// An MMU/VCU pair between protocol checkers.
using mmv_bench = device_bench<mmv_kind>;
using mmv_row = log_row<arch::mmv::counts>;
using mmv_outcome = bench_outcome<arch::mmv::counts>;

} // namespace tensorloom::test
