#include <tensorloom/models/arch/mmv/driver.h>
#include <string>
#include <tensorloom/models/arch/register_map.h>

namespace tensorloom::arch::mmv {

mmv_driver::mmv_driver(host_port& host, std::uint64_t base) : device_driver(host, base)
{
    probe(mmv_id);
    const auto type = static_cast<std::uint8_t>(read(reg::caps));
    if (!element_types(mmv_formats).contains(type)) {
        throw device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<element_type>(type);
    m_side = read(reg::caps_size_0);
    m_lanes = read(reg::caps_size_1);
    m_scratchpad_bytes = std::uint64_t{read(reg::caps_size_2)} * 1024;
}

} // namespace tensorloom::arch::mmv
