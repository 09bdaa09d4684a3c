// How fast the fast fidelity multiplies: the tensor core from the start of stage I to the end of stage III inside
// sc_start, tensors and matrices resident, ESOP counts on, traces off. Dense against single-thread OpenBLAS doing the
// same three products; loading and unloading beside it; with zeros against copies of the tensor and against dense; with
// two threads against one.
//
// Ratios are medians over rounds in which a case and its reference take turns, of CPU time unless "wall" is said.
// Goals: geometric mean of core / OpenBLAS at least 1.15, no case below 1.0. Fails on wrong results, not on slow ones.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/blas_cores.h"
#include "benchmarks/blas_transform.h"
#include "benchmarks/case_list.h"
#include "benchmarks/gemt_bench.h"
#include "benchmarks/phase_clock.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

using shape3 = std::array<std::uint32_t, 3>;

constexpr unsigned most_rounds = 201;
constexpr double macs_per_case = 6e9; // small cases are noisy, so they take more rounds

nlohmann::ordered_json records = nlohmann::ordered_json::array();
std::vector<double> ratios; // of core to OpenBLAS

template <class T> const char* const format_name = std::is_same_v<T, double> ? "f64" : "f32";

std::string text_of(const shape3& n)
{
    return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
}

unsigned rounds_of(double macs)
{
    return static_cast<unsigned>(std::clamp<double>(macs_per_case / macs, rounds, most_rounds));
}

/// A platform and its clock.
template <class T> struct timed_bench {
    timed_bench(const std::string& name, const gemt_settings& settings)
        : clock({settings.shape[2] - 1, settings.shape[0] - 1, settings.shape[1] - 1},
                settings.threads > 1 ? timed_stages::each : timed_stages::last),
          bench(name, settings, &clock)
    {}
    double compute_s()
    {
        bench.transform();
        return clock.compute_s();
    }
    phase_clock clock; // of order (3,1,2)
    gemt_bench<T> bench;
};

template <class T> void against_blas(timed_bench<T>& measured)
{
    auto& b = measured.bench;
    b.prepare();
    blas_transform<T> blas(b.shape(), b.x, b.matrices);
    paired_times core;
    paired_times end_to_end;
    std::vector<double> load;
    std::vector<double> unload;
    std::vector<double> share;
    for (unsigned r = 0; r < rounds_of(b.macs()); ++r) {
        const double begin = cpu_seconds();
        b.transform();
        const double end = cpu_seconds();
        blas.run();
        const double reference = cpu_seconds() - end;
        core.add(reference, measured.clock.compute_s());
        end_to_end.add(reference, end - begin);
        load.push_back(measured.clock.load_s());
        unload.push_back(measured.clock.unload_s());
        share.push_back((load.back() + unload.back()) / (end - begin));
    }
    blas.require_equal(b.result());
    ratios.push_back(core.speed_ratio());
    const double gmacs = b.macs() / median(core.measured_s) / 1e9;
    std::printf("%s %-12s core %.3f of OpenBLAS (%5.1f GMAC/s); end to end %.2f; load %.2f ms and unload %.2f ms are "
                "%.0f %% of the run\n",
                format_name<T>, text_of(b.shape()).c_str(), core.speed_ratio(), gmacs, end_to_end.speed_ratio(),
                1e3 * median(load), 1e3 * median(unload), 100 * median(share));
    std::fflush(stdout);
    records.push_back({{"case", "dense"},
                       {"shape", text_of(b.shape())},
                       {"format", format_name<T>},
                       {"zeros", 0},
                       {"ratio", core.speed_ratio()},
                       {"gmac_per_s", gmacs},
                       {"load_s", median(load)},
                       {"unload_s", median(unload)},
                       {"load_and_unload_share", median(share)},
                       {"end_to_end_ratio", end_to_end.speed_ratio()}});
}

/// With zeros against dense, and against three copies of the tensor.
template <class T>
void with_zeros(timed_bench<T>& measured, timed_bench<T>& dense, const std::string& where, double zeros)
{
    measured.bench.prepare();
    dense.bench.prepare();
    paired_times to_dense;
    paired_times to_copies;
    std::vector<T> from = measured.bench.x;
    std::vector<T> to(from.size());
    for (unsigned r = 0; r < most_rounds / 3; ++r) {
        const double dense_s = dense.compute_s();
        const double measured_s = measured.compute_s();
        const double begin = cpu_seconds();
        for (unsigned copy = 0; copy < 3; ++copy) {
            std::memcpy(to.data(), from.data(), to.size() * sizeof(T));
            from.swap(to);
        }
        to_copies.add(cpu_seconds() - begin, measured_s);
        to_dense.add(dense_s, measured_s);
    }
    auto& b = measured.bench;
    blas_transform<T> blas(b.shape(), b.x, b.matrices);
    blas.run();
    blas.require_equal(b.result());
    const double copies = 1 / to_copies.speed_ratio();
    std::printf("%s %-12s %2.0f %% zeros in the %s: %.2f times as fast as dense, as long as %.2f times three copies of "
                "the tensor\n",
                format_name<T>, text_of(measured.bench.shape()).c_str(), 100 * zeros, where.c_str(),
                to_dense.speed_ratio(), copies);
    std::fflush(stdout);
    records.push_back({{"case", "zeros in the " + where},
                       {"shape", text_of(measured.bench.shape())},
                       {"format", format_name<T>},
                       {"zeros", zeros},
                       {"ratio", to_dense.speed_ratio()},
                       {"time_in_three_copies", copies}});
}

