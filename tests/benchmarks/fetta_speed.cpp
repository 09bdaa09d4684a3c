// How fast a FETTA is simulated: a product of 256 x 256 matrices in the unified memory through its tensor contraction
// unit, in multiply-adds per CPU second and against OpenBLAS; small contractions from a host's memory and back, and
// CONTRACTs whose operands stay on chip, in contractions per CPU minute. CPU time, medians over rounds.
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/fetta/device.h>
#include <tensorloom/workloads/contraction/run.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/blas_cores.h"
#include "benchmarks/contraction_unit_speed.h"
#include "benchmarks/rounds.h"
#include "models/fetta/contract_chain.h"
#include "models/fetta/fetta_program.h"
#include "platform/system/testbed_platform.h"
#include "platform/fetta/fetta_testbed.h"
#include "platform/run/simulated_session.h"
#include "workloads/contraction/ordered_sums.h"
#include "workloads/contraction/random_contraction.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr std::uint64_t memory_bytes = 32u << 20;

// Cases.
constexpr char small_as_programs[] = "small, each a program";
constexpr char small_planning[] = "small, planning alone";
constexpr char commands_of_one[] = "commands in one program";
constexpr char chain_in_loop[] = "CONTRACT in a LOOP";
constexpr char chain_that_advances[] = "... that advances";

nlohmann::ordered_json records = nlohmann::ordered_json::array();

void record(const char* name, double per_minute, const char* what)
{
    std::printf("  %-22s %9.0f %s per CPU minute\n", name, per_minute, what);
    std::fflush(stdout);
    records.push_back({{"case", name}, {std::string(what) + "_per_cpu_minute", per_minute}});
}

/// A contraction whose tensors have 1 to 8 modes each, sizes of at most 8, of at most 512 multiply-adds.
workloads::contraction small_contraction(std::mt19937& random)
{
    for (;;) {
        auto p = test::random_contraction(random, 8, 512);
        if (!p.a.empty() && !p.b.empty() && !p.c.empty()) { return p; }
    }
}

/// Random contractions as a user runs them, each a program: planned; then operands and program written over the bus,
/// started, waited for by interrupt, result and counts read back. Planning and running are timed apart.
void measure_small_contractions(bus::host_thread& cpu)
{
    constexpr unsigned count = 200;
    testbench::simulated_session<fetta::traits> machine(cpu, testbench::device_base, fetta::config{},
                                                        testbench::memory_base, memory_bytes);
    std::mt19937 random(1);
    std::vector<workloads::contraction> problems;
    std::vector<std::vector<float>> a, b;
    for (unsigned i = 0; i < count; ++i) {
        problems.push_back(small_contraction(random));
        a.push_back(test::random_elements(random, problems[i].extent(problems[i].a)));
        b.push_back(test::random_elements(random, problems[i].extent(problems[i].b)));
    }
    std::vector<double> planning_s, running_s;
    for (unsigned r = 0; r < rounds; ++r) {
        std::vector<workloads::contraction_plan> plans;
        std::vector<std::vector<float>> results;
        const double begin = cpu_seconds();
        for (const auto& p : problems) { plans.push_back(workloads::plan_contraction(p, machine.limits(), {})); }
        const double middle = cpu_seconds();
        for (unsigned i = 0; i < count; ++i) {
            results.push_back(workloads::run_contraction(machine, plans[i], a[i], b[i]).c);
        }
        planning_s.push_back(middle - begin);
        running_s.push_back(cpu_seconds() - middle);
        for (unsigned i = 0; i < count; ++i) {
            if (results[i] != test::ordered_sums(plans[i], a[i], b[i])) {
                throw std::runtime_error("a small contraction is wrong");
            }
        }
    }
    record(small_as_programs, 60 * count / median(running_s), "contractions");
    record(small_planning, 60 * count / median(planning_s), "plans");
}

/// Products of 8 x 8 matrices between LOAD and STORE, commands of one program.
void measure_commands(bus::host_thread& cpu)
{
    constexpr unsigned count = 2000;
    const fetta::device_limits g;
    test::fetta_program p(g);
    const std::uint64_t data = testbench::memory_base + 0x4'0000;
    p.loop(count).load(data, 0, 64).contract(test::fetta_program::product(g, 4096, 0, 64, 8, 8, 8));
    p.store(4096, data + 4096, 64).end();
    fetta::driver driver(cpu, testbench::device_base);
    const auto times = times_of([&] {
        if (!driver.run(p.bytes(), testbench::memory_base, 10'000'000'000).done) {
            throw std::runtime_error("the program of small contractions ended in an error");
        }
    });
    record(commands_of_one, 60 * count / median(times), "contractions");
}

/// So many CONTRACTs of 4 x 4 matrices in LOOPs, operands on chip; each multiplies the result of the one before.
void measure_chain(bus::host_thread& cpu, const char* name, unsigned count, const test::fetta_program& chain)
{
    const auto program = chain.bytes();
    fetta::driver driver(cpu, testbench::device_base);
    const auto times = times_of([&] {
        if (!driver.run(program, testbench::memory_base, 10'000'000'000).done) {
            throw std::runtime_error("the program of CONTRACTs in a LOOP ended in an error");
        }
    });
    record(name, 60 * count / median(times), "contractions");
}

nlohmann::ordered_json run(const std::string& filter)
{
    using blocks::fidelity;
    const std::string blas = use_fastest_blas();
    contraction_unit_speed fast("fast_f32", fidelity::fast, base::element_type::f32, 8);
    contraction_unit_speed fast_bf16("fast_bf16", fidelity::fast, base::element_type::bf16, 4);
    contraction_unit_speed detailed("detailed_f32", fidelity::detailed, base::element_type::f32, 1);
    contraction_unit_speed detailed_bf16("detailed_bf16", fidelity::detailed, base::element_type::bf16, 1);
    testbench::platform_config settings;
    settings.memory.bytes = memory_bytes;
    // One thread does all, one case after the other: what runs beside it would be measured with it.
    testbench::testbed_platform<fetta::traits> platform(
        "platform", fetta::config{}, settings, [&](bus::host_thread& cpu) {
            const auto wanted = [&](const std::string& name) { return name.find(filter) != std::string::npos; };
            for (auto* unit : {&fast, &fast_bf16, &detailed, &detailed_bf16}) {
                if (wanted(unit->name())) { records.push_back(unit->measure()); }
            }
            if (wanted(small_as_programs) || wanted(small_planning)) { measure_small_contractions(cpu); }
            if (wanted(commands_of_one)) { measure_commands(cpu); }
            const fetta::device_limits g;
            if (wanted(chain_in_loop)) {
                measure_chain(cpu, chain_in_loop, 50'000, test::contract_chain_in_loop(g, 50'000));
            }
            if (wanted(chain_that_advances)) {
                test::fetta_program p(g);
                p.loop(1000).loop(50).contract(test::contract_chain::that_advances(g)).end().end();
                measure_chain(cpu, chain_that_advances, 50'000, p);
            }
        });
    sc_core::sc_start();
    platform.cpu.rethrow();
    return compared_with(blas, records);
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "fetta_speed", "How fast a FETTA is simulated.", true, run);
}
