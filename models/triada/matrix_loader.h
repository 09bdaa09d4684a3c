#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// Loads the matrices and row orders of a command from memory into the actuators.
///
/// Actuators whose mode is not summed keep their matrices. After a failed or stopped transfer all actuators are empty.
class matrix_loader {
public:
    matrix_loader(std::array<coefficient_memory_if*, 3> memories, bus::dma_ports& dma, const bus::stop_request& stop)
        : m_memories(memories), m_tensors(dma), m_stop(stop)
    {}

    /// Adds the number of coefficients written to `coefficients`.
    shell::command_outcome load(const gemt_command& command, std::uint64_t& coefficients);
    /// Whether the actuators store matrices of the shapes that a command with kept matrices needs.
    bool resident(const gemt_command& command) const;
    /// Discards all matrices.
    void clear();

    /// Saves shapes and row orders (coefficients are saved as debug memories). As in shell::command_unit.
    void write_state(base::state_writer& state) const;
    std::function<void()> read_state(base::state_reader& state, std::uint64_t most_coefficients) const;

private:
    shell::command_outcome load_matrix(const isa::tensor_descriptor& matrix, coefficient_memory_if& memory);
    shell::command_outcome load_row_order(std::uint64_t address, coefficient_memory_if& memory);

    std::array<coefficient_memory_if*, 3> m_memories;
    shell::tensor_transfer m_tensors;
    const bus::stop_request& m_stop;
};

} // namespace tensorloom::triada
