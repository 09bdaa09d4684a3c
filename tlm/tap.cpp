#include <tensorloom/tlm/tap.h>

namespace tensorloom::bus {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;

void tap::join(sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>& target,
               sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>& initiator)
{
    m_target = &target;
    m_initiator = &initiator;
}

void tap::b_transport(payload& t, sc_time& delay) { target()->b_transport(t, delay); }

tlm::tlm_sync_enum tap::nb_transport_fw(payload& t, tlm::tlm_phase& phase, sc_time& delay)
{
    return target()->nb_transport_fw(t, phase, delay);
}

tlm::tlm_sync_enum tap::nb_transport_bw(payload& t, tlm::tlm_phase& phase, sc_time& delay)
{
    return initiator()->nb_transport_bw(t, phase, delay);
}

unsigned tap::transport_dbg(payload& t) { return target()->transport_dbg(t); }

bool tap::get_direct_mem_ptr(payload& t, tlm::tlm_dmi& dmi) { return target()->get_direct_mem_ptr(t, dmi); }

void tap::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last)
{
    initiator()->invalidate_direct_mem_ptr(first, last);
}

} // namespace tensorloom::bus
