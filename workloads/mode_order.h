#pragma once
#include <array>
#include <string>

namespace tensorloom::workloads {

/// The order in which the three stages sum over the modes: "312" is {3, 1, 2}, mode 3 first.
/// Throws arch::input_error for anything but a permutation of 123.
std::array<unsigned, 3> parse_mode_order(const std::string& digits);

} // namespace tensorloom::workloads
