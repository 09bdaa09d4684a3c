#include "platform/torus/torus_harness.h"

namespace tensorloom::testbench {

template connected_device<torus::device_body> make_device<torus::traits>(const char*, const torus::config&, unsigned,
                                                                         bus::activity_sink*);

} // namespace tensorloom::testbench