template <class T> void two_threads(timed_bench<T>& two, timed_bench<T>& one)
{
    two.bench.prepare();
    one.bench.prepare();
    paired_times critical_path;
    paired_times wall;
    double load = 0;
    for (unsigned r = 0; r < rounds; ++r) {
        one.bench.transform();
        two.bench.transform();
        critical_path.add(one.clock.compute_s(), two.clock.critical_path_s());
        wall.add(one.clock.compute_wall_s(), two.clock.compute_wall_s());
        double now = 0;
        if (getloadavg(&now, 1) == 1) { load = std::max(load, now); }
    }
    if (one.bench.result() != two.bench.result()) { throw std::runtime_error("two threads give other bits than one"); }
    std::printf("%s %-12s two threads: CPU critical path %.2f times as fast, wall %.2f (load average up to %.1f)\n",
                format_name<T>, text_of(two.bench.shape()).c_str(), critical_path.speed_ratio(), wall.speed_ratio(),
                load);
    records.push_back({{"case", "two threads"},
                       {"shape", text_of(two.bench.shape())},
                       {"format", format_name<T>},
                       {"zeros", 0},
                       {"ratio", critical_path.speed_ratio()},
                       {"wall_ratio", wall.speed_ratio()},
                       {"load_average", load}});
}

/// Cases and the platforms that they need, which exist from the start.
class suite : public case_list {
public:
    using case_list::case_list;

    template <class T> void add_dense(const shape3& shape)
    {
        if (!wants("dense " + text_of(shape) + " " + format_name<T>)) { return; }
        auto b = bench<T>({shape});
        add([b] { against_blas(*b); });
    }
    template <class T> void add_zeros(const shape3& shape, const std::string& where, double zeros)
    {
        if (!wants("zeros " + where + " " + std::to_string(zeros) + " " + text_of(shape) + " " + format_name<T>)) {
            return;
        }
        gemt_settings settings{shape};
        (where == "tensor" ? settings.tensor_zeros : settings.coefficient_zeros) = zeros;
        auto b = bench<T>(settings);
        auto dense = bench<T>({shape});
        add([=] { with_zeros(*b, *dense, where, zeros); });
    }
    template <class T> void add_two_threads(const shape3& shape)
    {
        if (!wants("threads " + text_of(shape) + " " + format_name<T>)) { return; }
        gemt_settings settings{shape};
        auto one = bench<T>(settings);
        settings.threads = 2;
        auto two = bench<T>(settings);
        add([=] { two_threads(*two, *one); });
    }

private:
    template <class T> std::shared_ptr<timed_bench<T>> bench(const gemt_settings& settings)
    {
        return std::make_shared<timed_bench<T>>("bench_" + std::to_string(m_platforms++), settings);
    }

    unsigned m_platforms = 0;
};

nlohmann::ordered_json run(const std::string& filter)
{
    const std::string blas = use_fastest_blas();
    std::printf("kernel: %s; %u rounds or more\n", arithmetic::best_kernel<arithmetic::gemm_kernel<double>>().name,
                rounds);
    suite all(filter);
    for (const shape3& shape : {shape3{32, 32, 32},
                                {64, 64, 64},
                                {128, 128, 128},
                                {256, 256, 256},
                                {48, 80, 20},
                                {37, 37, 37},
                                {100, 100, 100},
                                {200, 100, 60},
                                {130, 131, 129}}) {
        all.add_dense<double>(shape);
        all.add_dense<float>(shape);
    }
    for (const double zeros : {0.9, 0.99}) { all.add_zeros<double>({128, 128, 128}, "matrices", zeros); }
    for (const double zeros : {0.5, 0.9, 0.99}) { all.add_zeros<double>({128, 128, 128}, "tensor", zeros); }
    all.add_two_threads<double>({256, 256, 256});
    all.run();
    if (!ratios.empty()) {
        double sum = 0;
        for (const double ratio : ratios) { sum += std::log(ratio); }
        const double mean = std::exp(sum / static_cast<double>(ratios.size()));
        std::printf("geometric mean of core / OpenBLAS over %zu cases: %.3f\n", ratios.size(), mean);
        records.push_back({{"case", "geometric mean"}, {"ratio", mean}});
    }
    return compared_with(blas, records);
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "gemt_speed",
                          "How fast the fast fidelity of TriADA is: against OpenBLAS, with zeros, with threads.", true,
                          run);
}
