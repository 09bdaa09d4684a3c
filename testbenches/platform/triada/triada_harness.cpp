#include "platform/triada/triada_harness.h"

namespace tensorloom::testbench {

template connected_device<triada::device_body> make_device<triada::traits>(const char*, const triada::config&, unsigned,
                                                                           bus::activity_sink*);

} // namespace tensorloom::testbench
