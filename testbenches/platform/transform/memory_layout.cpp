#include "platform/transform/memory_layout.h"
#include <limits>
#include <string>
#include <tensorloom/models/arch/values/input_error.h>

namespace tensorloom::testbench {

std::uint64_t place_workspace(std::uint64_t elements, arch::element_type format, memory_layout& memory)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (elements > most) {
        throw arch::input_error("the intermediate tensors have " + std::to_string(elements) +
                                " elements, expected at most " + std::to_string(most) +
                                ", which is what a workspace can have");
    }
    return elements == 0 ? 0 : memory.place(elements * arch::element_bytes(format));
}

} // namespace tensorloom::testbench
