#include "speed.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace tensorloom::virtual_platform {
namespace {

struct row {
    const char* name;
    bool devices;
    firmware_work work;
    unsigned burst_bytes;
    bus::dmi_use dma_dmi;
    unsigned quantum_ns;
};

// The first row is the reference of the others.
constexpr row rows[] = {
    {"no device", false, work_compute, 4096, bus::dmi_use::off, 10'000},
    {"four idle devices", true, work_compute, 4096, bus::dmi_use::off, 10'000},
    {"one busy, bursts of 4 KiB", true, work_both, 4096, bus::dmi_use::off, 10'000},
    {"one busy, bursts of 64 B", true, work_both, 64, bus::dmi_use::off, 10'000},
    {"one busy, bursts of 4 B", true, work_both, 4, bus::dmi_use::off, 10'000},
    {"one busy, bursts of 4 B by DMI", true, work_both, 4, bus::dmi_use::on, 10'000},
    {"no device, data over the bus", false, work_on_bus, 4096, bus::dmi_use::off, 10'000},
    {"four idle devices, quantum 1 us", true, work_compute, 4096, bus::dmi_use::off, 1'000},
    {"four idle devices, quantum 100 ns", true, work_compute, 4096, bus::dmi_use::off, 100},
    {"one busy, 4 KiB, quantum 1 us", true, work_both, 4096, bus::dmi_use::off, 1'000},
    {"one busy, 4 KiB, quantum 100 ns", true, work_both, 4096, bus::dmi_use::off, 100},
};

double cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double mips_of(const row& r, const std::vector<unsigned char>& firmware)
{
    platform_config config;
    config.devices = r.devices;
    config.work = r.work;
    config.burst_bytes = r.burst_bytes;
    config.dma_dmi = r.dma_dmi;
    std::ostringstream console_output;
    const auto end = run_platform(config, sc_core::sc_time(r.quantum_ns, sc_core::SC_NS), firmware, console_output);
    return end.exit_status == 0u ? 1e-6 * static_cast<double>(end.instructions) / end.cpu_s : 0;
}

// SystemC elaborates once per process.
double mips_in_own_process(const row& r, const std::vector<unsigned char>& firmware)
{
    int ends[2];
    if (pipe(ends) != 0) { throw std::runtime_error("no pipe"); }
    const pid_t child = fork();
    if (child < 0) { throw std::runtime_error("no process"); }
    double mips = 0;
    if (child == 0) {
        mips = mips_of(r, firmware);
        _exit(write(ends[1], &mips, sizeof mips) == sizeof mips ? 0 : 1);
    }
    close(ends[1]);
    const bool whole = read(ends[0], &mips, sizeof mips) == sizeof mips;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!whole || mips == 0) { throw std::runtime_error(std::string("a run failed: ") + r.name); }
    return mips;
}

} // namespace

run_end run_platform(const platform_config& config, const sc_core::sc_time& quantum,
                     const std::vector<unsigned char>& firmware, std::ostream& console_output)
{
    tlm::tlm_global_quantum::instance().set(quantum);
    platform system("platform", config, firmware, console_output);
    const double begin = cpu_seconds();
    sc_core::sc_start(1, sc_core::SC_SEC);
    return {system.exit_status(), system.instructions(), cpu_seconds() - begin};
}

void measure_speed(const std::vector<unsigned char>& firmware, unsigned rounds)
{
    std::vector<std::vector<double>> mips(std::size(rows)), ratios(std::size(rows));
    for (unsigned round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < std::size(rows); ++i) {
            mips[i].push_back(mips_in_own_process(rows[i], firmware));
            ratios[i].push_back(mips[i].back() / mips[0].back());
        }
    }
    std::printf("%-36s %8s %9s\n", "medians of runs in turns, CPU time", "MIPS", "relative");
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        std::printf("%-36s %8.1f %9.3f\n", rows[i].name, median(mips[i]), median(ratios[i]));
    }
}

} // namespace tensorloom::virtual_platform
