#include <tensorloom/tlm/dma_config.h>

namespace tensorloom::bus {

std::optional<std::string> complaint(const dma_config& config)
{
    const unsigned b = config.burst_bytes;
    if (b < 4 || b > (1u << 20) || (b & (b - 1)) != 0) {
        return "DMA burst of " + std::to_string(b) + " bytes, expected a power of two from 4 to 1048576";
    }
    if (config.clock_period <= sc_core::SC_ZERO_TIME) { return std::string("DMA clock period must be above 0"); }
    if (config.outstanding < 1 || config.outstanding > 64) {
        return "DMA with " + std::to_string(config.outstanding) + " outstanding bursts, expected 1 to 64";
    }
    if (config.transport != dma_transport::blocking && config.transport != dma_transport::non_blocking) {
        return std::string("unknown DMA transport, expected blocking or non_blocking");
    }
    return std::nullopt;
}

} // namespace tensorloom::bus
