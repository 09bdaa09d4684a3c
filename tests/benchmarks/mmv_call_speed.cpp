// How many small calls an MMU/VCU pair runs end to end: through driver, bus and memory, each with four rows of a side
// of 16. Of programs with one MATMUL each, which the host writes, starts, waits for and asks for their counts; and of
// one program that loops. CPU time.
#include <cstdio>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/rounds.h"
#include "platform/system/testbed_platform.h"
#include "platform/mmv/mmv_testbed.h"
#include "platform/run/simulated_session.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr unsigned programs_per_round = 500;
constexpr unsigned iterations = 20000;
constexpr unsigned side = 16;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

mmv::matmul_command small_call(workloads::mmv_program_builder& builder)
{
    const auto x = builder.loaded(std::vector<double>(4 * side, 1));
    const auto r = builder.loaded(std::vector<double>(side * side, 1));
    const auto z = builder.words(4 * side);
    mmv::matmul_command m;
    m.result = {z.address, side, {}};
    m.left = {x.address, side, {}};
    m.weights = {r.address, side, {}};
    m.words = 4 * side;
    m.left_columns = m.result_columns = side;
    return m;
}

template <class Round> void measure(const char* name, unsigned calls, const Round& round)
{
    const double per_minute = 60 * calls / median(times_of(round));
    std::printf("  %-32s %12.0f calls per CPU minute\n", name, per_minute);
    std::fflush(stdout);
    records.push_back({{"case", name}, {"calls_per_cpu_minute", per_minute}});
}

void work(bus::host_thread& cpu, const mmv::config& config, std::uint64_t memory_bytes)
{
    testbench::simulated_session<mmv::traits> machine(cpu, testbench::device_base, config, testbench::memory_base,
                                                      memory_bytes);
    workloads::mmv_program_builder builder(machine);
    const auto call = small_call(builder);
    builder.run();
    measure("programs of one call", programs_per_round, [&] {
        for (unsigned i = 0; i < programs_per_round; ++i) {
            builder.add(call);
            builder.run();
        }
    });
    measure("a program that loops", iterations, [&] {
        builder.loop(iterations);
        builder.add(call);
        builder.end();
        builder.run();
    });
}

nlohmann::ordered_json run()
{
    mmv::config config;
    config.side = side;
    config.format = base::element_type::f64;
    testbench::platform_config settings;
    settings.memory.bytes = testbench::session_memory::program_bytes + (1u << 20);
    testbench::testbed_platform<mmv::traits> platform(
        "platform", config, settings, [&](bus::host_thread& cpu) { work(cpu, config, settings.memory.bytes); });
    sc_core::sc_start();
    platform.cpu.rethrow();
    return records;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "mmv_call_speed", "How many small calls an MMU/VCU pair runs end to end.", false,
                          [](const std::string&) { return run(); });
}
