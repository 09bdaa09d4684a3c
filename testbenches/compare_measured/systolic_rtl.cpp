#include <tensorloom/models/base/values/integers.h>
#include "compare_measured/product_machine.h"
#include "compare_measured/shipped_measurements.h"

namespace tensorloom::testbench {
namespace systolic_rtl {
namespace {

constexpr unsigned side = 4;

enum column : std::size_t { rows, cycles };

mmv::config device()
{
    auto c = streaming_array(side, base::element_type::int8);
    c.streaming = c.overlap = false;
    c.pipeline_depth = 2; // operands and sums have a register each in every element
    return c;
}

platform_options platform()
{
    platform_options p;
    p.memory = "sram";
    return p;
}

measured_product product_of(const measured_row& row)
{
    measured_product p;
    p.sizes = {row.number(column::rows, 1, 1u << 16), side, side};
    p.name = product_name(p.sizes);
    p.measured = row.number(column::cycles, 1, 1u << 20);
    p.memories = {(p.sizes.rows + side) * side, p.sizes.rows};
    p.mapping = workloads::parse_product_mapping(
        "L3[WIO] N1 - L2[WI] K4X - L1[O] C4X - L0[W] P" + std::to_string(p.sizes.rows), p.sizes, side);
    return p;
}

} // namespace
} // namespace systolic_rtl

machine_facts systolic_rtl_facts()
{
    return {"systolic-rtl",
            "an open systolic array in RTL, 4 x 4, 8 bits",
            "cycles of its RTL: loading of weights, rows, and the skew of registers",
            "the array of an MMU/VCU pair with a multiply-add of two cycles; cycles of weights, rows and drain",
            {},
            nullptr,
            measured_quantity::cycles,
            {"M", "cycles"},
            shipped_measurements[4].text};
}

std::unique_ptr<measured_machine> make_systolic_rtl()
{
    return make_product_machine({systolic_rtl_facts,
                                 systolic_rtl::device,
                                 systolic_rtl::platform,
                                 systolic_rtl::product_of,
                                 {"weights", "compute", "drain"}});
}

} // namespace tensorloom::testbench
