#pragma once
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// Joins an initiator and a target of different bus widths. Payloads pass unchanged and take no time: in the base
/// protocol the width only says how long a beat is, and who models beats does so on its own side.
///
/// in      target socket of width IN, LT and AT
/// out     initiator socket of width OUT
template <unsigned IN, unsigned OUT> class width_adapter : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<width_adapter, IN> in;
    tlm_utils::simple_initiator_socket<width_adapter, OUT> out;

    explicit width_adapter(sc_core::sc_module_name name);
    ~width_adapter() override;

private:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) { out->b_transport(t, delay); }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        return out->nb_transport_fw(t, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        return in->nb_transport_bw(t, phase, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& t) { return out->transport_dbg(t); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) { return out->get_direct_mem_ptr(t, dmi); }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end)
    {
        in->invalidate_direct_mem_ptr(start, end);
    }
};

template <unsigned IN, unsigned OUT>
width_adapter<IN, OUT>::width_adapter(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in"), out("out")
{
    in.register_b_transport(this, &width_adapter::b_transport);
    in.register_nb_transport_fw(this, &width_adapter::nb_transport_fw);
    in.register_transport_dbg(this, &width_adapter::transport_dbg);
    in.register_get_direct_mem_ptr(this, &width_adapter::get_direct_mem_ptr);
    out.register_nb_transport_bw(this, &width_adapter::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &width_adapter::invalidate_direct_mem_ptr);
}

template <unsigned IN, unsigned OUT> width_adapter<IN, OUT>::~width_adapter() = default;

// Compiled once, between words of registers and the widths that buses have: see bus_widths.cpp.
extern template class width_adapter<32, 64>;
extern template class width_adapter<32, 128>;
extern template class width_adapter<32, 256>;
extern template class width_adapter<32, 512>;
extern template class width_adapter<64, 32>;
extern template class width_adapter<128, 32>;
extern template class width_adapter<256, 32>;
extern template class width_adapter<512, 32>;

} // namespace tensorloom::bus
