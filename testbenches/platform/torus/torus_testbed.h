#pragma once
#include <tensorloom/models/torus/device.h>
#include "platform/system/testbed_device.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

extern template testbed_device<torus::device_base> make_device<torus::traits>(const char*, const torus::config&,
                                                                              unsigned, bus::activity_sink*);

/// A separate platform with an orbital torus and a memory, driven by the host directly.
using torus_testbed = device_testbed<torus::traits>;

} // namespace tensorloom::testbench
