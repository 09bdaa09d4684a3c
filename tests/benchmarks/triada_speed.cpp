// How fast TriADA is simulated: fast fidelity against single-thread OpenBLAS doing the same three products, detailed fidelity in
// cell-steps per CPU second, and what a full set of traces costs. Ratios are medians over rounds taken in turns; CPU time.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <iostream>
#include <memory>
#include <malloc.h>
#include <unistd.h>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/arithmetic/ordered_gemm.h>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/job_log.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/arch/technology.h>
#include <tensorloom/models/arch/triada_energy.h>
#include "benchmarks/gemt_bench.h"
#include "benchmarks/phase_clock.h"
#include "benchmarks/rounds.h"
#include "platform/main.h"

extern "C" char* openblas_get_corename(void);
extern "C" void openblas_set_num_threads(int);

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr unsigned rounds = 15;
using bench = gemt_bench<double>;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

// The three products of order (3,1,2) on row-major data: X C3, C1^T (.), C2^T (.) slab by slab.
void blas_transform(const bench& b, std::vector<double>& first, std::vector<double>& second, std::vector<double>& y)
{
    const int n1 = static_cast<int>(b.shape()[0]);
    const int n2 = static_cast<int>(b.shape()[1]);
    const int n3 = static_cast<int>(b.shape()[2]);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n1 * n2, n3, n3, 1, b.x.data(), n3, b.matrices[2].data(), n3,
                0, first.data(), n3);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n1, n2 * n3, n1, 1, b.matrices[0].data(), n1, first.data(),
                n2 * n3, 0, second.data(), n2 * n3);
    for (int i = 0; i < n1; ++i) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * n2 * n3;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n2, n3, n2, 1, b.matrices[1].data(), n2,
                    second.data() + at, n3, 0, y.data() + at, n3);
    }
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b)
{
    double d = 0;
    for (std::size_t i = 0; i < a.size(); ++i) { d = std::max(d, std::fabs(a[i] - b[i])); }
    return d;
}

std::string text_of(const bench& b)
{
    return std::to_string(b.shape()[0]) + "x" + std::to_string(b.shape()[1]) + "x" + std::to_string(b.shape()[2]);
}

void against_blas(bench& b, const phase_clock& clock)
{
    std::vector<double> first(b.volume()), second(b.volume()), y(b.volume());
    paired_times core, end_to_end;
    std::vector<double> load, unload;
    for (unsigned r = 0; r < rounds; ++r) {
        const double begin = cpu_seconds();
        b.transform();
        const double end = cpu_seconds();
        blas_transform(b, first, second, y);
        const double blas = cpu_seconds() - end;
        core.reference_s.push_back(blas);
        core.measured_s.push_back(clock.compute_s());
        end_to_end.reference_s.push_back(blas);
        end_to_end.measured_s.push_back(end - begin);
        load.push_back(clock.load_s());
        unload.push_back(clock.unload_s());
    }
    const double difference = largest_difference(b.result(), y);
    const double gmacs = b.macs() / median(core.measured_s) / 1e9;
    std::printf("  %-12s core %.2f of OpenBLAS (%.1f GMAC/s), load %.2f ms, unload %.2f ms, end to end %.2f of "
                "OpenBLAS, difference %.1e\n",
                text_of(b).c_str(), core.speed_ratio(), gmacs, 1e3 * median(load), 1e3 * median(unload),
                end_to_end.speed_ratio(), difference);
    std::fflush(stdout);
    // Data and coefficients are at most 1 in modulus: the sums' rounding errors cannot exceed this, in whatever order they are done.
    const auto& n = b.shape();
    const double largest_allowed =
        2 * std::numeric_limits<double>::epsilon() * (n[0] + n[1] + n[2]) * static_cast<double>(b.volume());
    if (!(difference <= largest_allowed)) {
        throw std::runtime_error("the device's result differs from OpenBLAS by " + std::to_string(difference));
    }
    records.push_back({{"case", "core"},
                       {"shape", text_of(b)},
                       {"format", "f64"},
                       {"ratio", core.speed_ratio()},
                       {"gmac_per_s", gmacs},
                       {"load_s", median(load)},
                       {"unload_s", median(unload)},
                       {"end_to_end_ratio", end_to_end.speed_ratio()}});
}

void detailed_speed(bench& b, const phase_clock& clock, std::size_t bytes)
{
    std::vector<double> times;
    for (unsigned r = 0; r < rounds; ++r) {
        b.transform();
        times.push_back(clock.compute_s());
    }
    const double cell_steps = b.macs() / median(times);
    const double per_cell = static_cast<double>(bytes) / static_cast<double>(b.volume());
    std::printf("  %-12s %.1f million cell-steps per CPU second, %.0f bytes per cell\n", text_of(b).c_str(),
                cell_steps / 1e6, per_cell);
    std::fflush(stdout);
    records.push_back(
        {{"case", "detailed"}, {"shape", text_of(b)}, {"cell_steps_per_s", cell_steps}, {"bytes_per_cell", per_cell}});
}

