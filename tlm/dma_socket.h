#pragma once
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/burst_carrier.h>

namespace tensorloom::bus {

/// A base-protocol initiator socket that a DMA engine sends through, blocking, non-blocking or by direct memory
/// pointer.
template <unsigned BUSWIDTH>
class dma_socket : public tlm_utils::simple_initiator_socket<dma_socket<BUSWIDTH>, BUSWIDTH>, public dma_port {
    using base = tlm_utils::simple_initiator_socket<dma_socket<BUSWIDTH>, BUSWIDTH>;

public:
    explicit dma_socket(const char* name);
    ~dma_socket() override;

    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override
    {
        (*this)->b_transport(transaction, delay);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override
    {
        return (*this)->nb_transport_fw(transaction, phase, delay);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) override
    {
        return (*this)->get_direct_mem_ptr(transaction, dmi);
    }
    unsigned bus_bytes() const override { return BUSWIDTH / 8; }
    void listen(dma_port_listener& listener) override { m_listener = &listener; }

private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay)
    {
        return m_listener == nullptr ? tlm::TLM_ACCEPTED : m_listener->nb_transport_bw(transaction, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last)
    {
        if (m_listener != nullptr) { m_listener->invalidate_direct_mem_ptr(first, last); }
    }

    dma_port_listener* m_listener = nullptr;
};

template <unsigned BUSWIDTH> dma_socket<BUSWIDTH>::dma_socket(const char* name) : base(name)
{
    this->register_nb_transport_bw(this, &dma_socket::nb_transport_bw);
    this->register_invalidate_direct_mem_ptr(this, &dma_socket::invalidate_direct_mem_ptr);
}

template <unsigned BUSWIDTH> dma_socket<BUSWIDTH>::~dma_socket() = default;

// Compiled once, for the widths that buses have: see bus_widths.cpp.
extern template class dma_socket<32>;
extern template class dma_socket<64>;
extern template class dma_socket<128>;
extern template class dma_socket<256>;
extern template class dma_socket<512>;

} // namespace tensorloom::bus
