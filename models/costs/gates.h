#pragma once
#include <cstddef>
#include <string_view>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::costs {

/// Gates of one block of the Verilog in models/rtl, as synthesized: a row of models/rtl/gates.yaml, read in the build.
struct block_gates {
    const char* block;
    const char* format; ///< "any" if it has none
    unsigned nand2;     ///< transistors / 4
    unsigned flip_flops;
    unsigned levels; ///< gates on the longest path
    double toggles;  ///< of a multiply-add: NAND2 whose output changes per operation; 0: not counted
};

extern const block_gates synthesized_gates[];
extern const std::size_t synthesized_gates_count;

/// The row of a block and format; null if there is none.
const block_gates* find_gates(std::string_view block, std::string_view format);

/// Gates in NAND2 equivalents (four transistors), without wires and clock tree. `estimate`: not synthesized, but
/// derived from blocks that are.
struct gate_count {
    double nand2 = 0;
    bool estimate = false;
};

constexpr double flip_flop_nand2 = 4;        ///< 16 transistors
constexpr double held_flip_flop_nand2 = 7;   ///< with a multiplexer that keeps its value
constexpr double two_way_switch_nand2 = 2.5; ///< one bit of an inverting multiplexer

/// A multiply-add with a sum of the accumulator's format: block `mac`. Estimates: f16 lies between bf16 and f32 as the
/// squares of their mantissas do; int32 and int64 have the lower half of a multiplier whose gates go with the square of
/// the width; a complex one has four real ones.
gate_count multiply_add_gates(base::element_type format);

/// Gates on the longest path of a multiply-add; a complex one is two in a row. Estimates: f16 as bf16; int32 and int64
/// have those of int8 times the root of their width relative to it.
unsigned multiply_add_levels(base::element_type format);

/// Gates on the longest path of a cell, from the register of its pivot's sum over the multiply-add to a sum.
unsigned mesh_cell_levels(base::element_type format);

/// A cell of TriADA's mesh with this number of registers: block `mesh_cell`, which has four; others are estimates, and
/// so are formats without one: the rest of their cell is that of a format of the same width (complex: of both parts).
gate_count mesh_cell_gates(base::element_type format, unsigned registers);

/// An element of a systolic array: block `systolic_element`; formats without one as for a cell.
gate_count systolic_element_gates(base::element_type format);

/// TriADA's stage control with the zero flags of this number of rows in view: block `stage_control`, which has 24 rows;
/// for other numbers in proportion, an estimate.
gate_count stage_control_gates(double rows);

/// An aligner that rotates this number of elements to any of their places: log2 levels of two-way switches. An
/// estimate.
gate_count aligner_gates(unsigned elements, unsigned element_bits);

} // namespace tensorloom::costs
