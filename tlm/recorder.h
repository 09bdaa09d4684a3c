#pragma once
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/traffic_recorder.h>

namespace tensorloom::bus {

/// Sits in line between an initiator and a target and tells a transaction_sink what passes: each transaction when it
/// ends, blocking or not, with its times; debug transactions, DMI requests and invalidations as counts. Every call
/// passes on unchanged, both ways; no time, no event, no process is added.
///
/// in      target socket, faces the initiator
/// out     initiator socket, faces the target
///
/// Both are plain sockets for one connection and bind to any base-protocol socket of the width, as a protocol_checker's
/// do. The initiator's socket is looked for at the end of elaboration; where none can be named (its own class of port),
/// the sink is told "".
///
/// Not recorded: accesses through a direct memory pointer; extended phases; phases that break the protocol (a
/// protocol_checker says so); a call that ends in an exception.
template <unsigned BUSWIDTH = 32> class recorder : public sc_core::sc_module, public traffic_recorder {
public:
    tlm::tlm_target_socket<BUSWIDTH> in;
    tlm::tlm_initiator_socket<BUSWIDTH> out;

    recorder(sc_core::sc_module_name name, transaction_sink& sink);
    ~recorder() override;

private:
    void end_of_elaboration() override { find_initiator(); }
};

template <unsigned BUSWIDTH>
recorder<BUSWIDTH>::recorder(sc_core::sc_module_name name, transaction_sink& sink)
    : sc_core::sc_module(name), traffic_recorder(this->name(), sink), in("in"), out("out")
{
    join(out.get_base_port(), in.get_base_port());
    in.bind(*this);
    out.bind(*this);
}

template <unsigned BUSWIDTH> recorder<BUSWIDTH>::~recorder() = default;

// Compiled once, for the widths that buses have: see bus_widths.cpp.
extern template class recorder<32>;
extern template class recorder<64>;
extern template class recorder<128>;
extern template class recorder<256>;
extern template class recorder<512>;

} // namespace tensorloom::bus
