#pragma once
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// An element in line between an initiator and a target: every call passes unchanged in both directions, blocking as
/// blocking and non-blocking as non-blocking; it adds no time, event or process.
///
/// Observers of a connection derive from it and override the calls that they observe.
class tap : public tlm::tlm_fw_transport_if<>, public tlm::tlm_bw_transport_if<> {
public:
    tap() = default;
    tap(const tap&) = delete;
    tap& operator=(const tap&) = delete;

    /// Elaboration: the ports towards the two sides.
    void join(sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>& target,
              sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>& initiator);

protected:
    sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>& target() const { return *m_target; }
    sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>& initiator() const { return *m_initiator; }

    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& t) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

private:
    sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>* m_target = nullptr;
    sc_core::sc_port_b<tlm::tlm_bw_transport_if<>>* m_initiator = nullptr;
};

/// The module of a tap: a target socket of width IN, an initiator socket of width OUT.
///
/// in      target socket, faces the initiator
/// out     initiator socket, faces the target
///
/// Both are plain sockets for one connection and bind to any base-protocol socket of the same width: simple,
/// passthrough, multi, or one of an enclosing module. Each connection of a multi socket needs its own tap.
///
/// Example
///
///     struct wire : bus::tap_module<32>, bus::tap {
///         explicit wire(sc_core::sc_module_name name) : tap_module<32>(name) { bind(*this); }
///     } wire("wire");
///     initiator.bind(wire.in);
///     wire.out.bind(target);
template <unsigned IN, unsigned OUT = IN> class tap_module : public sc_core::sc_module {
public:
    tlm::tlm_target_socket<IN> in;
    tlm::tlm_initiator_socket<OUT> out;

protected:
    explicit tap_module(sc_core::sc_module_name name);
    ~tap_module() override;

    /// Elaboration: the tap that handles the calls.
    void bind(tap& within);
};

template <unsigned IN, unsigned OUT>
tap_module<IN, OUT>::tap_module(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in"), out("out")
{}

template <unsigned IN, unsigned OUT> tap_module<IN, OUT>::~tap_module() = default;

template <unsigned IN, unsigned OUT> void tap_module<IN, OUT>::bind(tap& within)
{
    within.join(out.get_base_port(), in.get_base_port());
    in.bind(within);
    out.bind(within);
}

// Instantiated once for the usual bus widths, and for adapters to register words: bus_widths.cpp.
extern template class tap_module<32>;
extern template class tap_module<64>;
extern template class tap_module<128>;
extern template class tap_module<256>;
extern template class tap_module<512>;
extern template class tap_module<32, 64>;
extern template class tap_module<32, 128>;
extern template class tap_module<32, 256>;
extern template class tap_module<32, 512>;
extern template class tap_module<64, 32>;
extern template class tap_module<128, 32>;
extern template class tap_module<256, 32>;
extern template class tap_module<512, 32>;

} // namespace tensorloom::bus
