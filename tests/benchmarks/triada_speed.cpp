// How fast TriADA is simulated besides its arithmetic (gemt_speed.cpp): detailed fidelity in cell-steps per CPU second,
// and what a full set of traces costs. Ratios are medians over rounds taken in turns; CPU time.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <malloc.h>
#include <unistd.h>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/gemt_bench.h"
#include "benchmarks/phase_clock.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

using bench = gemt_bench<double>;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

std::string text_of(const bench& b)
{
    return std::to_string(b.shape()[0]) + "x" + std::to_string(b.shape()[1]) + "x" + std::to_string(b.shape()[2]);
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

void write_traces(const activity::program_log& log, const bench& b, const std::filesystem::path& directory)
{
    const auto& n = b.shape();
    const activity::energy_report energy(
        log, 1.0,
        {{b.device_name(), triada::device_energy(costs::load_technology("45nm"), {n, base::element_type::f64, 2})}});
    activity::write_latency_csv((directory / "latency.csv").string(), log);
    activity::write_energy_csv((directory / "energy.csv").string(), log, energy);
    activity::write_trace_json((directory / "trace.json").string(), log, energy);
}

void trace_cost(bench& traced, bench& plain, const activity::program_log& log, const std::filesystem::path& directory)
{
    const auto times = times_in_turns(
        1, [&] { plain.transform(); },
        [&] {
            traced.transform();
            write_traces(log, traced, directory);
        });
    const double cost = 100 * (1 / times.speed_ratio() - 1);
    std::printf("  %-12s all traces but VCD cost %.1f %% end to end\n", text_of(traced).c_str(), cost);
    records.push_back({{"case", "traces"}, {"shape", text_of(traced)}, {"cost_percent", cost}});
}

nlohmann::ordered_json run()
{
    // All platforms exist from the start; they work one after the other.
    std::vector<std::unique_ptr<sc_core::sc_event>> turns;
    for (unsigned i = 0; i < 2; ++i) { turns.push_back(std::make_unique<sc_core::sc_event>()); }
    const auto after = [&turns](std::size_t turn, auto work) {
        return [&turns, turn, work](bench& b) {
            if (turn > 0) { wait(*turns[turn]); }
            b.prepare();
            work(b);
            if (turn + 1 < turns.size()) { turns[turn + 1]->notify(sc_core::SC_ZERO_TIME); }
        };
    };
    phase_clock detailed_clock({31, 31, 31});
    const std::size_t before = mallinfo2().uordblks;
    std::size_t detailed_bytes = 0;
    bench detailed("detailed", {{32, 32, 32}, triada::fidelity::detailed}, &detailed_clock, after(0, [&](bench& b) {
                       std::printf("detailed fidelity, f64, ESOP and counters on\n");
                       detailed_speed(b, detailed_clock, detailed_bytes);
                   }));
    detailed_bytes = mallinfo2().uordblks - before;

    const std::filesystem::path directory =
        std::filesystem::temp_directory_path() / ("triada_speed_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory);
    bench plain("plain", {{128, 128, 128}}, nullptr);
    activity::program_log log("traced.device");
    bench traced("traced", {{128, 128, 128}}, &log, after(1, [&](bench& b) {
                     plain.prepare();
                     trace_cost(b, plain, log, directory);
                 }));
    sc_core::sc_start();
    for (auto* b : {&detailed, &plain, &traced}) { b->cpu().rethrow(); }
    std::filesystem::remove_all(directory);
    return records;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "triada_speed",
                          "How fast the detailed fidelity of TriADA is, and what traces cost.", false,
                          [](const std::string&) { return run(); });
}
