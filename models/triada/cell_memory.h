#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

using shape3 = std::array<std::uint32_t, 3>;

/// The registers of a cell that hold tensors: the input, the two intermediate tensors, the result. Each holds a sum, in
/// the accumulator's format (arithmetic/number_format.h).
enum class cell_register : unsigned { input = 0, first = 1, second = 2, result = 3 };
inline constexpr unsigned cell_registers = 4;

/// The port through which the cells of the tensor core are loaded and unloaded.
///
/// A register holds a tensor in its corner 0 <= i < shape, and +0 in all other cells. Bytes come and go in C order of a
/// shape, from element `first` of it; elements in the device's format, sums in the accumulator's.
/// Registers that the running pass does not use may be cleared, written and read while it computes.
class cell_memory_if : public sc_core::sc_interface {
public:
    /// The cells of the box 0 <= i < box become active, all others idle; no register changes. Box within the mesh;
    /// between passes. A pass changes nothing outside of its box, and its source holds nothing there.
    virtual void activate(const shape3& box) = 0;

    /// Register `reg` of every cell becomes +0, and is written as a tensor of this shape, before a pass uses it. Shape
    /// within the mesh.
    virtual void clear(cell_register reg, const shape3& shape) = 0;
    virtual void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) = 0;
    virtual void write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums) = 0;

    /// The corner of this shape, rounded to elements. `shift`: of integers, as for an operand. Returns how many
    /// saturated.
    virtual std::uint64_t read(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                               std::uint64_t elements, unsigned shift) const = 0;
    /// The corner of this shape as it is. `shift`: of integers; to nearest even, nothing saturates.
    virtual void read_sums(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                           std::uint64_t sums, unsigned shift) const = 0;
};

} // namespace tensorloom::triada
