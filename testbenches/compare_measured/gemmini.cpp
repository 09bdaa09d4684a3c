#include <algorithm>
#include "compare_measured/product_machine.h"
#include "compare_measured/shipped_measurements.h"

namespace tensorloom::testbench {
namespace gemmini {
namespace {

constexpr unsigned side = 16;

// What the measurements decide.
constexpr unsigned memory_bytes_per_cycle = 12, call_interval = 8, memory_latency = 20;
constexpr const char* fitted_shapes[] = {"196x256x1024", "196x1024x512", "150544x64x2"};

enum column : std::size_t { rows, depth, columns, accumulator, scratchpad, mapped_cycles, auto_cycles, mapping };

// Its scratchpad holds that and the accumulators of a Gemmini.
mmv::config device()
{
    auto c = streaming_array(side, base::element_type::int8);
    c.call_interval = call_interval;
    return c;
}

platform_options platform()
{
    platform_options p;
    p.memory = "sram";
    p.memory_latency = memory_latency;
    p.memory_bytes_per_cycle = memory_bytes_per_cycle;
    p.memory_modify_cycles = memory_latency;
    p.dma_bits = 128;
    p.burst_bytes = 64;
    p.outstanding = 16;
    p.memory_modify_bytes = p.bus_bytes_per_cycle();
    return p;
}

measured_product product_of(const measured_row& row)
{
    constexpr std::uint64_t most_entries = std::uint64_t{1} << 24;
    measured_product p;
    p.sizes = product_sizes(row, column::rows, column::depth, column::columns);
    p.memories = {row.number(column::scratchpad, 1, most_entries), row.number(column::accumulator, 1, most_entries)};
    p.measured = row.number(column::mapped_cycles, 1, std::uint64_t{1} << 53);
    row.number(column::auto_cycles, 0, std::uint64_t{1} << 53); // measured otherwise: not compared
    p.name = product_name(p.sizes);
    p.fitted = std::find(std::begin(fitted_shapes), std::end(fitted_shapes), p.name) != std::end(fitted_shapes);
    p.mapping = workloads::parse_product_mapping(row.text(column::mapping), p.sizes, side);
    return p;
}

} // namespace
} // namespace gemmini

machine_facts gemmini_facts()
{
    return {
        "gemmini",
        "Gemmini, 16 x 16, int8",
        "RTL in FireSim, by DOSA (MICRO 2023): products on a weight-stationary array with these mappings",
        "an MMU/VCU pair with a streaming array, overlap and a DMA of 128 bits with bursts of 64 bytes",
        {{"memory_bytes_per_cycle", gemmini::memory_bytes_per_cycle, "bytes/cycle", "bandwidth of the memory"},
         {"call_interval", gemmini::call_interval, "cycles", "between the starts of two calls of the array at least"},
         {"memory_latency", gemmini::memory_latency, "cycles",
          "of a response, and more for a write of part of 16 bytes, which reads them first"}},
        "the shapes 196x256x1024, 196x1024x512 and 150544x64x2",
        measured_quantity::cycles,
        {"M", "K", "N", "accumulator_entries", "scratchpad_entries", "mapped_cycles", "auto_cycles", "mapping"},
        shipped_measurements[0].text};
}

std::unique_ptr<measured_machine> make_gemmini()
{
    return make_product_machine({gemmini_facts, gemmini::device, gemmini::platform, gemmini::product_of});
}

} // namespace tensorloom::testbench
