#pragma once
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// The clock of a device: its period, which may change while nothing is timed by it (between programs).
///
/// Example
///
///     bus::device_clock clock(sc_core::sc_time(1, sc_core::SC_NS));
///     blocks::vector_unit_config config;
///     config.clock_period = clock; // follows it from now on
///     clock.set_period(sc_core::sc_time(2, sc_core::SC_NS));
class device_clock {
public:
    explicit device_clock(const sc_core::sc_time& period) : m_period(period) {}
    device_clock(const device_clock&) = delete;
    device_clock& operator=(const device_clock&) = delete;

    const sc_core::sc_time& period() const { return m_period; }
    void set_period(const sc_core::sc_time& period) { m_period = period; } ///< above 0

private:
    sc_core::sc_time m_period;
};

/// What times a block: a constant period, or the clock of a device, which must outlive the block.
class clock_source {
public:
    clock_source(const sc_core::sc_time& period) : m_constant(period) {}
    clock_source(const device_clock& clock) : m_clock(&clock) {}

    const sc_core::sc_time& period() const { return m_clock != nullptr ? m_clock->period() : m_constant; }

private:
    sc_core::sc_time m_constant;
    const device_clock* m_clock = nullptr;
};

} // namespace tensorloom::bus
