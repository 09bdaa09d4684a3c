#pragma once
#include <tensorloom/models/base/values/config_fields.h>

namespace tensorloom::blocks {

/// Model of a block that moves data every cycle. Results, counts and time are the same.
enum class fidelity {
    fast,     ///< results and time only
    detailed, ///< every register, cycle by cycle
    rtl       ///< as detailed, the registers in Verilog (models/rtl), for some formats and sizes
};

/// Whether every register is there, cycle by cycle.
inline bool is_stepped(fidelity model) { return model != fidelity::fast; }

/// The fidelity in the parameter table of a device.
inline base::config_field fidelity_field(fidelity& at)
{
    return base::choice(at, {{"fast", 0}, {"detailed", 1}, {"rtl", 2}},
                        {"fidelity", "fidelity", "fast|detailed|rtl",
                         "Same results, counts and times; detailed has a module per cell, rtl is Verilog."});
}

} // namespace tensorloom::blocks
