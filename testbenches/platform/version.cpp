#include "platform/version.h"

namespace tensorloom::testbench {

std::string version() { return TENSORLOOM_VERSION; }

} // namespace tensorloom::testbench
