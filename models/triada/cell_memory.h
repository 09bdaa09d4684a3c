#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

using shape3 = std::array<std::uint32_t, 3>;

/// A register of a cell that stores an element of a tensor, by its number, 0 to config::registers() - 1. Each stores a
/// sum in the accumulator's format (arithmetic/number_format.h). The names are the tensors of a product of three stages
/// that fits a mesh.
enum class cell_register : unsigned { input = 0, first = 1, second = 2, result = 3 };
inline constexpr unsigned most_cell_registers = 10;

/// The memory port of the tensor core: loads and unloads the cells.
///
/// A register stores a tensor in its corner 0 <= i < shape and +0 in all other cells. Bytes are transferred in C order
/// of a shape, starting at element `first`; elements have the device's format, sums the accumulator's.
/// Registers that the running pass does not use may be cleared, written and read while it computes.
class cell_memory_if : public sc_core::sc_interface {
public:
    /// Activates the cells of the box 0 <= i < box and idles all others; registers do not change. The box lies within
    /// the mesh. Call it between passes. A pass changes nothing outside its box, and its source is +0 there.
    virtual void activate(const shape3& box) = 0;

    /// Sets register `reg` of every cell to +0, then writes it as a tensor of this shape before a pass uses it. The
    /// shape lies within the mesh.
    virtual void clear(cell_register reg, const shape3& shape) = 0;
    /// Sets register `reg` to +0 outside of the corner of this shape: what the padding of a dense product leaves there
    /// is not part of the tensor.
    virtual void keep_corner(cell_register reg, const shape3& shape) = 0;
    virtual void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) = 0;
    virtual void write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums) = 0;

    /// Reads the corner of this shape, rounded to elements. `shift`: right shift of integers, as for an operand.
    /// Returns the number of saturated elements.
    virtual std::uint64_t read(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                               std::uint64_t elements, unsigned shift) const = 0;
    /// Reads the sums of the corner of this shape. `shift`: right shift of integers, to nearest even, without
    /// saturation.
    virtual void read_sums(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                           std::uint64_t sums, unsigned shift) const = 0;
};

} // namespace tensorloom::triada
