#pragma once
#include <string>

namespace tensorloom::testbench {

/// The version of the project, as in CMakeLists.txt: "0.1.0".
std::string version();

} // namespace tensorloom::testbench
