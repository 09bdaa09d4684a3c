#pragma once
#include <cstdint>
#include <tensorloom/models/arch/fetta/contract_command.h>

namespace tensorloom::fetta {

/// How the data paths of the engines are set for a command.
enum class engine_dataflow : std::uint8_t {
    stationary_vertical,   ///< IB enters at the top and is held, psums move down
    stationary_horizontal, ///< IB enters at the left (a transposed load) and is held, psums move down
    output_stationary      ///< IB enters at the top and moves down step by step, psums stay until they drain
};

constexpr engine_dataflow dataflow_of(arch::fetta::mapping m)
{
    if (arch::fetta::is_output_stationary(m)) { return engine_dataflow::output_stationary; }
    return arch::fetta::is_horizontal(m) ? engine_dataflow::stationary_horizontal
                                         : engine_dataflow::stationary_vertical;
}

/// The control token of one cycle, the same for all engines: it enters the top row with the data and moves down one row
/// per cycle.
///
/// When (P = side; a tile of T or K' steps starts at cycle s, the next one at least max(steps, P) later; schedule.h):
///     step                    s to s + steps - 1
///     start                   s
///     load, stationary        s - P to s - 1: IB row r of the tile, at s - 1 - r
///     load_start, stationary  s - P
///     finish, OS              s + K': also the start of the next tile, if that follows at once
struct engine_control {
    bool step = false; ///< a row of IA enters; OS: and one of IB
    bool start =
        false; ///< of a tile, with its first step: the loaded IB becomes active (stationary), sums begin at +0 (OS)
    bool load = false;       ///< stationary: a row of IB enters
    bool load_start = false; ///< with the first row of a tile
    bool finish = false;     ///< OS: the sums of the tile that has ended move to the shadow registers and drain
};

/// What an engine's ports give it in one cycle. A row of IA or IB that is absent (nullptr) counts as zeros.
struct engine_operands {
    const float* ia = nullptr; ///< element i goes to row i
    const float* ib = nullptr; ///< element n goes to column n (vertical, OS), element i to row i (horizontal)
    /// Which results are to leave as valid rows: stationary, with `step`: bit 0, the row of this step; OS, with
    /// `finish`: bit m, row m.
    std::uint32_t valid = 0;
};

/// What leaves an engine at its bottom.
struct engine_result {
    const float* row = nullptr; ///< side psums; those of bfloat16 are kept as the floats that they are
    bool valid = false;
};

} // namespace tensorloom::fetta
