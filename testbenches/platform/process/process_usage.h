#pragma once
#include <chrono>
#include <cstdint>

namespace tensorloom::testbench {

/// What a stretch of the process cost.
struct process_usage {
    double wall_s = 0;
    double cpu_s = 0;                 ///< user and system, all threads
    std::uint64_t peak_rss_bytes = 0; ///< largest resident set of the process since its start
};

/// Measures from its construction on.
class usage_meter {
public:
    usage_meter();
    process_usage elapsed() const;

private:
    std::chrono::steady_clock::time_point m_wall;
    double m_cpu_s;
};

} // namespace tensorloom::testbench
