#pragma once
#include <cstdint>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// When a transaction that was served is through, as absolute times.
struct service_times {
    sc_core::sc_time accepted;       ///< from here the target can take the next request; not before the arrival
    sc_core::sc_time begin_response; ///< the response is there; not before `accepted`
};

/// What a target does with a transaction and how long that takes, whatever the protocol is that brings it.
///
/// An at_target turns it into a target of the base protocol.
class timed_service {
public:
    virtual ~timed_service() = default;

    /// Executes the transaction as it arrives at that absolute time: moves the data, sets response status and DMI hint.
    /// The arrival is not before the present time. Arrivals of several initiators need not ascend: some run ahead of
    /// time. Does not wait and does not call back.
    virtual service_times serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival) = 0;

    /// Debug transport: no time, no side effects; the number of bytes moved.
    virtual unsigned transport_dbg(tlm::tlm_generic_payload& transaction) = 0;

    /// As the standard has it: the widest range around the transaction's address that is granted, or that is refused.
    virtual bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) = 0;
};

} // namespace tensorloom::bus
