#pragma once
#include <functional>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace tensorloom::test {

/// An initiator that does what a function of the test tells it, right or wrong, and writes down what comes back.
class raw_initiator : public sc_core::sc_module {
public:
    struct call {
        tlm::tlm_generic_payload* transaction;
        tlm::tlm_phase_enum phase;
        sc_core::sc_time time; ///< effective
    };

    tlm_utils::simple_initiator_socket<raw_initiator> out;
    std::vector<call> back;
    /// What to return for a call on the way back; TLM_COMPLETED for BEGIN_RESP when there is none.
    std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&)> reply;

    raw_initiator(sc_core::sc_module_name name, std::function<void(raw_initiator&)> program)
        : sc_core::sc_module(name), out("out"), m_program(std::move(program))
    {
        SC_HAS_PROCESS(raw_initiator);
        out.register_nb_transport_bw(this, &raw_initiator::nb_transport_bw);
        SC_THREAD(run);
    }

    struct outcome {
        tlm::tlm_sync_enum result;
        tlm::tlm_phase phase;
        sc_core::sc_time delay;
    };
    outcome send(tlm::tlm_generic_payload& t, tlm::tlm_phase phase, sc_core::sc_time delay = {})
    {
        const auto result = out->nb_transport_fw(t, phase, delay);
        return {result, phase, delay};
    }
    bool finished() const { return m_finished; }

private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        back.push_back(
            {&t, static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(phase)), sc_core::sc_time_stamp() + delay});
        if (reply) { return reply(t, phase); }
        return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    }
    void run()
    {
        m_program(*this);
        m_finished = true;
    }

    std::function<void(raw_initiator&)> m_program;
    bool m_finished = false;
};

} // namespace tensorloom::test
