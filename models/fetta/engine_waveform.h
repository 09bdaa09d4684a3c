#pragma once
#include <cstdint>

namespace tensorloom::fetta {

/// What a waveform shows of a contraction engine, of the cycle that has just ended. Bit r of a mask: row r.
struct engine_waveform {
    std::uint32_t steps = 0;  ///< rows that did a multiply-add: where the tokens of steps were
    std::uint32_t starts = 0; ///< rows that began a tile
    std::uint32_t loads = 0;  ///< rows whose shadow IB shifted
    std::uint32_t drains = 0; ///< rows whose shadow psum took the psum, or that of the row above
    bool valid = false;       ///< a valid row of psums stands at the bottom
};

/// What a waveform shows of one PE: its registers after the cycle that has just ended, and the IA that it was given in
/// it.
struct pe_waveform {
    bool step = false;     ///< it did a multiply-add in that cycle
    float ia = 0;          ///< on the row's wire, when it did
    float ib_active = 0;   ///< held, and multiplied with
    float ib_shadow = 0;   ///< being loaded; OS: what was multiplied with and moves on
    float psum = 0;        ///< working
    float psum_shadow = 0; ///< draining
};

} // namespace tensorloom::fetta
