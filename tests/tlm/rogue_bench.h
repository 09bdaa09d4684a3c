#pragma once
#include <functional>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/protocol_checker.h>
#include "tlm/payload.h"

namespace tensorloom::test {

/// A memory manager that counts what comes back and keeps it.
class counting_manager : public tlm::tlm_mm_interface {
public:
    unsigned freed = 0;
    void free(tlm::tlm_generic_payload*) override { ++freed; }
};

/// A legal request for nb_transport, referred to once; a test then spoils what it is about.
class managed_payload : public payload {
public:
    explicit managed_payload(tlm::tlm_command command = tlm::TLM_READ_COMMAND, std::uint64_t address = 8)
        : payload(command, address, std::vector<unsigned char>(4, untouched))
    {
        set_mm(&manager);
        acquire();
    }
    ~managed_payload() override
    {
        reset();
        set_mm(nullptr);
    }
    counting_manager manager;
};

using phase_function = std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)>;

inline tlm::tlm_sync_enum accept(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)
{
    return tlm::TLM_ACCEPTED;
}

/// An initiator without rules: what a test sends it sends, what it gets goes to the test. This is everything but the
/// socket.
class rogue_initiator_body : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
public:
    phase_function backward = accept;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidations;
    std::function<void()> program; ///< run in a thread
    bool finished = false;

    explicit rogue_initiator_body(sc_core::sc_module_name name) : sc_core::sc_module(name)
    {
        SC_HAS_PROCESS(rogue_initiator_body);
        SC_THREAD(run);
    }

    virtual tlm::tlm_fw_transport_if<>& target() = 0; ///< what the socket is bound to

private:
    void run()
    {
        if (program) { program(); }
        finished = true;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override
    {
        return backward(t, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override
    {
        invalidations.emplace_back(start, end);
    }
};

/// The same with a socket.
template <unsigned BUSWIDTH> class rogue_initiator_of : public rogue_initiator_body {
public:
    tlm::tlm_initiator_socket<BUSWIDTH> out;

    explicit rogue_initiator_of(sc_core::sc_module_name name) : rogue_initiator_body(name), out("out")
    {
        out.bind(*this);
    }
    tlm::tlm_fw_transport_if<>& target() override { return *out.operator->(); }
};

using rogue_initiator = rogue_initiator_of<32>;

/// A target without rules: answers as a test says. By itself it is legal: OK, all phases accepted, no DMI, no debug.
class rogue_target : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
public:
    tlm::tlm_target_socket<32> in;
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> blocking =
        [](tlm::tlm_generic_payload& t, sc_core::sc_time&) { t.set_response_status(tlm::TLM_OK_RESPONSE); };
    phase_function forward = accept;
    std::function<unsigned(tlm::tlm_generic_payload&)> debug = [](tlm::tlm_generic_payload&) { return 0u; };
    std::function<bool(tlm::tlm_generic_payload&, tlm::tlm_dmi&)> direct = [](tlm::tlm_generic_payload&,
                                                                              tlm::tlm_dmi&) { return false; };

    explicit rogue_target(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in") { in.bind(*this); }

private:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override { blocking(t, delay); }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override
    {
        return forward(t, phase, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& t) override { return debug(t); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) override { return direct(t, dmi); }
};

/// initiator --> checker --> target. The checker counts and does not report, unless told.
struct rogue_bench {
    rogue_initiator initiator{"initiator"};
    bus::protocol_checker<32> checker;
    rogue_target target{"target"};

    explicit rogue_bench(bus::on_violation reaction = bus::on_violation::count) : checker("checker", reaction)
    {
        initiator.out.bind(checker.in);
        checker.out.bind(target.in);
    }
    /// Runs a program in the initiator's thread; true when it came to its end.
    bool run(std::function<void()> program)
    {
        initiator.program = std::move(program);
        sc_core::sc_start();
        return initiator.finished;
    }

    // ---- for programs ----

    sc_core::sc_time send(tlm::tlm_generic_payload& t, sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        initiator.out->b_transport(t, delay);
        return delay;
    }
    /// A phase of the initiator's.
    tlm::tlm_sync_enum fw(tlm::tlm_generic_payload& t, tlm::tlm_phase phase,
                          sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        return initiator.out->nb_transport_fw(t, phase, delay);
    }
    /// A phase of the target's. A response is OK, when nothing else is set.
    tlm::tlm_sync_enum bw(tlm::tlm_generic_payload& t, tlm::tlm_phase phase,
                          sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        if (phase == tlm::BEGIN_RESP && t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
            t.set_response_status(tlm::TLM_OK_RESPONSE);
        }
        return target.in->nb_transport_bw(t, phase, delay);
    }
    /// The target answers forward phases with this from now on; it sets an OK response when it ends the transaction or
    /// responds.
    void target_returns(tlm::tlm_sync_enum result, tlm::tlm_phase next, sc_core::sc_time added = sc_core::SC_ZERO_TIME)
    {
        target.forward = [=](tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            if (result == tlm::TLM_COMPLETED || next == tlm::BEGIN_RESP) {
                t.set_response_status(tlm::TLM_OK_RESPONSE);
            }
            if (result == tlm::TLM_UPDATED) { phase = next; }
            delay += added;
            return result;
        };
    }
    /// The same for the initiator and backward phases.
    void initiator_returns(tlm::tlm_sync_enum result, tlm::tlm_phase next,
                           sc_core::sc_time added = sc_core::SC_ZERO_TIME)
    {
        initiator.backward = [=](tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            if (result == tlm::TLM_UPDATED) { phase = next; }
            delay += added;
            return result;
        };
    }
};

} // namespace tensorloom::test
