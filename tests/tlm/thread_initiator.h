#pragma once
#include <functional>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace tensorloom::test {

/// An initiator that runs one function of the test in a thread and remembers invalidations.
template <unsigned BUSWIDTH = 32> class thread_initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<thread_initiator, BUSWIDTH> out;
    using program_type = std::function<void(thread_initiator&)>;

    explicit thread_initiator(sc_core::sc_module_name name, program_type program = {})
        : sc_core::sc_module(name), out("out"), m_program(std::move(program))
    {
        SC_HAS_PROCESS(thread_initiator);
        out.register_invalidate_direct_mem_ptr(this, &thread_initiator::invalidate);
        SC_THREAD(run);
    }

    /// A blocking transport that starts at the present time; returns what the target annotates.
    sc_core::sc_time send(tlm::tlm_generic_payload& transaction)
    {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        out->b_transport(transaction, delay);
        return delay;
    }

    program_type before_start; ///< called when everything is bound and nothing has run yet

    bool finished() const { return m_finished; }
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& invalidations() const { return m_invalidations; }

private:
    void start_of_simulation() override
    {
        if (before_start) { before_start(*this); }
    }
    void run()
    {
        if (m_program) { m_program(*this); }
        m_finished = true;
    }
    void invalidate(sc_dt::uint64 start, sc_dt::uint64 end) { m_invalidations.emplace_back(start, end); }

    program_type m_program;
    bool m_finished = false;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_invalidations;
};

} // namespace tensorloom::test
