#pragma once
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/router_core.h>

namespace tensorloom::bus {

/// Connects initiators to targets by address: base protocol, LT and AT, any number of each.
///
/// in      target socket, bind any number of initiators; the order of binding numbers them
/// out     initiator socket, bind targets; the order of binding numbers them for map()
///
/// A transaction must lie in one range (a streaming one with the addresses that it touches); otherwise ADDRESS_ERROR.
/// The payload's address is the initiator's again when the initiator sees it. Debug transactions are forwarded without
/// time. DMI ranges are narrowed to the target's window and translated; their latency is at least that of a link;
/// invalidations reach every initiator.
///
/// Timing: a request takes `latency` to its target's link, waits until that is free, and occupies it for ceil(length /
/// bytes_per_cycle) clock periods, reads and writes alike, while the transaction goes on. Responses take no time of
/// their own.
///     LT    served in the order of the calls: a call takes the first gap of the link from its annotated time on. With
///           arbitrate_blocking a call waits (wait()) for its annotated time and then for its turn.
///     AT    four phases. When a link and its target's request channel are free, the arbitration chooses among the
///           initiators whose requests have arrived. An initiator gets END_REQ at once as long as the router holds at
///           most queue_depth of its requests, otherwise when one of them has been accepted by a target. One response
///           at a time per initiator; others wait. An unmapped request is completed at once.
/// Requests of one initiator to one target stay in order. Unknown phases are ignored (TLM_ACCEPTED).
///
/// Events    router_events.h: in all; initiator_traffic() and target_traffic() by port
/// A range of a target that is not bound is an SC_ERROR at the end of elaboration.
/// Not modelled: rings of routers, a limit of the response path, priorities that change, split address and data
/// channels.
template <unsigned BUSWIDTH = 32> class router : public router_core {
public:
    tlm_utils::multi_passthrough_target_socket<router, BUSWIDTH> in;
    tlm_utils::multi_passthrough_initiator_socket<router, BUSWIDTH> out;

    /// A configuration with a complaint is an SC_ERROR.
    router(sc_core::sc_module_name name, const router_config& config, activity_sink* activity = nullptr);
    ~router() override;

private:
    unsigned bound_initiators() override { return static_cast<unsigned>(in.size()); }
    unsigned bound_targets() override { return static_cast<unsigned>(out.size()); }
    tlm::tlm_fw_transport_if<>& to_target(unsigned target) override { return *out[static_cast<int>(target)]; }
    tlm::tlm_bw_transport_if<>& to_initiator(unsigned initiator) override { return *in[static_cast<int>(initiator)]; }
};

template <unsigned BUSWIDTH>
router<BUSWIDTH>::router(sc_core::sc_module_name name, const router_config& config, activity_sink* activity)
    : router_core(name, config, activity), in("in"), out("out")
{
    in.register_b_transport(this, &router::b_transport);
    in.register_nb_transport_fw(this, &router::nb_transport_fw);
    in.register_transport_dbg(this, &router::transport_dbg);
    in.register_get_direct_mem_ptr(this, &router::get_direct_mem_ptr);
    out.register_nb_transport_bw(this, &router::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &router::invalidate_direct_mem_ptr);
}

template <unsigned BUSWIDTH> router<BUSWIDTH>::~router() = default;

// Compiled once, for the widths that buses have: see bus_widths.cpp.
extern template class router<32>;
extern template class router<64>;
extern template class router<128>;
extern template class router<256>;
extern template class router<512>;

} // namespace tensorloom::bus
