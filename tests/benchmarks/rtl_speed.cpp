// What the fidelity rtl costs to simulate, in CPU time relative to detailed: element-cycles of a systolic array while
// rows stream through it. Ratios are medians over rounds taken in turns.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <systemc>
#include <tensorloom/models/blocks/systolic_array.h>
#include <tensorloom/models/rtl/formats.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr unsigned rows = 2000;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

/// An array in both fidelities, with operands of its own.
struct bench {
    bench(base::element_type of, unsigned sides, const bus::stop_request& stop)
        : format(of), side(sides), operands(rows * side * base::element_bytes(format)),
          results(rows * side * base::element_bytes(base::accumulator_type(format)))
    {
        std::mt19937_64 random(1);
        for (auto& byte : operands) { byte = static_cast<unsigned char>(random() % 64); } // floats stay small
        blocks::systolic_array_config config;
        config.side = side;
        config.format = format;
        const std::string name = std::string(base::element_type_name(format)) + "_" + std::to_string(side);
        config.model = blocks::fidelity::detailed;
        detailed = blocks::make_systolic_array((name + "_detailed").c_str(), config, stop);
        config.model = blocks::fidelity::rtl;
        rtl = blocks::make_systolic_array((name + "_rtl").c_str(), config, stop);
    }

    void stream(blocks::systolic_array& array)
    {
        const auto stride = static_cast<std::ptrdiff_t>(side);
        array.load({operands.data(), stride, side, side});
        blocks::array_rows r;
        r.left = operands.data();
        r.result = results.data();
        r.left_stride = r.result_stride = stride;
        r.left_columns = r.result_columns = side;
        r.elements = std::uint64_t{rows} * side;
        cycles = array.stream(r).cycles;
    }

    void measure()
    {
        const auto times = times_in_turns(
            1, [&] { stream(*detailed); }, [&] { stream(*rtl); });
        const double per_second = static_cast<double>(cycles) * side * side / median(times.measured_s);
        std::printf("  %-5s array of %-3u %.2f million element-cycles per CPU second, %.3f times those of detailed\n",
                    std::string(base::element_type_name(format)).c_str(), side, per_second / 1e6, times.speed_ratio());
        std::fflush(stdout);
        records.push_back({{"case", "systolic array"},
                           {"format", std::string(base::element_type_name(format))},
                           {"side", side},
                           {"element_cycles_per_cpu_s", per_second},
                           {"speed_ratio", times.speed_ratio()}});
    }

    base::element_type format;
    unsigned side;
    std::vector<unsigned char> operands, results;
    std::unique_ptr<blocks::systolic_array> detailed, rtl;
    std::uint64_t cycles = 0;
};

nlohmann::ordered_json run()
{
    const bus::stop_request stop;
    std::vector<std::unique_ptr<bench>> benches;
    for (const auto format :
         {base::element_type::int8, base::element_type::bf16, base::element_type::f32, base::element_type::f64}) {
        if (const auto missing = rtl::missing(format)) {
            std::printf("  %s\n", missing->c_str());
            continue;
        }
        for (const unsigned side : {4, 8, 16}) { benches.push_back(std::make_unique<bench>(format, side, stop)); }
    }
    sc_core::sc_spawn([&] {
        for (auto& b : benches) { b->measure(); }
    });
    sc_core::sc_start();
    return records;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "rtl_speed", "What the fidelity rtl costs to simulate, relative to detailed.",
                          false, [](const std::string&) { return run(); });
}
