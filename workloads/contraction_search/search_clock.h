#pragma once
#include <chrono>
#include <cstdint>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::workloads {

/// Time limit and progress of a search. Called often, it reads the clock seldom.
class search_clock {
public:
    explicit search_clock(const search_request& request) : m_request(request) {}

    /// Whether time is up after so many more comparisons; remains true from then on.
    bool up(double fraction, std::uint64_t work = 1)
    {
        m_work += work;
        if (m_up || m_work < work_per_look) { return m_up; }
        m_work = 0;
        if (m_request.progress) { m_request.progress(fraction); }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_start;
        m_up = m_request.seconds > 0 && passed.count() > m_request.seconds;
        return m_up;
    }
    bool was_up() const { return m_up; }

private:
    static constexpr std::uint64_t work_per_look = 1u << 12;

    const search_request& m_request;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::uint64_t m_work = 0;
    bool m_up = false;
};

} // namespace tensorloom::workloads
