// What the fidelity rtl costs to simulate, in CPU time relative to detailed: element-cycles of a systolic array while
// rows stream through it, and of FETTA's engines while they multiply matrices. Ratios are medians over rounds taken in
// turns.
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
#include "benchmarks/contraction_unit_bench.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

constexpr unsigned rows = 2000;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

void record(const char* name, base::element_type format, unsigned side, double element_cycles,
            const paired_times& times)
{
    const std::string format_name(base::element_type_name(format));
    const double per_second = element_cycles / median(times.measured_s);
    std::printf("  %-14s of %-3u %-5s %7.2f million element-cycles per CPU second, %.3f times those of detailed\n",
                name, side, format_name.c_str(), per_second / 1e6, times.speed_ratio());
    std::fflush(stdout);
    records.push_back({{"case", name},
                       {"format", format_name},
                       {"side", side},
                       {"element_cycles_per_cpu_s", per_second},
                       {"speed_ratio", times.speed_ratio()}});
}

/// An array in both fidelities, with operands of its own.
struct systolic_bench {
    systolic_bench(base::element_type of, unsigned sides, const bus::stop_request& stop)
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
        record("systolic array", format, side, static_cast<double>(cycles) * side * side, times);
    }

    base::element_type format;
    unsigned side;
    std::vector<unsigned char> operands, results;
    std::unique_ptr<blocks::systolic_array> detailed, rtl;
    std::uint64_t cycles = 0;
};

/// FETTA's tensor contraction unit in both fidelities: 16 engines of 4 x 4 elements, sums in f32.
struct contraction_bench {
    explicit contraction_bench(base::element_type of)
        : operand(of), detailed(unit(of, blocks::fidelity::detailed)), rtl(unit(of, blocks::fidelity::rtl))
    {}

    static std::unique_ptr<contraction_unit_bench> unit(base::element_type operand, blocks::fidelity fidelity)
    {
        fetta::config config;
        config.fidelity = fidelity;
        config.limits.operand = operand;
        const std::string name = std::string(base::element_type_name(operand)) + "_engines_" +
                                 (fidelity == blocks::fidelity::rtl ? "rtl" : "detailed");
        return std::make_unique<contraction_unit_bench>(name, config, 128);
    }

    void measure()
    {
        const fetta::device_limits limits;
        detailed->multiply_checked();
        const auto cycles = static_cast<double>(rtl->multiply_checked().cycles.total());
        const auto times = times_in_turns(
            1, [&] { detailed->multiply(); }, [&] { rtl->multiply(); });
        record("FETTA, ws-v", operand, limits.side, cycles * limits.engines * limits.side * limits.side, times);
    }

    base::element_type operand;
    std::unique_ptr<contraction_unit_bench> detailed, rtl;
};

nlohmann::ordered_json run()
{
    const bus::stop_request stop;
    std::vector<std::unique_ptr<systolic_bench>> arrays;
    for (const auto format :
         {base::element_type::int8, base::element_type::bf16, base::element_type::f32, base::element_type::f64}) {
        if (const auto missing = rtl::missing(format)) {
            std::printf("  %s\n", missing->c_str());
            continue;
        }
        for (const unsigned side : {4, 8, 16}) {
            arrays.push_back(std::make_unique<systolic_bench>(format, side, stop));
        }
    }
    std::vector<std::unique_ptr<contraction_bench>> contractions;
    if (!rtl::missing()) {
        for (const auto operand : {base::element_type::bf16, base::element_type::f32}) {
            contractions.push_back(std::make_unique<contraction_bench>(operand));
        }
    }
    sc_core::sc_spawn([&] {
        for (auto& b : arrays) { b->measure(); }
        for (auto& b : contractions) { b->measure(); }
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
