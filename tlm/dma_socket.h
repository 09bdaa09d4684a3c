#pragma once
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::bus {

/// A base-protocol initiator socket that a DMA engine sends through. Ignores invalidations (the engine keeps no DMI pointers).
template <unsigned BUSWIDTH>
class dma_socket : public tlm_utils::simple_initiator_socket<dma_socket<BUSWIDTH>, BUSWIDTH>, public dma_port {
public:
    explicit dma_socket(const char* name) : tlm_utils::simple_initiator_socket<dma_socket<BUSWIDTH>, BUSWIDTH>(name) {}

    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override
    {
        (*this)->b_transport(transaction, delay);
    }
    unsigned bus_bytes() const override { return BUSWIDTH / 8; }
};

} // namespace tensorloom::bus
