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

/// A tensor in memory that is to go into one register of the cells.
struct loaded_tensor {
    isa::tensor_descriptor from;
    cell_register to;
};

/// Moves tensors between memory and the cells, one at a time, in the calling thread: DMA on one side, the core's memory
/// port on the other.
///
/// Timing     max(DMA time, elements / load_elements), in whole cycles
/// Stops      at the next burst or cycle boundary
/// Events     element_load, element_unload, load_cycle, unload_cycle, register_write, register_read, operand_saturated;
///            those of elements when their run has been moved whole: one that is stopped or fails counts none
class cell_transfer {
public:
    cell_transfer(const config& config, cell_memory_if& cells, bus::dma_engine& dma, const bus::stop_request& stop,
                  const shell::program_clock& clock);

    /// Each register gets its tensor in its corner and +0 elsewhere. Elements of the device's format, or sums.
    transfer_report load(const std::vector<loaded_tensor>& tensors);

    /// The register's corner, as elements of the device's format or as sums, whichever `to` has. `shift`: of integers.
    transfer_report unload(cell_register from, const isa::tensor_descriptor& to, unsigned shift);

private:
    template <class Move> transfer_report timed(event busy_cycle, std::uint64_t elements, const Move& move);
    shell::command_outcome load_one(const loaded_tensor& tensor, counts& counts);

    const config& m_config;
    cell_memory_if& m_cells;
    shell::tensor_transfer m_tensors;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    std::vector<unsigned char> m_again; // elements that are looked at twice
};

} // namespace tensorloom::triada
