#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// Which tensor of Y[M,N] = X[M,K] W[K,N] the PEs hold while the others pass: the order of the loops. W is the core
/// where one operand is made of cores alone, else either.
enum class held_tensor : std::uint8_t {
    weight, ///< a tile of W, a row of X per cycle
    input,  ///< a tile of X, a column of W per cycle
    output, ///< a tile of Y, a column of X and a row of W per cycle
    nothing ///< operands and sums pass in every cycle: no local reuse
};

/// How a contraction may be spread over the PEs.
enum class spatial_split : std::uint8_t {
    fixed,   ///< rows x columns of the held tile, padded
    any,     ///< a held tile of any sizes whose product is at most the number of PEs
    engines, ///< 16 engines of 4 x 4, which split batch, contracted and free indices by powers of two
    copies   ///< the same, but sums are not added between engines, and what several of them read is stored as often
};

/// What becomes of a tensor whose lines in memory run along another index than the array wants.
enum class data_reordering : std::uint8_t {
    none,      ///< it is read or written line by line all the same: a cycle for each line that is touched
    off_chip,  ///< it is written to DRAM and read again in the order that is wanted
    at_output, ///< results are written in any order; operands are read line by line
    on_chip    ///< any layout can be read and written in time, as FETTA's networks and layouts make it
};

/// A machine that does contractions, as far as the evaluation (evaluation.h) tells them apart. Common to all: 256
/// multipliers of bfloat16, 512 KB of SRAM and 128 KB of accumulators, a vector unit of 64 lanes, the DRAM, 1 GHz.
/// Source: FETTA, section VI-B: "the number of MAC units is scaled to 256, ... the same total on-chip memory size".
///
/// Every accelerator has a file of its name beside this one, where each choice stands with its source: [P] the paper,
/// with its section; [D] derived from it; [A] ours.
struct accelerator {
    std::string name;
    std::string meaning;
    std::vector<held_tensor> holds; ///< orders of the loops that it has
    spatial_split split = spatial_split::fixed;
    unsigned rows = 16, columns = 16; ///< of the array, where the split is fixed
    /// The next tile is loaded while one is worked on.
    bool double_buffered = true;
    data_reordering reordering = data_reordering::none;
    unsigned line = 16; ///< elements side by side in its memory that one access gives

    /// Cycles from an operand's entry to its result, once per contraction (without double buffering: per tile).
    std::uint64_t pipeline = 46;
    unsigned elements_per_cycle = 64; ///< of each operand, of spatial_split::any
    /// Results between contractions of a pass stay in registers: they are neither written to the SRAM nor read.
    bool look_ahead = false;

    bool trains = true;                ///< backward pass and weight gradients
    std::vector<layer_format> formats; ///< that it takes; none: all
    /// The order in which it contracts a layer's forward network; none: any.
    contraction_tree (*sequence)(const tensorized_layer& layer) = nullptr;

    /// Energy of an event by that of a FETTA's: an element that reaches the PEs, a sum that is reduced.
    double distribution = 0, reduction = 0;

    bool takes(layer_format format) const;
};

/// All of them, FETTA first.
const std::vector<accelerator>& accelerators();
/// Throws base::input_error, with all names, for an unknown one.
const accelerator& find_accelerator(const std::string& name);

} // namespace tensorloom::workloads
