#include "console.h"
#include "memory_map.h"

namespace tensorloom::virtual_platform {

bool console::read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time&)
{
    value = 1;
    return offset == console_status;
}

bool console::write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time&)
{
    if (offset != console_data) { return false; }
    m_output.put(static_cast<char>(value));
    return true;
}

} // namespace tensorloom::virtual_platform
