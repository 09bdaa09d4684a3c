#pragma once
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/protocol_monitor.h>

namespace tensorloom::bus {

/// Sits in line between an initiator and a target and says what breaks the TLM-2.0 base protocol, with the clause.
/// Every call passes on unchanged, both ways, blocking as blocking and non-blocking as non-blocking; no time, no event,
/// no process is added.
///
/// in      target socket, faces the initiator
/// out     initiator socket, faces the target
///
/// Both are plain sockets for one connection and bind to any base-protocol socket of the width: simple, passthrough,
/// multi, or one of an enclosing module. A connection of a multi socket takes one checker.
///
/// Errors    /tensorloom/protocol_checker/violation, SC_ERROR unless `reaction` says otherwise; the rules are in
///           protocol_rule.h and docs/protocol-checker.md. Counters per rule, and the first violations, can be read at
///           any time (protocol_monitor.h).
///
/// The data array of a TLM_IGNORE_COMMAND is read, to see that nobody changes it:
/// tolerate(protocol_rule::ignore_moved_data) where an initiator leaves a pointer or length there that is not valid.
///
/// Not seen: what a connection does not show. A direct memory pointer that is used after its invalidation, or outside
/// its range; quantum and synchronisation of an initiator; whether data are right; extensions of debug and DMI
/// requests; payloads that were freed while in use (the checker reads them like any component: ASan shows those).
template <unsigned BUSWIDTH = 32> class protocol_checker : public sc_core::sc_module, public protocol_monitor {
public:
    tlm::tlm_target_socket<BUSWIDTH> in;
    tlm::tlm_initiator_socket<BUSWIDTH> out;

    explicit protocol_checker(sc_core::sc_module_name name, on_violation reaction = on_violation::report_error);
    ~protocol_checker() override;
};

template <unsigned BUSWIDTH>
protocol_checker<BUSWIDTH>::protocol_checker(sc_core::sc_module_name name, on_violation reaction)
    : sc_core::sc_module(name), protocol_monitor(this->name(), reaction), in("in"), out("out")
{
    join(out.get_base_port(), in.get_base_port());
    in.bind(*this);
    out.bind(*this);
}

template <unsigned BUSWIDTH> protocol_checker<BUSWIDTH>::~protocol_checker() = default;

// Compiled once, for the widths that buses have: see bus_widths.cpp.
extern template class protocol_checker<32>;
extern template class protocol_checker<64>;
extern template class protocol_checker<128>;
extern template class protocol_checker<256>;
extern template class protocol_checker<512>;

} // namespace tensorloom::bus
