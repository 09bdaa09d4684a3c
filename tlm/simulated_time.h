#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

// Helpers for simulated time.

/// A time in whole picoseconds, rounded down.
inline std::uint64_t picoseconds(const sc_core::sc_time& time)
{
    const auto unit_fs = std::llround(sc_core::sc_get_time_resolution().to_seconds() * 1e15);
    const auto resolution = static_cast<std::uint64_t>(unit_fs);
    return resolution >= 1000 ? time.value() * (resolution / 1000) : time.value() / (1000 / resolution);
}

/// A time in whole picoseconds as a field of a configuration table.
inline base::field_place place_of(sc_core::sc_time& time)
{
    return {[&time] { return picoseconds(time); },
            [&time](std::uint64_t ps) { time = sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS); }};
}

/// A range of times in picoseconds as of place_of(): whole steps of the time resolution.
inline base::number_range picosecond_range(std::uint64_t least, std::uint64_t most)
{
    const auto step = std::max<std::uint64_t>(1, picoseconds(sc_core::sc_get_time_resolution()));
    return {(least + step - 1) / step * step, most, step};
}

/// The error of a clock_period of 0; one below the time resolution is 0.
inline std::optional<std::string> validate_clock(const sc_core::sc_time& clock_period)
{
    if (clock_period > sc_core::SC_ZERO_TIME) { return std::nullopt; }
    return "clock_period is 0, or finer than the time resolution of " + sc_core::sc_get_time_resolution().to_string();
}

/// The absolute time of an annotated delay.
inline sc_core::sc_time annotated(const sc_core::sc_time& delay) { return sc_core::sc_time_stamp() + delay; }

/// Whether the caller may wait(): it is a thread process, not a method process or code outside of processes.
inline bool in_thread()
{
    const auto kind = sc_core::sc_get_current_process_handle().proc_kind();
    return kind == sc_core::SC_THREAD_PROC_ || kind == sc_core::SC_CTHREAD_PROC_;
}

/// Waits in the calling thread until this time, which may have passed.
inline void wait_until(const sc_core::sc_time& time)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (time > now) { sc_core::wait(time - now); }
}

/// Waits for an annotated delay and clears it. The caller is a thread.
inline void wait_out(sc_core::sc_time& delay)
{
    if (delay == sc_core::SC_ZERO_TIME) { return; }
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
}

} // namespace tensorloom::bus
