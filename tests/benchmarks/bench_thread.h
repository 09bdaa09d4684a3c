#pragma once
#include <exception>
#include <functional>
#include <vector>
#include <systemc>

namespace tensorloom::benchmarks {

/// The thread that does one case after the other.
class bench_thread : public sc_core::sc_module {
public:
    bench_thread(sc_core::sc_module_name name, const std::vector<std::function<void()>>& cases)
        : sc_core::sc_module(name), m_cases(cases)
    {
        SC_HAS_PROCESS(bench_thread);
        SC_THREAD(run);
    }
    void rethrow() const
    {
        if (m_failure) { std::rethrow_exception(m_failure); }
    }

private:
    void run()
    {
        try {
            for (const auto& each : m_cases) { each(); }
        } catch (const std::exception&) {
            m_failure = std::current_exception();
        }
    }

    const std::vector<std::function<void()>>& m_cases;
    std::exception_ptr m_failure;
};

} // namespace tensorloom::benchmarks
