#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <tensorloom/models/arithmetic/traced_element.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// What a waveform shows of one cell in one time-step, from the start of the step: its operands, and its registers with
/// the accumulator already updated.
struct cell_waveform {
    shape3 at{};                                                    ///< the cell's position in the mesh, from 0
    bool x_valid = false;                                           ///< its X line carries a coefficient in this step
    bool tag = false;                                               ///< ... with tag = 1
    arithmetic::traced_element coefficient;                         ///< 0 unless x_valid
    bool y_valid = false;                                           ///< its Y line carries an operand in this step
    arithmetic::traced_element operand;                             ///< 0 unless y_valid
    std::array<arithmetic::traced_element, cell_registers> element; ///< input, first, second, result
};

/// What a waveform shows of the core as a whole.
struct core_waveform {
    std::uint32_t stage = 0; ///< 1, 2, 3 while it computes (and after), 0 before
    std::uint32_t step = 0;  ///< step within the stage
    std::uint32_t tag = 0;   ///< position of the tag
};

} // namespace tensorloom::triada
