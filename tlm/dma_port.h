#pragma once
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// What comes back through a DMA port.
class dma_port_listener {
public:
    virtual ~dma_port_listener() = default;
    virtual tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) = 0;
    virtual void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) = 0;
};

/// The way out of a DMA engine: an initiator socket of some width (see dma_socket.h).
class dma_port {
public:
    virtual ~dma_port() = default;
    virtual void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) = 0;
    virtual tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) = 0;
    virtual bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) = 0;
    virtual unsigned bus_bytes() const = 0; ///< BUSWIDTH / 8

    /// Elaboration: who hears the backward path; nobody before.
    virtual void listen(dma_port_listener& listener) = 0;
};

} // namespace tensorloom::bus
