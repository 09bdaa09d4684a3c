// What devices of several sizes cost a platform, in both fidelities: host memory and CPU time of elaboration, the peak
// of memory with data, CPU time of destruction. A process per row: SystemC elaborates once, and a peak never falls.
//
// Memory is the resident set beyond that of the process without modules. The data: a transform that fills a TriADA or a
// torus, with its tensors in the platform's memory; all bytes of the memories of an MMU/VCU pair or a FETTA.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>
#include <systemc>
#include <tensorloom/models/base/values/config_lines.h>
#include <tensorloom/models/fetta/device.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/models/torus/device.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/router.h>
#include "benchmarks/rounds.h"

using namespace tensorloom;

namespace {

constexpr std::uint64_t registers_at = 0x4000'0000, memory_at = 0x1'0000'0000, memory_bytes = std::uint64_t{1} << 32;

struct row {
    const char* device;
    const char* fields; // of the configuration
    blocks::fidelity fidelity;
};

constexpr auto fast = blocks::fidelity::fast, detailed = blocks::fidelity::detailed;
constexpr row rows[] = {
    {"triada", "mesh=16x16x16", fast},
    {"triada", "mesh=32x32x32", fast},
    {"triada", "mesh=64x64x64", fast},
    {"triada", "mesh=128x128x128", fast},
    {"triada", "mesh=256x256x256", fast},
    {"triada", "mesh=16x16x16", detailed},
    {"triada", "mesh=32x32x32", detailed},
    {"triada", "mesh=64x64x64", detailed},
    {"torus", "side=4 block=16x16x16", fast},
    {"torus", "side=8 block=16x16x16", fast},
    {"torus", "side=16 block=16x16x16", fast},
    {"torus", "side=4 block=16x16x16", detailed},
    {"torus", "side=8 block=16x16x16", detailed},
    {"torus", "side=16 block=16x16x16", detailed},
    {"mmv", "side=16 scratchpad-bytes=1048576", fast},
    {"mmv", "side=128 scratchpad-bytes=67108864", fast},
    {"mmv", "side=16 scratchpad-bytes=1048576", detailed},
    {"mmv", "side=128 scratchpad-bytes=67108864", detailed},
    {"fetta", "engines=16 side=4", fast},
    {"fetta", "engines=64 side=16", fast},
    {"fetta", "engines=16 side=4", detailed},
    {"fetta", "engines=64 side=16", detailed},
};

double mebibytes(const char* entry)
{
    std::ifstream status("/proc/self/status");
    const std::string name = std::string(entry) + ":";
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(name, 0) == 0) { return std::stod(line.substr(name.size())) / 1024; }
    }
    throw std::runtime_error("no " + name);
}

void preload(bus::host_thread& host, std::uint64_t at, std::size_t elements)
{
    const std::vector<double> ones(std::min<std::size_t>(elements, 65536), 1.0);
    for (std::size_t done = 0; done < elements; done += ones.size()) {
        host.preload(at + done * sizeof(double), ones.data(),
                     std::min(ones.size(), elements - done) * sizeof(double));
    }
}

// X, Y and the matrices of a transform of n x n x n, one after the other.
template <class Command> Command transform(bus::host_thread& host, std::uint32_t n)
{
    const auto f64 = base::element_type::f64;
    const std::uint64_t cube = std::uint64_t{8} * n * n * n, square = std::uint64_t{8} * n * n;
    std::uint64_t at = memory_at + 0x10000;
    Command job;
    job.x = isa::dense_descriptor(at, f64, {n, n, n});
    preload(host, at, cube / 8);
    job.y = isa::dense_descriptor(at += cube, f64, {n, n, n});
    at += cube;
    for (auto& matrix : job.matrix) {
        matrix = isa::dense_descriptor(at, f64, {n, n});
        preload(host, at, square / 8);
        at += square;
    }
    return job;
}

template <class Driver, class Command> void run(bus::host_thread& host, const Command& job)
{
    Driver driver(host, registers_at);
    const auto result = driver.run(driver.program({job}), memory_at, 1'000'000'000'000);
    if (!result.done) { throw std::runtime_error(isa::error_text(result.error)); }
}

