#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/vector/costs.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_config.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::fetta {

/// A FETTA: contraction engines between butterfly networks. Source: "FETTA" (arXiv 2504.06474), section V.
struct config {
    arch::fetta::geometry geometry;
    blocks::fidelity fidelity = blocks::fidelity::fast;
    unsigned lanes = 64; ///< of the vector unit, float32 words per cycle, 1 to 65536
    arch::vector::costs vector_costs = arch::vector::default_vector_costs();
    bool overlap = true; ///< LOAD and STORE, the engines and the vector unit work at the same time where operands allow
                         ///< it: ping-pong

    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0
    unsigned burst_bytes = 4096;                      ///< largest DMA transfer: a power of two, 4 to 1 MiB
    bus::dma_options dma;            ///< outstanding bursts, blocking or non-blocking, direct memory pointers
    bus::target_tolerance tolerance; ///< of the register port
};

/// The configuration of the device's DMA engine.
bus::dma_config dma_settings(const config& c);

/// The first thing wrong with a configuration.
std::optional<std::string> complaint(const config& config);

} // namespace tensorloom::fetta
