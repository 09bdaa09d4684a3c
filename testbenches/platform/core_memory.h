#pragma once
#include <cstdint>
#include <tensorloom/models/arch/values/element_type.h>

namespace tensorloom::testbench {

/// Roughly what a tensor core takes on the host, in bytes. `cells`: of the whole mesh when detailed, a module for each;
/// else all registers that hold something at one time.
std::uint64_t core_bytes(std::uint64_t cells, arch::element_type format, bool detailed);

} // namespace tensorloom::testbench
