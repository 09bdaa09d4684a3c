#pragma once
#include <memory>
#include <ostream>
#include <systemc>
#include <tlm>

namespace tensorloom::test {

enum class target_kind {
    lt,           ///< lt_target: annotates its time
    lt_synch,     ///< lt_synch_target: waits in b_transport
    lt_dmi,       ///< lt_dmi_target: allows DMI for a while, takes it back twice
    at_one,       ///< at_target_1_phase: TLM_COMPLETED at once, every 20th time by END_REQ and BEGIN_RESP
    at_two,       ///< at_target_2_phase: TLM_UPDATED with END_REQ, then BEGIN_RESP
    at_four,      ///< at_target_4_phase: every phase is a call
    at_unordered, ///< at_target_ooo_2_phase: every other response comes 700 ns late, so that the next ones overtake it
};
std::ostream& operator<<(std::ostream& out, target_kind kind);

/// A memory of the Accellera examples. Addresses from 0; an access may not touch its last byte (their bounds check is
/// off by one).
class partner_target : public sc_core::sc_module {
public:
    static constexpr unsigned bytes = 4096;
    static sc_core::sc_time accept_delay() { return sc_core::sc_time(10, sc_core::SC_NS); }
    static sc_core::sc_time read_delay() { return sc_core::sc_time(50, sc_core::SC_NS); }
    static sc_core::sc_time write_delay() { return sc_core::sc_time(30, sc_core::SC_NS); }

    static std::unique_ptr<partner_target> make(target_kind kind, const char* name, unsigned id);

    virtual tlm::tlm_target_socket<>& in() = 0;

protected:
    explicit partner_target(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
};

} // namespace tensorloom::test