void write_traces(const activity::job_log& log, const bench& b, const std::filesystem::path& directory)
{
    const auto& n = b.shape();
    const activity::energy_report energy(
        log, 1.0,
        {{b.device_name(), arch::triada_energy(arch::load_technology("45nm"), {n, arch::element_type::f64, 2})}});
    activity::write_latency_csv((directory / "latency.csv").string(), log);
    activity::write_energy_csv((directory / "energy.csv").string(), log, energy);
    activity::write_trace_json((directory / "trace.json").string(), log, energy);
}

void trace_cost(bench& traced, bench& plain, const activity::job_log& log, const std::filesystem::path& directory)
{
    paired_times times;
    for (unsigned r = 0; r < rounds; ++r) {
        const double begin = cpu_seconds();
        plain.transform();
        const double middle = cpu_seconds();
        traced.transform();
        write_traces(log, traced, directory);
        times.reference_s.push_back(middle - begin);
        times.measured_s.push_back(cpu_seconds() - middle);
    }
    const double cost = 100 * (1 / times.speed_ratio() - 1);
    std::printf("  %-12s all traces but VCD cost %.1f %% end to end\n", text_of(traced).c_str(), cost);
    records.push_back({{"case", "traces"}, {"shape", text_of(traced)}, {"cost_percent", cost}});
}

int run(const char* json_path)
{
    openblas_set_num_threads(1);
    std::printf("OpenBLAS core: %s; %u rounds; kernel: %s\n", openblas_get_corename(), rounds,
                arithmetic::best_gemm_kernel<double>().name);
    // All platforms exist from the start; they work one after the other.
    std::vector<std::unique_ptr<sc_core::sc_event>> turns;
    for (unsigned i = 0; i < 5; ++i) { turns.push_back(std::make_unique<sc_core::sc_event>()); }
    const auto after = [&turns](std::size_t turn, auto work) {
        return [&turns, turn, work](bench& b) {
            if (turn > 0) { wait(*turns[turn]); }
            b.prepare();
            work(b);
            if (turn + 1 < turns.size()) { turns[turn + 1]->notify(sc_core::SC_ZERO_TIME); }
        };
    };
    const bench::shape3 shapes[] = {{64, 64, 64}, {96, 80, 48}, {128, 128, 128}};
    phase_clock clocks[] = {phase_clock(63), phase_clock(79), phase_clock(127)};
    std::vector<std::unique_ptr<bench>> fast;
    for (std::size_t i = 0; i < 3; ++i) {
        fast.push_back(std::make_unique<bench>("fast_" + std::to_string(i), shapes[i], triada::fidelity::fast,
                                               &clocks[i], after(i, [&clocks, i](bench& b) {
                                                   if (i == 0) { std::printf("fast fidelity, f64, one thread\n"); }
                                                   against_blas(b, clocks[i]);
                                               })));
    }
    phase_clock detailed_clock(31);
    const std::size_t before = mallinfo2().uordblks;
    std::size_t detailed_bytes = 0;
    bench detailed("detailed", {32, 32, 32}, triada::fidelity::detailed, &detailed_clock, after(3, [&](bench& b) {
                       std::printf("detailed fidelity, f64, ESOP and counters on\n");
                       detailed_speed(b, detailed_clock, detailed_bytes);
                   }));
    detailed_bytes = mallinfo2().uordblks - before;

    const std::filesystem::path directory =
        std::filesystem::temp_directory_path() / ("triada_speed_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    bench plain("plain", {128, 128, 128}, triada::fidelity::fast, nullptr, [](bench&) {});
    activity::job_log log("traced.device");
    bench traced("traced", {128, 128, 128}, triada::fidelity::fast, &log, after(4, [&](bench& b) {
                     plain.prepare();
                     trace_cost(b, plain, log, directory);
                 }));
    sc_core::sc_start();
    for (auto& b : fast) { b->cpu().rethrow(); }
    for (auto* b : {&detailed, &plain, &traced}) { b->cpu().rethrow(); }
    std::filesystem::remove_all(directory);
    if (json_path != nullptr) { std::ofstream(json_path) << records.dump(2) << "\n"; }
    return 0;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    if (argc != 1 && !(argc == 3 && std::strcmp(argv[1], "--json") == 0)) {
        std::fprintf(stderr, "%s: expected no arguments, or --json FILE\n", argv[0]);
        return 2;
    }
    return testbench::run_main(argc, argv, [](int count, char** arguments) -> int {
        testbench::leave(arguments[0], run(count == 3 ? arguments[2] : nullptr));
    });
}
