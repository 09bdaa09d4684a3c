#include "platform/process/process_usage.h"
#include <fstream>
#include <string>
#include <sys/resource.h>

namespace tensorloom::testbench {
namespace {

rusage resources()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage;
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

double cpu_seconds()
{
    const rusage usage = resources();
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// VmHWM starts anew when a program is loaded; ru_maxrss also counts the parent's memory from before that.
std::uint64_t peak_rss_bytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmHWM:", 0) == 0) { return 1024 * std::stoull(line.substr(6)); }
    }
    return 1024 * static_cast<std::uint64_t>(resources().ru_maxrss);
}

} // namespace

usage_meter::usage_meter() : m_wall(std::chrono::steady_clock::now()), m_cpu_s(cpu_seconds()) {}

process_usage usage_meter::elapsed() const
{
    process_usage usage;
    usage.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_wall).count();
    usage.cpu_s = cpu_seconds() - m_cpu_s;
    usage.peak_rss_bytes = peak_rss_bytes();
    return usage;
}

} // namespace tensorloom::testbench
