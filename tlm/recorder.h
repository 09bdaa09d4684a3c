#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/outstanding_transactions.h>
#include <tensorloom/tlm/tap.h>
#include <tensorloom/tlm/transaction_sink.h>

namespace tensorloom::bus {

/// Records one connection: a tap that reports its transactions to a sink.
///
/// It is the width-independent part of recorder, the module for users.
class traffic_recorder : public tap {
public:
    /// Transactions that have begun and not ended: not yet recorded.
    std::size_t live() const { return m_live.size(); }

protected:
    traffic_recorder(const std::string& name, transaction_sink& sink) : m_sink(sink), m_number(sink.attach(name)) {}

    /// End of elaboration: finds the initiator's socket and reports it to the sink.
    void find_initiator();

private:
    struct live_transaction {
        transaction_record record;
        bool has_end_request;
        bool has_response;
    };

    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& t) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    live_transaction& begin(const tlm::tlm_generic_payload& t, transfer_kind kind, std::uint64_t now_ps);
    void pass(const tlm::tlm_generic_payload& t, tlm::tlm_phase_enum phase, std::uint64_t now_ps);
    void end(const tlm::tlm_generic_payload& t, std::uint64_t now_ps);
    std::uint64_t settled_ps();

    transaction_sink& m_sink;
    std::size_t m_number;
    outstanding_transactions<live_transaction> m_live;
    std::uint64_t m_settled_ps = 0;
    unsigned m_until_settling = 0; ///< records until m_settled_ps is computed again
};

/// An in-line recorder between an initiator and a target. Reports each transaction with its times to a transaction_sink
/// when it ends, blocking or not; debug transactions, DMI requests and invalidations are counted. Every call passes
/// unchanged in both directions; the recorder adds no time, event or process.
///
/// in      target socket, faces the initiator
/// out     initiator socket, faces the target
///
/// Both are plain sockets for one connection and bind to the same sockets as those of a protocol_checker. The
/// initiator's socket is found at the end of elaboration; its name is "" where it cannot be found (a custom port
/// class).
///
/// Not recorded: accesses through a direct memory pointer; extended phases; phases that violate the protocol (use a
/// protocol_checker); a call that ends in an exception.
///
/// Example
///
///     bus::recorder<> recorder("recorder", transactions);
///     initiator.bind(recorder.in);
///     recorder.out.bind(target);
template <unsigned BUSWIDTH = 32> class recorder : public tap_module<BUSWIDTH>, public traffic_recorder {
public:
    recorder(sc_core::sc_module_name name, transaction_sink& sink)
        : tap_module<BUSWIDTH>(name), traffic_recorder(this->name(), sink)
    {
        this->bind(*this);
    }
    const char* kind() const override { return "recorder"; }

private:
    void end_of_elaboration() override { find_initiator(); }
};

} // namespace tensorloom::bus
