#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::testbench {

/// Bytes that this process can still allocate: available memory, and the rest of a limit on the address space.
std::uint64_t available_memory_bytes();

/// Bytes of addresses that a limit on the address space (ulimit -v) leaves this process; the largest number without
/// one.
std::uint64_t address_space_left_bytes();

/// Bytes of a log that keeps every record, and of the energy of each, until both are written.
std::uint64_t log_bytes(std::uint64_t records);

/// Throws base::input_error when a run needs more memory than available, before it is allocated (destroying a partly
/// built large mesh takes long). `bytes`: size of its data; overhead of the process and the heap is added. `expected`:
/// what would fit.
void require_memory(std::uint64_t bytes, const std::string& expected);

/// Approximate host memory of a tensor core in bytes. `cells`: detailed: all cells of the mesh, a module each; else the
/// most registers in use at one time.
std::uint64_t core_bytes(std::uint64_t cells, base::element_type format, bool detailed);

/// Resources used by a part of the process.
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
