#pragma once
#include <cstdint>
#include <tensorloom/models/arithmetic/traced_element.h>

namespace tensorloom::blocks {

enum class array_phase : unsigned { idle = 0, load = 1, stream = 2 };

/// What a waveform shows of a systolic array: in a cycle, what it does in it.
struct array_waveform {
    unsigned phase = static_cast<unsigned>(array_phase::idle);
    std::uint64_t row = 0; ///< rows of weights, or of the stream, that had entered when the cycle began
};

/// What a waveform shows of one processing element: its registers.
struct element_waveform {
    bool valid = false;                ///< data arrived in the cycle that has just ended
    arithmetic::traced_element a_out;  ///< the last left operand that arrived
    arithmetic::traced_element c_out;  ///< the last sum that left
    arithmetic::traced_element weight; ///< 0 before the first load
};

} // namespace tensorloom::blocks
