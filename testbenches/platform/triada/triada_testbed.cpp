#include "platform/triada/triada_testbed.h"

namespace tensorloom::testbench {

template testbed_device<triada::device_base> make_device<triada::traits>(const char*, const triada::config&, unsigned,
                                                                         bus::activity_sink*);

} // namespace tensorloom::testbench
