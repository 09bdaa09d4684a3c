#pragma once
#include <functional>

namespace tensorloom::testbench {

/// Runs a function in a child process, a copy of this one that ends afterwards, and returns its result. SystemC
/// elaborates once per process; the child leaves nothing in this one. Call it before elaboration and before starting
/// threads. Throws std::runtime_error if the child cannot be created or its function throws.
double number_from_child(const std::function<double()>& find);

} // namespace tensorloom::testbench
