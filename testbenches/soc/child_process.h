#pragma once
#include <cstdint>
#include <functional>

namespace tensorloom::testbench {

/// What a function finds out in a process of its own, a copy of this one that ends with it: SystemC elaborates once per
/// process, and what runs there leaves nothing here. Before this process elaborates or starts threads. Throws
/// isa::device_failure when the other process cannot be made, or its function throws.
std::uint64_t number_from_child(const std::function<std::uint64_t()>& find);

} // namespace tensorloom::testbench
