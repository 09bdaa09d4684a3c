#pragma once
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_burst.h>
#include <tensorloom/tlm/dma_config.h>
#include <tensorloom/tlm/dma_port.h>

namespace tensorloom::bus {

/// How the bursts of a DMA engine get over the bus. One carrier per engine; all calls but receive() come from the
/// engine's thread.
class burst_carrier {
public:
    /// Called once per burst that was sent, as soon as `done` and `status` are known.
    using answer_handler = std::function<void(dma_burst&)>;

    virtual ~burst_carrier() = default;

    /// A transfer begins now.
    virtual void begin() = 0;
    /// Comes to the first time from `earliest` on at which a request may be sent; returns it. It may lie ahead of
    /// simulated time, by at most the global quantum.
    virtual sc_core::sc_time open(const sc_core::sc_time& earliest) = 0;
    /// Sends a burst at the time that open() returned. The burst stays where it is until it is retired.
    virtual void send(dma_burst& burst) = 0;
    /// Returns when the burst has been answered; the bus has no hold on it any more. Does nothing for one that was
    /// never sent.
    virtual void retire(dma_burst& burst) = 0;
    /// The transfer ends at this time: simulated time is not earlier when this returns.
    virtual void close(const sc_core::sc_time& end) = 0;

    /// The backward path of the port.
    virtual tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) = 0;
};

std::unique_ptr<burst_carrier> make_burst_carrier(dma_transport transport, dma_port& port,
                                                  burst_carrier::answer_handler answered);

} // namespace tensorloom::bus
