#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include "compare_measured/product_machine.h"
#include "compare_measured/shipped_measurements.h"

namespace tensorloom::testbench {
namespace tpu_v1 {
namespace {

constexpr unsigned side = 256;
constexpr double clock_GHz = 0.7;
constexpr unsigned memory_bytes_per_cycle = 48; // 34 GB/s of weights at this clock
constexpr std::uint64_t unified_buffer_bytes = 24u << 20, accumulators = 4096;

enum column : std::size_t { name, rows, depth, columns, tera_ops };

mmv::config device()
{
    auto c = streaming_array(side, base::element_type::int8);
    c.banks = 2 * side; // a row of sums is read and written while one of inputs is read
    return c;
}

platform_options platform()
{
    platform_options p;
    p.memory = "sram";
    p.memory_bytes_per_cycle = memory_bytes_per_cycle;
    p.dma_bits = 512;
    return p;
}

// Weights are read once, in tiles of all columns and up to four blocks of the depth. Columns are in blocks of equal
// sides, at most the array's.
std::string mapping_of(const workloads::mapped_sizes& sizes)
{
    const auto blocks_of = [](std::uint64_t size, const char* what) {
        const auto blocks = base::quotient_up(size, std::uint64_t{side});
        if (size % blocks != 0) {
            base::refuse(what, std::to_string(size),
                         "a multiple of the " + std::to_string(blocks) + " blocks of at most " + std::to_string(side));
        }
        return blocks;
    };
    const auto k = blocks_of(sizes.columns, "N"), c = blocks_of(sizes.depth, "K");
    const std::uint64_t together = c % 4 == 0 ? 4 : 1;
    const auto loop = [](char dimension, std::uint64_t count) { return dimension + std::to_string(count); };
    return "L3[WIO] " + loop('C', c / together) + " - L2[WI] " + loop('K', sizes.columns / k) + "X - L1[O] " +
           loop('K', k) + " " + loop('C', together) + " " + loop('C', sizes.depth / c) + "X - L0[W] " +
           loop('P', sizes.rows);
}

measured_product product_of(const measured_row& row)
{
    measured_product p;
    p.name = row.text(column::name);
    if (p.name.empty()) { base::refuse("name", "nothing", "a name"); }
    p.sizes = product_sizes(row, column::rows, column::depth, column::columns);
    const auto macs = static_cast<double>(p.sizes.rows * p.sizes.depth * p.sizes.columns);
    p.measured =
        static_cast<std::uint64_t>(std::llround(2 * macs / (row.real(column::tera_ops, 1e-3, 1e3) * 1e3) * clock_GHz));
    p.memories = {unified_buffer_bytes, accumulators};
    p.mapping = workloads::parse_product_mapping(mapping_of(p.sizes), p.sizes, side);
    return p;
}

} // namespace
} // namespace tpu_v1

machine_facts tpu_v1_facts()
{
    return {"tpu-v1",
            "TPU v1, 256 x 256, int8",
            "Jouppi et al. (ISCA 2017): TOPS of four of its six applications, the weights of each as one matrix",
            "an MMU/VCU pair with a streaming array of 256 x 256, overlap and a memory of 48 bytes per cycle",
            {},
            nullptr,
            measured_quantity::cycles,
            {"name", "M", "K", "N", "TOPS"},
            shipped_measurements[1].text};
}

std::unique_ptr<measured_machine> make_tpu_v1()
{
    return make_product_machine({tpu_v1_facts, tpu_v1::device, tpu_v1::platform, tpu_v1::product_of});
}

} // namespace tensorloom::testbench
