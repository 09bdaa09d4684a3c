#pragma once
#include <cmath>
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// A time in whole picoseconds; what is finer is cut off.
inline std::uint64_t picoseconds(const sc_core::sc_time& time)
{
    const auto unit_fs = std::llround(sc_core::sc_get_time_resolution().to_seconds() * 1e15);
    const auto resolution = static_cast<std::uint64_t>(unit_fs);
    return resolution >= 1000 ? time.value() * (resolution / 1000) : time.value() / (1000 / resolution);
}

} // namespace tensorloom::bus
