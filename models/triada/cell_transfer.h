#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/blocks/memory_port.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// One use of the memory port of the cells.
using transfer_report = blocks::port_transfer<triada::counts>;

/// A tensor in memory and the cell register that it is loaded into.
struct loaded_tensor {
    isa::tensor_descriptor from;
    cell_register to;
};

/// Moves tensors between memory and the cells, one at a time, in the calling thread: DMA on one side, the core's memory
/// port on the other.
///
/// Timing     max(DMA time, elements / load_elements), in whole cycles
/// Stops      at the next burst or cycle boundary
/// Events     element_load, element_unload, load_cycle, unload_cycle, register_write, register_read, operand_saturated.
///            Element events are counted per completed transfer: one that is stopped or fails counts none.
class cell_transfer {
public:
    cell_transfer(const config& config, cell_memory_if& cells, bus::dma_ports& dma, const bus::stop_request& stop,
                  const shell::program_clock& clock);

    /// Writes each tensor into the corner of its register and +0 elsewhere. Tensors have elements of the device's
    /// format, or sums.
    transfer_report load(const std::vector<loaded_tensor>& tensors);

    /// Stores the register's corner in the format of `to`: elements of the device's format, or sums. `shift`: right
    /// shift of integers.
    transfer_report unload(cell_register from, const isa::tensor_descriptor& to, unsigned shift);

private:
    template <class Move> transfer_report timed(event busy_cycle, std::uint64_t elements, const Move& move);
    shell::command_outcome load_one(const loaded_tensor& tensor, counts& counts);

    const config& m_config;
    cell_memory_if& m_cells;
    shell::tensor_transfer m_tensors;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    std::vector<unsigned char> m_again; // elements that are read twice
};

} // namespace tensorloom::triada