void use(triada::device_base&, bus::host_thread& host, const triada::config& c)
{
    run<triada::driver>(host, transform<triada::gemt_command>(host, c.mesh[0]));
}

void use(torus::device_base&, bus::host_thread& host, const torus::config& c)
{
    auto job = transform<torus::orbit_command>(host, c.side * c.block[0]);
    job.blocks.in_block = job.blocks.out_block = c.block;
    run<torus::driver>(host, job);
}

template <class Config> void use(shell::device_shell& device, bus::host_thread&, const Config&)
{
    const std::vector<unsigned char> ones(65536, 1);
    for (const auto& memory : device.debug_memories()) {
        for (std::uint64_t at = 0; at < memory.bytes; at += ones.size()) {
            memory.write(at, ones.data(), std::min<std::uint64_t>(ones.size(), memory.bytes - at));
        }
    }
}

struct costs {
    double elaboration_s = 0, memory = 0, peak = 0; // MiB
    double end_s = 0;                               // CPU time of the process before its modules are destroyed
};

/// Notes when all modules are elaborated, before the host's program.
struct elaboration : sc_core::sc_module {
    explicit elaboration(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
    void start_of_simulation() override
    {
        seconds = benchmarks::cpu_seconds();
        memory = mebibytes("VmRSS");
    }
    double seconds = 0, memory = 0;
};

template <class Traits> costs measure(const row& r)
{
    typename Traits::config config;
    config.fidelity = r.fidelity;
    if (const auto wrong = base::set_all(config, r.fields)) { throw std::runtime_error(*wrong); }
    memory::sram_config memory_config;
    memory_config.bytes = memory_bytes;

    const double without = mebibytes("VmRSS");
    const double start = benchmarks::cpu_seconds();
    shell::device_of_width<Traits, 32>* device = nullptr;
    bus::host_thread host("host", [&](bus::host_thread& cpu) { use(*device, cpu, config); });
    bus::router<32> router("router", {});
    memory::sram<32> memory("memory", memory_config);
    shell::device_of_width<Traits, 32> accelerator("accelerator", config);
    device = &accelerator;
    sc_core::sc_signal<bool> interrupt("interrupt");
    host.bus.bind(router.in);
    accelerator.dma.bind(router.in);
    router.out.bind(accelerator.regs);
    router.out.bind(memory.in);
    router.map(registers_at, registers_at + 0xfff, 0);
    router.map(memory_at, memory_at + memory_bytes - 1, 1);
    accelerator.irq.bind(interrupt);
    host.irq.bind(interrupt);
    elaboration elaborated("elaborated");
    sc_core::sc_start();
    if (!host.finished()) { throw std::runtime_error("the host has not finished"); }
    return {elaborated.seconds - start, elaborated.memory - without, mebibytes("VmHWM") - without,
            benchmarks::cpu_seconds()};
}

int measured(const row& r)
{
    try {
        const std::string device = r.device;
        const auto found = device == "triada"  ? measure<triada::traits>(r)
                           : device == "torus" ? measure<torus::traits>(r)
                           : device == "mmv"   ? measure<mmv::traits>(r)
                                               : measure<fetta::traits>(r);
        std::printf("| %s | %s | %s | %.3f | %.1f | %.1f | %.3f |\n", r.device, r.fields,
                    r.fidelity == fast ? "fast" : "detailed", found.elaboration_s, found.memory, found.peak,
                    benchmarks::cpu_seconds() - found.end_s);
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "device_size: %s %s: %s\n", r.device, r.fields, failure.what());
        return 1;
    }
}

} // namespace

int sc_main(int, char**)
{
    std::printf("| device | fields | fidelity | elaboration, s | memory, MiB | with data, MiB | destruction, s |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    int status = 0;
    for (const row& r : rows) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            const int result = measured(r);
            std::fflush(stdout);
            _exit(result);
        }
        int ended = 0;
        waitpid(child, &ended, 0);
        if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) { status = 1; }
    }
    return status;
}
