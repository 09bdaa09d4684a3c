#pragma once
#include <tensorloom/models/arch/triada/driver.h>
#include <tensorloom/models/arch/triada/events.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/workloads/runtime.h>
#include "platform/system/connected_device.h"
#include "platform/system/harness.h"

namespace tensorloom::testbench {

/// A TriADA device, to what is written once for every device (platform, runtime, harness).
struct triada_traits {
    using body = triada::device_body;
    using config = triada::config;
    using driver = arch::triada::driver;
    using runtime = workloads::runtime<triada::shape3, arch::triada::counts>;
    static constexpr const arch::device_description& description = arch::triada::description;

    /// The mesh, as the device itself says.
    static const triada::shape3& limits_of(const driver& found, const config&) { return found.mesh(); }
};

template <>
connected_device<triada::device_body> make_device<triada_traits>(const char* name, const triada::config& config,
                                                                 unsigned dma_bits, bus::activity_sink* activity);

/// A platform of its own with a TriADA device and an SRAM, driven by the host itself.
using triada_harness = device_harness<triada_traits>;

} // namespace tensorloom::testbench
