#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/arithmetic/pointwise.h>
#include <tensorloom/models/triada/cell_memory.h>

namespace tensorloom::triada {

// Interfaces of an actuator: loading, settings, control.

/// The part of a coefficient matrix that is streamed.
struct matrix_window {
    std::uint32_t first_row = 0;
    std::uint32_t rows = 0;
    std::uint32_t first_column = 0;
    std::uint32_t columns = 0;
};

/// Successor value: control returns to the device.
inline constexpr unsigned to_device = 3;

/// Settings of an actuator for one pass.
struct actuator_switches {
    unsigned stage = 0;                          ///< 0, 1, 2
    matrix_window window;                        ///< the tag of row n is at column n - first_row
    std::uint32_t first_step = 0;                ///< number of the first time-step in the stage
    std::uint32_t length = 0;                    ///< of each vector: the active box along the actuator's mode
    cell_register source = cell_register::input; ///< as in vector_burst
    cell_register target = cell_register::first;
    unsigned shift = 0;
    unsigned x_mode = 0;     ///< face: the mode (0, 1, 2) along which its X lines run
    unsigned successor = 0;  ///< mode of the actuator that takes control after the last vector, or to_device
    bool ends_stream = true; ///< no row follows the last one of the window, of this stage or a later one
    bool esop = true;
    double zero_threshold = 0;

    /// Instead of a window of the matrix: one vector of this value, an element of the device's format, for a pointwise
    /// step of the core on `source`; without a value the vector only begins the step.
    std::optional<arithmetic::pointwise_operation> pointwise;
    std::vector<unsigned char> value;
    std::optional<cell_register> operand;
};

/// One stage of a stream: the actuator that streams it, by its mode, and its switches.
struct stream_link {
    unsigned mode;
    actuator_switches switches;
};

/// The port through which an actuator is loaded.
class coefficient_memory_if : public sc_core::sc_interface {
public:
    /// Allocates a matrix and discards the previous one.
    virtual void resize(std::uint32_t rows, std::uint32_t columns) = 0;
    /// Writes `count` bytes at byte `first` of the row-major matrix C[n,k], in the device's format.
    virtual void write(std::uint64_t first, const unsigned char* bytes, std::uint64_t count) = 0;
    /// Step t streams row order[t]. `order` is a permutation; empty means 0, 1, 2, ... A window streams its rows in
    /// this order.
    virtual void set_row_order(std::vector<std::uint32_t> order) = 0;
    virtual void set_switches(const actuator_switches& switches) = 0;
    /// Size of the loaded matrix; 0 without one.
    virtual std::uint32_t rows() const = 0;
    virtual std::uint32_t columns() const = 0;
    virtual const std::vector<unsigned char>& matrix() const = 0; ///< bytes of the loaded matrix
    virtual const std::vector<std::uint32_t>& row_order() const = 0;
};

/// Control of the stream: it passes from actuator to actuator, and the actuator that has it streams.
class control_if : public sc_core::sc_interface {
public:
    /// `passed`: rows of zeros that the control has passed since its last time-step.
    virtual void take_control(std::uint32_t passed) = 0;
};

} // namespace tensorloom::triada
