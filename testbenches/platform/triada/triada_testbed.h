#pragma once
#include <tensorloom/models/triada/device.h>
#include "platform/system/testbed_device.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

extern template testbed_device<triada::device_base> make_device<triada::traits>(const char*, const triada::config&,
                                                                                unsigned, bus::activity_sink*);

/// A separate platform with a TriADA device and a memory, driven by the host directly.
using triada_testbed = device_testbed<triada::traits>;

} // namespace tensorloom::testbench
