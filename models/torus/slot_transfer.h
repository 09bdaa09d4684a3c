#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/blocks/memory_port.h>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::torus {

/// Moves tensors between memory and the slots of the nodes, one at a time, in the calling thread: DMA on one side, the
/// memory port of the torus on the other. Tensors keep the order of their modes; the torus maps elements to nodes.
///
/// Timing     max(DMA time, elements / load_elements), in whole cycles; for a matrix the DMA time
/// Stops      at the next burst or cycle boundary
/// Events     element_load, element_unload, coefficient_load, coefficient_copy, block_write, block_read, load_cycle,
///            unload_cycle, operand_saturated. Element events are counted per completed transfer.
class slot_transfer {
public:
    using report = blocks::port_transfer<torus::counts>;

    slot_transfer(const config& config, node_memory_if& nodes, bus::dma_ports& dma, const bus::stop_request& stop,
                  const shell::program_clock& clock);

    /// Reads or writes `numbers` numbers, as stored in memory, from number `first` on.
    using taker = std::function<void(std::uint64_t first, const unsigned char* from, std::uint64_t numbers)>;
    /// Returns how many of them saturated.
    using giver = std::function<std::uint64_t(std::uint64_t first, unsigned char* to, std::uint64_t numbers)>;
    report load(const isa::tensor_descriptor& from, const taker& take);
    report unload(const isa::tensor_descriptor& to, const giver& give);

    /// Writes the tensor's elements, or sums, into the slot, and +0 after them.
    report load(const isa::tensor_descriptor& from, const tensor_place& to);
    /// Stores the slot in the format of `to`: elements of the device's format, or sums; int8 shifted right.
    report unload(const tensor_place& from, const isa::tensor_descriptor& to, unsigned shift);

    /// Measures a transfer from now on.
    shell::transfer_watch watch() const { return {m_dma, m_clock}; }

    /// Loads a matrix into the nodes. Adds its events to `counted`.
    shell::command_outcome load_matrix(const isa::tensor_descriptor& from, slot to, counts& counted);

    /// Writes the token of a command, and logs it as a phase of this name.
    shell::command_outcome write_completion(std::uint64_t address, std::uint32_t token, shell::device_log& log,
                                            std::uint32_t command);

private:
    const config& m_config;
    node_memory_if& m_nodes;
    bus::dma_ports& m_dma;
    shell::tensor_transfer m_tensors;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    std::vector<unsigned char> m_again; // numbers of a piece that was not written whole
};

} // namespace tensorloom::torus
