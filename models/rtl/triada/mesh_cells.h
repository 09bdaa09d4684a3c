#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::rtl {

/// A place in a mesh, or its sizes, by mode.
using mesh_place = std::array<std::uint32_t, 3>;

/// What all cells know of a time-step. Registers by number, values as bits in the low end.
struct mesh_step {
    unsigned x_mode = 0; ///< X lines run along this mode, Y lines along y_mode
    unsigned y_mode = 0;
    unsigned source = 0;
    unsigned target = 0;
    unsigned shift = 0;
    bool esop = false;
    std::uint64_t threshold = 0; ///< an element
    unsigned pointwise = 0;      ///< operation of mesh_cell.v; 0: none
    unsigned operand = 0;

    bool operator==(const mesh_step& o) const
    {
        return x_mode == o.x_mode && y_mode == o.y_mode && source == o.source && target == o.target &&
               shift == o.shift && esop == o.esop && threshold == o.threshold && pointwise == o.pointwise &&
               operand == o.operand;
    }
};

/// Events of a time-step, of all cells together.
struct mesh_events {
    std::uint64_t sent = 0;       ///< coefficients onto X lines
    std::uint64_t latched = 0;    ///< coefficients, by cells
    std::uint64_t driven = 0;     ///< operands onto Y lines
    std::uint64_t saturated = 0;  ///< elements
    std::uint64_t multiplied = 0; ///< multiply-adds
    std::uint64_t overflowed = 0; ///< of their sums
};

/// A cell's lines in the last time-step.
struct mesh_lines {
    bool x_valid = false;
    bool tag = false;
    std::uint64_t coefficient = 0;
    bool y_valid = false;
    std::uint64_t operand = 0;
};

/// TriADA's mesh in Verilog, by its pins: triada/mesh.v, verilated whole, for sizes of up to 4 x 4 x 4, and cells
/// (triada/mesh_cell.v), verilated one by one and wired here, for larger ones. A time-step takes three clocks: X lines,
/// Y lines, multiply-adds.
///
/// Example
///
///     auto cells = rtl::make_mesh_cells(base::element_type::f32, {2, 2, 2});
///     cells->activate({1, 1, 1});
///     cells->write({0, 0, 0}, 0, 0x3f80'0000);
class mesh_cells {
public:
    virtual ~mesh_cells() = default;

    /// Switches cells on in the corner of these sizes, and off elsewhere.
    virtual void activate(const mesh_place& box) = 0;

    // the memory port
    virtual void write(const mesh_place& at, unsigned reg, std::uint64_t sum) = 0;
    virtual std::uint64_t read(const mesh_place& at, unsigned reg) = 0;

    /// In the next time-step the face drives element `k` of its row: onto the X lines at index k of y_mode, of all
    /// slices of the active cells.
    virtual void drive(const mesh_step& step, std::uint32_t k, std::uint64_t coefficient, bool tag) = 0;
    virtual mesh_events execute(const mesh_step& step) = 0;

    /// What the lines of a cell carried in the last time-step.
    virtual mesh_lines lines(const mesh_place& at) = 0;
};

/// The cells of a format that has() says was built, each with 10 registers; sizes of 1 to 8.
std::unique_ptr<mesh_cells> make_mesh_cells(base::element_type format, const mesh_place& sizes);

} // namespace tensorloom::rtl
