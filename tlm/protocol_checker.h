#pragma once
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/tlm/payload_check.h>

namespace tensorloom::bus {

/// Sits in line between an initiator and a target and reports what breaks the base protocol, as SC_ERROR with the clause, id
/// /tensorloom/protocol_checker/violation. Passes everything on unchanged.
///
/// in      target socket, faces the initiator
/// out     initiator socket, faces the target
///
/// Checked: blocking transport (payload before and after, delay), debug transport (no time, byte count), DMI ranges.
/// Not checked yet: non-blocking phases, memory management.
template <unsigned BUSWIDTH = 32> class protocol_checker : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<protocol_checker, BUSWIDTH> in;
    tlm_utils::simple_initiator_socket<protocol_checker, BUSWIDTH> out;

    explicit protocol_checker(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in"), out("out")
    {
        in.register_b_transport(this, &protocol_checker::b_transport);
        in.register_transport_dbg(this, &protocol_checker::transport_dbg);
        in.register_get_direct_mem_ptr(this, &protocol_checker::get_direct_mem_ptr);
        out.register_invalidate_direct_mem_ptr(this, &protocol_checker::invalidate_direct_mem_ptr);
    }

    std::uint64_t transactions() const { return m_transactions; }
    std::uint64_t violations() const { return m_violations; }

private:
    void report(const std::string& what)
    {
        ++m_violations;
        SC_REPORT_ERROR("/tensorloom/protocol_checker/violation", (std::string(name()) + ": " + what).c_str());
    }

    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
    {
        ++m_transactions;
        if (const auto wrong = payload_check::request_complaint(transaction)) { report("request, " + *wrong); }
        const payload_check before(transaction);
        const sc_core::sc_time due = sc_core::sc_time_stamp() + delay;
        out->b_transport(transaction, delay);
        if (const auto wrong = before.response_complaint(transaction, due, sc_core::sc_time_stamp() + delay)) {
            report("response, " + *wrong);
        }
    }

    unsigned transport_dbg(tlm::tlm_generic_payload& transaction)
    {
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        const unsigned done = out->transport_dbg(transaction);
        if (sc_core::sc_time_stamp() != now) { report("11.3: debug transport took time"); }
        if (done > transaction.get_data_length()) {
            report("11.3: debug transport returned more bytes than asked for");
        }
        return done;
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi)
    {
        const bool granted = out->get_direct_mem_ptr(transaction, dmi);
        const auto address = transaction.get_address();
        if (address < dmi.get_start_address() || address > dmi.get_end_address()) {
            report("11.2: DMI range does not hold the requested address");
        }
        if (granted && dmi.get_dmi_ptr() == nullptr) { report("11.2: DMI granted without a pointer"); }
        return granted;
    }

    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end)
    {
        in->invalidate_direct_mem_ptr(start, end);
    }

    std::uint64_t m_transactions = 0;
    std::uint64_t m_violations = 0;
};

} // namespace tensorloom::bus
