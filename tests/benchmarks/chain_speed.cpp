// What chains cost to simulate on TriADA, in CPU time: transforms that follow each other in the cells compared with the
// same transforms alone, and operations on elements compared with a copy of the tensor in memory. Ratios are medians
// over rounds taken in turns.
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/gemt_bench.h"
#include "benchmarks/rounds.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

using bench = gemt_bench<double>;

constexpr unsigned transforms_of_chain = 4;
constexpr unsigned operations_of_run = 32;

nlohmann::ordered_json records = nlohmann::ordered_json::array();

std::string text_of(const bench& b) { return std::to_string(b.shape()[0]) + " cubed"; }

// Speed per multiply-add of a chain relative to its transforms alone.
void chain_cost(bench& b)
{
    const auto times = times_in_turns(
        1,
        [&] {
            for (unsigned i = 0; i < transforms_of_chain; ++i) { b.transform(); }
        },
        [&] { b.chain(transforms_of_chain); });
    std::printf("  %-10s a chain of %u transforms at %.2f times the speed of these alone\n", text_of(b).c_str(),
                transforms_of_chain, times.speed_ratio());
    records.push_back({{"case", "chain"}, {"shape", text_of(b)}, {"speed_ratio", times.speed_ratio()}});
}

// The first operation of a run also loads the tensor; the difference of two runs is the others alone.
void operation_cost(bench& b, const char* name, isa::pointwise_operation what, double value)
{
    isa::pointwise_command operation;
    operation.operation = what;
    operation.value = {value, 0};
    std::vector<double> copy(b.volume());
    paired_times times;
    for (unsigned r = 0; r < rounds; ++r) {
        const double copies = cpu_seconds_of([&] {
            for (unsigned i = 0; i < operations_of_run; ++i) {
                std::memcpy(copy.data(), b.x.data(), b.volume() * sizeof(double));
                asm volatile("" : : "r"(copy.data()) : "memory"); // every copy happens
            }
        });
        const double first = cpu_seconds_of([&] { b.pointwise(operation, 1); });
        const double all = cpu_seconds_of([&] { b.pointwise(operation, 1 + operations_of_run); });
        times.add(copies, all - first);
    }
    std::printf("  %-10s %-10s at %.2f times the speed of a copy\n", text_of(b).c_str(), name, times.speed_ratio());
    std::fflush(stdout);
    records.push_back(
        {{"case", std::string("operation ") + name}, {"shape", text_of(b)}, {"speed_ratio", times.speed_ratio()}});
}

nlohmann::ordered_json run()
{
    std::printf("fast fidelity, f64, ESOP on\n");
    sc_core::sc_event small_is_done("small_is_done");
    bench small("small", {{32, 32, 32}}, nullptr, [&](bench& b) {
        b.prepare();
        chain_cost(b);
        small_is_done.notify(sc_core::SC_ZERO_TIME);
    });
    bench large("large", {{128, 128, 128}}, nullptr, [&](bench& b) {
        wait(small_is_done);
        b.prepare();
        chain_cost(b);
        operation_cost(b, "multiply", isa::pointwise_operation::multiply, 0);
        operation_cost(b, "add", isa::pointwise_operation::add, 1);
        operation_cost(b, "add times", isa::pointwise_operation::add, 1e-3);
        operation_cost(b, "scale", isa::pointwise_operation::scale, 1);
        operation_cost(b, "threshold", isa::pointwise_operation::threshold, 0.5);
        operation_cost(b, "relu", isa::pointwise_operation::relu, 0);
    });
    sc_core::sc_start();
    for (auto* b : {&small, &large}) { b->cpu().rethrow(); }
    return records;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "chain_speed",
                          "What chains on TriADA cost to simulate, relative to transforms alone and to copies.", false,
                          [](const std::string&) { return run(); });
}
