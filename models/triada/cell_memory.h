#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

using shape3 = std::array<std::uint32_t, 3>;

/// The element registers of a cell: the input, the two intermediate tensors, the result.
enum class cell_register : unsigned { input = 0, first = 1, second = 2, result = 3 };
inline constexpr unsigned cell_registers = 4;

/// The port through which the cells of the tensor core are loaded and unloaded.
class cell_memory_if : public sc_core::sc_interface {
public:
    /// The cells of the box 0 <= i < shape become active with all registers +0, all others idle. Shape within the mesh.
    virtual void activate(const shape3& shape) = 0;
    /// Elements `first`.. of the box in C order, in the device's format.
    virtual void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) = 0;
    virtual void read(cell_register reg, std::uint64_t first, unsigned char* bytes, std::uint64_t elements) const = 0;
};

} // namespace tensorloom::triada
