#pragma once
#include <tensorloom/models/base/values/config_fields.h>

namespace tensorloom::blocks {

/// How a block that moves data every cycle is modelled. Results, counts and time are the same.
enum class fidelity {
    fast,    ///< what comes out and how long it takes
    detailed ///< every register, cycle by cycle
};

/// It in the table of a device's configuration.
inline base::config_field fidelity_field(fidelity& at)
{
    return base::choice(
        at, {{"fast", 0}, {"detailed", 1}},
        {"fidelity", "fidelity", "fast|detailed", "Same results, counts and times; detailed has a module per cell."});
}

} // namespace tensorloom::blocks
