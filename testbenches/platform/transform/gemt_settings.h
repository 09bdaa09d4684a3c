#pragma once

namespace tensorloom::testbench {

/// How a device is to run its GEMT commands.
struct gemt_settings {
    bool esop = true;           ///< skip zeros; false: dense
    double zero_threshold = 0;  ///< ESOP: a stored operand of at most this modulus counts as zero
    bool double_buffer = false; ///< of tiles: load the next operand block and unload the last result while computing
};

} // namespace tensorloom::testbench
