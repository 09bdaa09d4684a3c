#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::bus {

/// When a transaction has been served, as absolute times.
struct service_times {
    sc_core::sc_time accepted;       ///< the target can take the next request; not before the arrival
    sc_core::sc_time begin_response; ///< the response is ready; not before `accepted`
};

/// What a target does with a transaction, and how long that takes, independent of the protocol.
///
/// An at_target makes a base-protocol target of it.
class timed_service {
public:
    virtual ~timed_service() = default;

    /// Executes a transaction that arrives at this absolute time: moves the data, sets the response status and the DMI
    /// hint. The arrival is not before the present time. Arrivals from several initiators need not be in ascending
    /// order, since initiators may run ahead of time. Must not wait and must not call back.
    virtual service_times serve(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival) = 0;

    /// Debug transport: takes no time, has no side effects; returns the number of bytes moved.
    virtual unsigned transport_dbg(tlm::tlm_generic_payload& transaction) = 0;

    /// As in the standard: the widest range around the transaction's address that is granted or refused.
    virtual bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) = 0;
};

struct at_target_config {
    unsigned queue_depth = 16; ///< transactions between acceptance of the request and END_RESP, at least 1
    unsigned phases = 4;       ///< phases of a non-blocking transaction: 4, 2 or 1, see at_target
};

/// The first error of a configuration.
std::optional<std::string> validate(const at_target_config& config);

/// The target side of the base protocol for one hop: blocking and non-blocking transport on one socket at the same
/// time.
///
/// Blocking: adds the service's time to the annotated delay, which never decreases. With the tolerance wait_out_delay
/// it waits for that time and returns a delay of 0; a call from a method process, which cannot wait, still gets the
/// delay annotated.
///
/// Non-blocking, by `phases`:
///   4  BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP. END_REQ is sent when the service can take the next request: as
///      TLM_UPDATED with an annotated delay, or over the backward path at its time when a BEGIN_RESP must be sent
///      first. With queue_depth transactions in the target, END_REQ waits for an END_RESP (back-pressure). Several
///      transactions are in flight at a time.
///   2  BEGIN_REQ, BEGIN_RESP (which implies END_REQ), END_RESP: one transaction at a time.
///   1  BEGIN_REQ is answered by TLM_COMPLETED with the whole time annotated.
/// Responses are sent in the order of their times, each after the END_RESP of the previous one. END_RESP may be a call,
/// or TLM_UPDATED or TLM_COMPLETED returned for BEGIN_RESP. Data move when the request is accepted. A request that
/// arrives before the annotated time of the last END_REQ counts as arriving at that time. Each payload is acquired and
/// released once.
///
/// Illegal calls are counted (protocol_errors) and answered as follows:
///   BEGIN_REQ before the END_REQ of another      TLM_COMPLETED with GENERIC_ERROR, nothing is executed
///   BEGIN_REQ again with the same payload        ignored
///   BEGIN_REQ without a memory manager           served as with phases = 1
///   END_RESP without a response in flight, END_REQ or BEGIN_RESP on the forward path: ignored, TLM_ACCEPTED
/// Extended phases are ignored (TLM_ACCEPTED) and not counted.
///
/// Not modelled: a phase per beat of a transfer, holding back responses to keep the order of requests.
///
/// Example
///
///     bus::at_target port("port", {}, service);
///     bus::at_target_socket<32> in("in", port);
///     initiator.bind(in);
class at_target : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
public:
    /// An invalid configuration is an SC_ERROR.
    at_target(sc_core::sc_module_name name, const at_target_config& config, timed_service& service,
              const target_tolerance& tolerance = {});

    /// Elaboration: the backward path to the initiators.
    void bind(sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>& back) { m_back = &back; }

    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override
    {
        return m_service.transport_dbg(transaction);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) override
    {
        return m_service.get_direct_mem_ptr(transaction, dmi);
    }
    /// Invalidates DMI pointers to first..last.
    void invalidate_dmi(std::uint64_t first, std::uint64_t last) { (*m_back)->invalidate_direct_mem_ptr(first, last); }

    /// Transactions in the target end with GENERIC_ERROR, one response after the other: at once, or when a pending
    /// annotated END_REQ is due. A request that was not accepted is not executed. A response that has begun does not
    /// change.
    void reset();

    unsigned outstanding() const { return m_outstanding; } ///< non-blocking transactions accepted and not yet ended
    std::uint64_t protocol_errors() const { return m_protocol_errors; }
    const char* kind() const override { return "at_target"; }

private:
    struct response {
        tlm::tlm_generic_payload* transaction;
        sc_core::sc_time ready;
    };
    // The request between BEGIN_REQ and END_REQ.
    enum class request_state {
        none,
        no_room,   // waits for room: accepted when a transaction ends
        announced, // END_REQ is sent at m_request_time
        implied    // its BEGIN_RESP implies END_REQ
    };

    tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
    tlm::tlm_sync_enum end_response(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    bool holds(const tlm::tlm_generic_payload& transaction) const;
    sc_core::sc_time accept(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& arrival);
    void await_end_request(tlm::tlm_generic_payload& transaction);
    void finish(const sc_core::sc_time& time);
    void leave(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& time);
    void wake_in_time();

    void run(); // method: sends the calls of the backward path
    void send_end_request();
    void send_response();

    at_target_config m_config;
    timed_service& m_service;
    bool m_wait_out_delay;
    sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>* m_back = nullptr;
    sc_core::sc_event m_wake;

    request_state m_request_state = request_state::none;
    tlm::tlm_generic_payload* m_request = nullptr;
    sc_core::sc_time m_request_time; // no_room: arrival; announced: END_REQ
    sc_core::sc_time m_request_free; // the latest END_REQ, possibly annotated

    std::deque<response> m_responses;                 // by time, then by acceptance
    tlm::tlm_generic_payload* m_responding = nullptr; // between BEGIN_RESP and END_RESP
    sc_core::sc_time m_response_free;                 // the latest END_RESP, possibly annotated

    unsigned m_outstanding = 0;
    std::uint64_t m_protocol_errors = 0;
};

/// The socket of an at_target, which must be constructed first: a base-protocol target socket for blocking,
/// non-blocking, debug and DMI calls.
///
/// It is not a simple_target_socket: its conversions between blocking and non-blocking transport are not needed here,
/// and each width would register a payload extension, for which every payload has a slot that every protocol_checker
/// inspects.
template <unsigned BUSWIDTH = 32> class at_target_socket : public tlm::tlm_target_socket<BUSWIDTH> {
public:
    at_target_socket(const char* name, at_target& target) : tlm::tlm_target_socket<BUSWIDTH>(name)
    {
        this->bind(target);
        target.bind(this->get_base_port());
    }
};

} // namespace tensorloom::bus
