#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/cell_memory.h>

namespace tensorloom::triada {

// The ports of an actuator, through which it is loaded, set and started.

/// The part of a coefficient matrix that is streamed.
struct matrix_window {
    std::uint32_t first_row = 0;
    std::uint32_t rows = 0;
    std::uint32_t first_column = 0;
    std::uint32_t columns = 0;
};

/// The successor that is no actuator: control goes back to the device.
inline constexpr unsigned to_device = 3;

/// The switches of an actuator, set for each pass.
struct actuator_switches {
    unsigned stage = 0;                          ///< 0, 1, 2
    matrix_window window;                        ///< the tag of row n is at n - first_row
    std::uint32_t first_step = 0;                ///< number of the first time-step within the stage
    std::uint32_t length = 0;                    ///< of the vectors: the active box along the actuator's mode
    cell_register source = cell_register::input; ///< as in vector_burst
    cell_register target = cell_register::first;
    unsigned shift = 0;
    unsigned x_mode = 0;    ///< face: the mode (0, 1, 2) along which its X lines run
    unsigned successor = 0; ///< mode of the actuator that gets control after the last vector, or to_device
    bool esop = true;
    double zero_threshold = 0;
};

/// The port through which an actuator is loaded.
class coefficient_memory_if : public sc_core::sc_interface {
public:
    /// Makes room for a matrix; forgets what was there.
    virtual void resize(std::uint32_t rows, std::uint32_t columns) = 0;
    /// Bytes `first`.. of the row-major matrix C[n,k], in the device's format.
    virtual void write(std::uint64_t first, const unsigned char* bytes, std::uint64_t count) = 0;
    /// Step t streams row order[t]; a permutation, or empty: 0, 1, 2, ... A window streams its own rows in the order in
    /// which they come in it.
    virtual void set_row_order(std::vector<std::uint32_t> order) = 0;
    virtual void set_switches(const actuator_switches& switches) = 0;
    /// Of the matrix that is loaded; 0 when there is none.
    virtual std::uint32_t rows() const = 0;
    virtual std::uint32_t columns() const = 0;
    virtual const std::vector<unsigned char>& matrix() const = 0; ///< its bytes
    virtual const std::vector<std::uint32_t>& row_order() const = 0;
};

/// The control that passes from actuator to actuator: whoever has it streams.
class control_if : public sc_core::sc_interface {
public:
    virtual void take_control() = 0;
};

} // namespace tensorloom::triada
