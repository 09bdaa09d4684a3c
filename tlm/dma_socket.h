#pragma once
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::bus {

/// The base-protocol initiator socket of a DMA engine, for blocking, non-blocking and direct access.
///
/// Example
///
///     bus::dma_socket<32> socket("socket");
///     socket.bind(target);
///     dma.bind(socket);
template <unsigned BUSWIDTH> class dma_socket : public tlm::tlm_initiator_socket<BUSWIDTH>, public dma_port {
public:
    explicit dma_socket(const char* name) : tlm::tlm_initiator_socket<BUSWIDTH>(name)
    {
        this->bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }

    tlm::tlm_fw_transport_if<>& target() override { return *this->operator->(); }
    unsigned bus_bytes() const override { return BUSWIDTH / 8; }
};

} // namespace tensorloom::bus
