#include "platform/core_memory.h"

namespace tensorloom::testbench {

std::uint64_t core_bytes(std::uint64_t cells, arch::element_type format, bool detailed)
{
    constexpr std::uint64_t cell_module_bytes = 880;
    const std::uint64_t element = arch::element_bytes(format);
    const std::uint64_t sum = arch::element_bytes(arch::accumulator_type(format));
    return cells * (detailed ? cell_module_bytes + element + 4 * sum : sum);
}

} // namespace tensorloom::testbench
