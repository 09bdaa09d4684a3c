#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// The tensor of Y[M,N] = X[M,K] W[K,N] that the PEs hold while the others stream through: the order of the loops. W is
/// the core if one operand is a product of cores only, else either operand.
enum class held_tensor : std::uint8_t {
    weight, ///< holds a tile of W; a row of X per cycle
    input,  ///< holds a tile of X; a column of W per cycle
    output, ///< holds a tile of Y; a column of X and a row of W per cycle
    nothing ///< operands and sums stream in every cycle: no local reuse
};

/// How a contraction can be mapped to the PEs.
enum class spatial_split : std::uint8_t {
    fixed,   ///< rows x columns of the held tile, padded
    any,     ///< a held tile of any shape with at most as many elements as PEs
    engines, ///< 16 engines of 4 x 4, which split batch, contracted and free indices by powers of two
    copies   ///< the same, but engines do not add sums, and data read by several engines is stored once per engine
};

/// Handling of a tensor whose lines in memory run along another index than the array needs.
enum class data_reordering : std::uint8_t {
    none,      ///< no reordering: a cycle for each line that is touched
    off_chip,  ///< written to DRAM and read back in the required order
    at_output, ///< results are written in any order; operands are read line by line
    on_chip,   ///< any layout at full throughput, as with FETTA's networks, buffers and layouts
    permuted   ///< by the vector unit, where FETTA's networks alone do not bring an operand
};

/// A machine for contractions, by the parameters that the evaluation (evaluation.h) distinguishes. All machines have
/// 256 multipliers of bfloat16, 512 KB of SRAM and 128 KB of accumulators, a vector unit of 64 lanes, the DRAM, 1 GHz.
/// Source: FETTA, section VI-B: "the number of MAC units is scaled to 256, ... the same total on-chip memory size".
///
/// Every accelerator has a file with its name in this folder, with the source of each choice: [P] the paper, with its
/// section; [D] derived from it; [A] an assumption of this project.
struct accelerator {
    std::string name;
    std::string meaning;
    std::vector<held_tensor> holds; ///< supported loop orders
    spatial_split split = spatial_split::fixed;
    unsigned rows = 16, columns = 16; ///< of the array, for a fixed split
    /// The next tile is loaded while the current one is processed.
    bool double_buffered = true;
    data_reordering reordering = data_reordering::none;
    unsigned line = 16; ///< adjacent elements of its memory per access

    /// Cycles from an operand's entry to its result, once per contraction (without double buffering: per tile).
    std::uint64_t pipeline = 46;
    unsigned elements_per_cycle = 64; ///< of each operand, of spatial_split::any
    /// Intermediates between contractions of a pass stay in registers: they are neither written to the SRAM nor read.
    bool look_ahead = false;

    bool trains = true;                ///< supports backward pass and weight gradients
    std::vector<layer_format> formats; ///< supported formats; none: all
    /// Its fixed contraction sequence for a layer's forward network; none: any.
    contraction_tree (*sequence)(const tensorized_layer& layer) = nullptr;

    /// Energy of an event relative to FETTA's: an element that reaches the PEs, a sum that is reduced.
    double distribution = 0, reduction = 0;

    bool takes(layer_format format) const;
};

/// All of them, FETTA first.
const std::vector<accelerator>& accelerators();
/// Throws base::input_error, with all names, for an unknown one.
const accelerator& find_accelerator(const std::string& name);

} // namespace tensorloom::workloads
