#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_burst.h>
#include <tensorloom/tlm/dma_port.h>

namespace tensorloom::bus {

/// The direct memory pointers that an initiator has been granted.
///
/// A target is asked for each address that lies in no granted range; what it refuses is not asked again in this
/// transfer. An invalidation drops every grant that it touches, at once. Bytes outside of a granted range are never
/// touched.
class direct_memory {
public:
    /// A transfer begins: refusals are forgotten.
    void begin() { m_refused.reset(); }

    /// Moves a burst directly; the time that takes by the granted latency, which is per byte. Nothing when it cannot be
    /// done.
    std::optional<sc_core::sc_time> move(dma_port& port, const dma_burst& burst);

    void invalidate(std::uint64_t first, std::uint64_t last);

private:
    const tlm::tlm_dmi* grant_of(dma_port& port, const dma_burst& burst);

    struct range {
        std::uint64_t first;
        std::uint64_t last;
    };
    std::vector<tlm::tlm_dmi> m_granted;
    std::optional<range> m_refused; // the last one: the addresses of a transfer only grow
};

} // namespace tensorloom::bus
