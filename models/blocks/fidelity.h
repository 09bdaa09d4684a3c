#pragma once

namespace tensorloom::blocks {

/// How a block that moves data every cycle is modelled. Results, counts and time are the same.
enum class fidelity {
    fast,    ///< what comes out and how long it takes
    detailed ///< every register, cycle by cycle
};

} // namespace tensorloom::blocks
