#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::costs {

/// The structure of a device's DMA, as far as it affects area.
struct dma_build {
    unsigned ports = 0;       ///< with an engine each; 0: it is not charged
    unsigned port_bits = 512; ///< width of a port
    unsigned outstanding = 8; ///< bursts in flight
    std::uint32_t burst_bytes = 4096;
    std::uint64_t program_bytes = 0; ///< of the buffers of programs that are fetched in pieces
};

/// Adds component "dma" to the areas of a device: for each port an SRAM for the data of all bursts in flight, as one
/// bank; their addresses, lengths and tokens (88 flip-flops each); two registers as wide as the port, and a rotation of
/// its bytes to any place (aligner_gates()). With program_bytes also "program_buffer", an SRAM. Not charged: the state
/// machines, and the buffer of a program that is fetched whole. An estimate.
void add_dma(std::vector<component_area>& areas, const technology& tech, const dma_build& build);

} // namespace tensorloom::costs
