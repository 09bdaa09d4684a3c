#pragma once
#include <tensorloom/models/triada/device.h>
#include "platform/system/connected_device.h"
#include "platform/run/harness.h"

namespace tensorloom::testbench {

extern template connected_device<triada::device_body> make_device<triada::traits>(const char*, const triada::config&,
                                                                                  unsigned, bus::activity_sink*);

/// A platform of its own with a TriADA device and a memory, driven by the host itself.
using triada_harness = device_harness<triada::traits>;

} // namespace tensorloom::testbench
