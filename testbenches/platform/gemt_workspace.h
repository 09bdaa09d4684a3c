#pragma once
#include <cstdint>
#include <tensorloom/models/arch/values/element_type.h>
#include "platform/memory_layout.h"

namespace tensorloom::testbench {

/// Places the workspace of GEMT commands, arch::triada::gemt_workspace_elements() of them; returns its address, 0 when
/// none is needed. Throws arch::input_error: more elements than a tensor descriptor can have in a mode.
std::uint64_t place_workspace(std::uint64_t elements, arch::element_type format, memory_layout& memory);

} // namespace tensorloom::testbench
