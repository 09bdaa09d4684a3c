#include "platform/process/process_resources.h"
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>
#include <unistd.h>
#include <sys/resource.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t system_available_bytes()
{
    std::ifstream info("/proc/meminfo");
    for (std::string line; std::getline(info, line);) {
        std::istringstream fields(line);
        std::string name;
        std::uint64_t kib = 0;
        if (fields >> name >> kib && name == "MemAvailable:") { return kib * 1024; }
    }
    return unknown;
}

std::string gib(std::uint64_t bytes)
{
    std::ostringstream text;
    text << std::setprecision(3) << static_cast<double>(bytes) / (1u << 30) << " GiB";
    return text.str();
}

} // namespace

std::uint64_t address_space_left_bytes()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) { return unknown; }
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::uint64_t available_memory_bytes() { return std::min(system_available_bytes(), address_space_left_bytes()); }

std::uint64_t log_bytes(std::uint64_t records)
{
    constexpr std::uint64_t record_bytes = 600; // times and place, counts of some 60 events, energy of 6 components
    return records > unknown / record_bytes ? unknown : records * record_bytes;
}

void require_memory(std::uint64_t data_bytes, const std::string& expected)
{
    constexpr std::uint64_t process_bytes = std::uint64_t{24} << 20;
    const std::uint64_t overhead = data_bytes / 8 + process_bytes;
    const std::uint64_t bytes = data_bytes > unknown - overhead ? unknown : data_bytes + overhead;
    const std::uint64_t available = available_memory_bytes();
    if (bytes > available) {
        throw base::input_error("the run needs about " + gib(bytes) + " of memory, " + gib(available) +
                                " are available, expected " + expected);
    }
}

std::uint64_t core_bytes(std::uint64_t cells, base::element_type format, bool detailed)
{
    constexpr std::uint64_t cell_module_bytes = 880;
    const std::uint64_t element = base::element_bytes(format);
    const std::uint64_t sum = base::element_bytes(base::accumulator_type(format));
    return cells * (detailed ? cell_module_bytes + element + 4 * sum : sum);
}

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
