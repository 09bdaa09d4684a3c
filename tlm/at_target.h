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

struct at_target_config {
    unsigned queue_depth = 16; ///< transactions between the acceptance of the request and END_RESP, at least 1
    unsigned phases = 4;       ///< of a non-blocking transaction: 4, 2 or 1, see at_target
};

/// The first thing wrong with a configuration.
std::optional<std::string> validate(const at_target_config& config);

/// The target side of the base protocol, blocking and non-blocking on one socket at the same time, for one hop.
///
/// Blocking: the service's time is added to the annotated delay, which never shrinks; or it is waited for (tolerance
/// wait_out_delay: the call then returns a delay of 0; from a method process, which cannot wait, it is annotated all
/// the same).
///
/// Non-blocking, by `phases`:
///   4  BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP. END_REQ comes when the service can take the next request: as
///      TLM_UPDATED with an annotated delay, or over the backward path in its time when a BEGIN_RESP has to go before
///      it. With queue_depth transactions inside, END_REQ waits for an END_RESP (back-pressure). Several transactions
///          are under way at a time.
///   2  BEGIN_REQ, BEGIN_RESP (which implies END_REQ), END_RESP: one transaction at a time.
///   1  BEGIN_REQ is answered by TLM_COMPLETED with the whole time annotated.
/// Responses begin in the order of their times, each after END_RESP of the one before, which may be a call, or
/// TLM_UPDATED or TLM_COMPLETED in return for BEGIN_RESP. Data move when the request is accepted. A request that comes
/// before the annotated time of the last END_REQ counts as coming at that time. Each payload is acquired and released
/// once.
///
/// Illegal calls are counted (protocol_errors) and otherwise:
///   BEGIN_REQ before END_REQ of the former       TLM_COMPLETED with GENERIC_ERROR, nothing is executed; the same
///                                                payload: ignored
///   BEGIN_REQ without a memory manager           served as with phases = 1
///   END_RESP of no response under way, END_REQ or BEGIN_RESP on the forward path: ignored, TLM_ACCEPTED
/// Phases beyond the base protocol are ignored (TLM_ACCEPTED) and not counted.
///
/// Not modelled: beats of a transfer as phases of their own, responses held back to keep the order of requests.
///
/// Example
///
///     bus::at_target port("port", {}, service);
///     bus::at_target_socket<32> in("in", port);
///     initiator.bind(in);
class at_target : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
public:
    /// A configuration with a complaint is an SC_ERROR.
    at_target(sc_core::sc_module_name name, const at_target_config& config, timed_service& service,
              const target_tolerance& tolerance = {});

    /// Elaboration: the way back to the initiators.
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
    /// Takes back what DMI was granted in first..last.
    void invalidate_dmi(std::uint64_t first, std::uint64_t last) { (*m_back)->invalidate_direct_mem_ptr(first, last); }

    /// Transactions inside end with GENERIC_ERROR, one response after the other, at once or when an END_REQ is due that
    /// was annotated ahead of time; a request that was not accepted is not executed. A response that has begun stays as
    /// it is.
    void reset();

    unsigned outstanding() const { return m_outstanding; } ///< non-blocking transactions accepted and not ended
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
        no_room,   // accepted when a transaction ends
        announced, // END_REQ goes back at m_request_time
        implied    // its BEGIN_RESP stands for END_REQ
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

    void run(); // method: what goes over the backward path
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
    sc_core::sc_time m_request_free; // the latest END_REQ, which may have been annotated

    std::deque<response> m_responses;                 // by time, then by acceptance
    tlm::tlm_generic_payload* m_responding = nullptr; // between BEGIN_RESP and END_RESP
    sc_core::sc_time m_response_free;                 // the latest END_RESP, which may have been annotated

    unsigned m_outstanding = 0;
    std::uint64_t m_protocol_errors = 0;
};

/// The socket of an at_target, which is constructed before it: a base-protocol target socket that brings blocking,
/// non-blocking, debug and DMI calls.
///
/// Not a simple_target_socket, whose conversions between blocking and non-blocking nobody needs here: each width would
/// register an extension of its own, for which every payload of a program has a place and every protocol_checker looks.
template <unsigned BUSWIDTH = 32> class at_target_socket : public tlm::tlm_target_socket<BUSWIDTH> {
public:
    at_target_socket(const char* name, at_target& target) : tlm::tlm_target_socket<BUSWIDTH>(name)
    {
        this->bind(target);
        target.bind(this->get_base_port());
    }
};

} // namespace tensorloom::bus
