#pragma once
#include <tensorloom/models/torus/device.h>
#include "platform/system/connected_device.h"
#include "platform/run/harness.h"

namespace tensorloom::testbench {

extern template connected_device<torus::device_body> make_device<torus::traits>(const char*, const torus::config&,
                                                                                unsigned, bus::activity_sink*);

/// A platform of its own with an orbital torus and a memory, driven by the host itself.
using torus_harness = device_harness<torus::traits>;

} // namespace tensorloom::testbench
