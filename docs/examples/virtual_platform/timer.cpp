#include "timer.h"
#include "memory_map.h"

namespace tensorloom::virtual_platform {
namespace {

const sc_core::sc_time tick(1, sc_core::SC_NS);

std::uint64_t ticks(const sc_core::sc_time& time) { return time.value() / tick.value(); }

} // namespace

timer::timer(sc_core::sc_module_name name) : register_block(name), irq("irq")
{
    SC_HAS_PROCESS(timer);
    SC_METHOD(update);
    sensitive << m_update;
}

void timer::update()
{
    const std::uint64_t now = ticks(sc_core::sc_time_stamp());
    irq.write(now >= m_compare);
    if (now < m_compare && m_compare <= ticks(sc_core::sc_max_time())) {
        m_update.notify(static_cast<double>(m_compare) * tick - sc_core::sc_time_stamp());
    }
}

bool timer::read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time& at)
{
    const bool high = offset % 8 != 0;
    const std::uint64_t pair = offset < timer_compare_low ? ticks(at) : m_compare;
    value = static_cast<std::uint32_t>(high ? pair >> 32 : pair);
    return offset <= timer_compare_high;
}

bool timer::write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time&)
{
    if (offset == timer_compare_low) {
        m_compare = (m_compare & 0xffff'ffff'0000'0000) | value;
    } else if (offset == timer_compare_high) {
        m_compare = (m_compare & 0xffff'ffff) | (static_cast<std::uint64_t>(value) << 32);
    } else {
        return false;
    }
    m_update.cancel();
    m_update.notify(sc_core::SC_ZERO_TIME);
    return true;
}

} // namespace tensorloom::virtual_platform
