#include "platform/torus/torus_testbed.h"

namespace tensorloom::testbench {

template testbed_device<torus::device_base> make_device<torus::traits>(const char*, const torus::config&, unsigned,
                                                                       bus::activity_sink*);

} // namespace tensorloom::testbench
