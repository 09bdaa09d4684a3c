#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::testbench {

/// Bytes that this process can still take: what the system has available, and what a limit on the address space leaves.
std::uint64_t available_memory_bytes();

/// Bytes of addresses that a limit on the address space (ulimit -v) leaves this process; the largest number without
/// one.
std::uint64_t address_space_left_bytes();

/// Bytes of a log that keeps every record, and of the energy of each, until both are written.
std::uint64_t log_bytes(std::uint64_t records);

/// Throws base::input_error when a run needs more memory than there is: found out before it takes it, because a large
/// mesh that is half built takes long to take down. `bytes`: of its data; what the process itself takes, and the heap
/// cannot use, comes on top. `expected`: what would fit.
void require_memory(std::uint64_t bytes, const std::string& expected);

/// Roughly what a tensor core takes on the host, in bytes. `cells`: of the whole mesh when detailed, a module for each;
/// else all registers that hold something at one time.
std::uint64_t core_bytes(std::uint64_t cells, base::element_type format, bool detailed);

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
