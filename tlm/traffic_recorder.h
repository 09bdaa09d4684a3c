#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/outstanding_transactions.h>
#include <tensorloom/tlm/transaction_sink.h>

namespace tensorloom::bus {

/// Records one connection: stands between an initiator and a target, forwards every call unchanged, and tells a sink.
///
/// It is what recorder (the module for users) is made of, whatever the width of the sockets.
class traffic_recorder : public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
public:
    traffic_recorder(const traffic_recorder&) = delete;
    traffic_recorder& operator=(const traffic_recorder&) = delete;

    /// Transactions that have begun and not ended: they are not yet recorded.
    std::size_t live() const { return m_live.size(); }

protected:
    traffic_recorder(const std::string& name, transaction_sink& sink) : m_sink(sink), m_number(sink.attach(name)) {}

    /// Elaboration: the ports towards the two sides.
    void join(sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>& target,
              sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>& initiator);
    /// End of elaboration: looks for the initiator's socket and tells the sink.
    void find_initiator();

private:
    struct live_transaction {
        transaction_record record;
        bool has_end_request;
        bool has_response;
    };
    class blocking_call;

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
    sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>* m_target = nullptr;
    sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>* m_initiator = nullptr;
    outstanding_transactions<live_transaction> m_live;
    std::uint64_t m_settled_ps = 0;
    unsigned m_until_settling = 0; ///< records until m_settled_ps is worked out again
};

} // namespace tensorloom::bus
