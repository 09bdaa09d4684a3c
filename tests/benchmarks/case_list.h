#pragma once
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include <systemc>

namespace tensorloom::benchmarks {

/// The cases of a benchmark whose name contains a text. Their modules all exist from the start; one thread of the
/// simulation does one case after the other.
class case_list {
public:
    explicit case_list(std::string filter) : m_filter(std::move(filter)) {}

    bool wants(const std::string& name) const { return name.find(m_filter) != std::string::npos; }
    void add(std::function<void()> work) { m_cases.push_back(std::move(work)); }

    /// The simulation. The first exception of a case ends it and is thrown on.
    void run() const
    {
        if (m_cases.empty()) { return; }
        case_thread thread("cases", m_cases);
        sc_core::sc_start();
        if (thread.failure) { std::rethrow_exception(thread.failure); }
    }

private:
    struct case_thread : sc_core::sc_module {
        case_thread(sc_core::sc_module_name name, const std::vector<std::function<void()>>& cases)
            : sc_core::sc_module(name), m_cases(cases)
        {
            SC_HAS_PROCESS(case_thread);
            SC_THREAD(run);
        }
        void run()
        {
            try {
                for (const auto& each : m_cases) { each(); }
            } catch (const std::exception&) {
                failure = std::current_exception();
            }
        }

        std::exception_ptr failure;

    private:
        const std::vector<std::function<void()>>& m_cases;
    };

    std::string m_filter;
    std::vector<std::function<void()>> m_cases;
};

} // namespace tensorloom::benchmarks
