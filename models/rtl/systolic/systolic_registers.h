#pragma once
#include <cstdint>
#include <memory>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::rtl {

/// The registers of a processing element after a clock edge; values are bits in the low end.
struct systolic_element_registers {
    bool valid = false;
    bool ends = false;        ///< a tile's end
    std::uint64_t right = 0;  ///< the left operand
    std::uint64_t below = 0;  ///< the sum
    std::uint64_t weight = 0; ///< in use
    std::uint64_t shadow = 0; ///< the other one
};

/// A systolic array in Verilog (systolic/systolic_array.v), by its pins: set the inputs of a cycle, then tick(). Inputs
/// last for one cycle.
///
/// Sides: 4, one verilated module; 8 and 16, verilated elements that are wired here. Elements have two weight
/// registers.
///
/// Example
///
///     auto array = rtl::make_systolic_registers(base::element_type::f32, 4);
///     array->load(0, 3, 0x3f80'0000); // column 0, row 3 of a tile's weights: 1
///     array->tick();
class systolic_registers {
public:
    virtual ~systolic_registers() = default;

    /// At the left of a row arrive an operand, the end of a tile, or both.
    virtual void operand(unsigned row, std::uint64_t element) = 0;
    virtual void end_of_tile(unsigned row) = 0;
    /// A weight at the top of a column: row `tile_row` of those of the next tile.
    virtual void load(unsigned column, unsigned tile_row, std::uint64_t element) = 0;
    /// As load(), but into the registers in use: every column shifts as a whole.
    virtual void load_directly(unsigned column, std::uint64_t element) = 0;
    /// What is in flight is dropped in this cycle.
    virtual void clear() = 0;

    /// A clock edge. Returns the number of multiply-adds whose sum left its range.
    virtual unsigned tick() = 0;

    virtual systolic_element_registers element(unsigned row, unsigned column) const = 0;
    virtual bool ends(unsigned row, unsigned column) const = 0; ///< of an element's registers
    /// The bottom row's: whether column `column` has a new sum, and the sum.
    virtual bool result_is_valid(unsigned column) const = 0;
    virtual std::uint64_t result(unsigned column) const = 0;
};

/// The array of a format that has() says was built, with a side of 4, 8 or 16.
std::unique_ptr<systolic_registers> make_systolic_registers(base::element_type format, unsigned side);

} // namespace tensorloom::rtl
