#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include "compare_measured/product_machine.h"
#include "compare_measured/shipped_measurements.h"

namespace tensorloom::testbench {
namespace volta {
namespace {

constexpr std::uint64_t multiprocessors = 80, tile = 128, step = 256;
constexpr unsigned side = 32, row_words = 16;   // a row in 2 cycles: the 512 multiply-adds per cycle of 8 Tensor Cores
constexpr unsigned memory_bytes_per_cycle = 19; // of the L2 cache, for one multiprocessor

enum column : std::size_t { name, size, clock, tera_ops };

mmv::config device()
{
    auto c = streaming_array(side, base::element_type::f16);
    c.in_words = c.out_words = row_words;
    return c;
}

platform_options platform()
{
    platform_options p;
    p.memory = "sram";
    p.memory_bytes_per_cycle = memory_bytes_per_cycle;
    p.dma_bits = 256;
    p.outstanding = 16;
    return p;
}

// One of the tiles that a multiprocessor computes, 128 x 128 of the result; the measured time is shared by those of the
// one that has most.
measured_product product_of(const measured_row& row)
{
    measured_product p;
    p.name = row.text(column::name);
    if (p.name.empty()) { base::refuse("name", "nothing", "a name"); }
    const auto n = row.number(column::size, step, 1u << 15);
    if (n % step != 0) { base::refuse("N", std::to_string(n), "a multiple of " + std::to_string(step)); }
    p.sizes = {tile, n, tile};
    const auto tiles = base::quotient_up((n / tile) * (n / tile), multiprocessors);
    const double ns = 2 * std::pow(static_cast<double>(n), 3) / (row.real(column::tera_ops, 1e-3, 1e3) * 1e3);
    p.measured =
        static_cast<std::uint64_t>(std::llround(ns * row.real(column::clock, 0.1, 10) / static_cast<double>(tiles)));
    // The depth goes through shared memory and registers in pieces of 128, four at a time.
    p.memories = {2 * step * (tile + tile), tile * tile / side};
    p.mapping = workloads::parse_product_mapping(
        "L3[WIO] C" + std::to_string(n / step) + " - L2[WI] K32X - L1[O] K4 C8 C32X - L0[W] P128", p.sizes, side);
    return p;
}

} // namespace
} // namespace volta

machine_facts volta_facts()
{
    return {"volta",
            "V100, Tensor Cores of a multiprocessor, f16",
            "products in f16 with sums in f32: NVIDIA's forum (topic 79781), Markidis et al. (2018)",
            "an MMU/VCU pair of 32 x 32 with ports of 16 words, a streaming array and a memory of 19 bytes per cycle",
            {},
            nullptr,
            measured_quantity::cycles,
            {"name", "N", "GHz", "TFLOPS"},
            shipped_measurements[3].text};
}

std::unique_ptr<measured_machine> make_volta()
{
    return make_product_machine({volta_facts, volta::device, volta::platform, volta::product_of});
}

} // namespace tensorloom::testbench
