#include "interrupt_controller.h"

namespace tensorloom::virtual_platform {

interrupt_controller::interrupt_controller(sc_core::sc_module_name name)
    : register_block(name), source("source", source_end - 1), irq("irq")
{
    SC_HAS_PROCESS(interrupt_controller);
    SC_METHOD(update);
    sensitive << m_update;
    for (auto& line : source) { sensitive << line; }
}

std::uint32_t interrupt_controller::pending() const
{
    std::uint32_t high = 0;
    for (unsigned n = 1; n < source_end; ++n) {
        if (source[n - 1].read()) { high |= 1u << n; }
    }
    return high & ~m_claimed;
}

std::uint32_t interrupt_controller::claim()
{
    const std::uint32_t candidates = pending() & m_enabled;
    for (unsigned n = 1; n < source_end; ++n) {
        if ((candidates >> n & 1) != 0) {
            m_claimed |= 1u << n;
            m_update.notify(sc_core::SC_ZERO_TIME);
            return n;
        }
    }
    return 0;
}

bool interrupt_controller::read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time&)
{
    if (offset == interrupt_pending) {
        value = pending();
    } else if (offset == interrupt_enable) {
        value = m_enabled;
    } else if (offset == interrupt_claim) {
        value = claim();
    } else {
        return false;
    }
    return true;
}

bool interrupt_controller::write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time&)
{
    if (offset == interrupt_enable) {
        m_enabled = value;
    } else if (offset == interrupt_claim) {
        if (value < source_end) { m_claimed &= ~(1u << value); }
    } else {
        return false;
    }
    m_update.notify(sc_core::SC_ZERO_TIME);
    return true;
}

} // namespace tensorloom::virtual_platform
