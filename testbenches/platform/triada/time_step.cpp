#include "platform/triada/time_step.h"
#include <algorithm>
#include <iterator>

namespace tensorloom::testbench {
namespace {

/// Gates on the longest path of a cell: models/rtl/gates.yaml, mesh_cell.
constexpr struct {
    base::element_type format;
    unsigned levels;
} cell_paths[] = {{base::element_type::int8, 56},
                  {base::element_type::bf16, 156},
                  {base::element_type::f32, 153},
                  {base::element_type::f64, 188}};

} // namespace

std::string time_step_text(const triada_options& options, base::element_type format)
{
    const unsigned cycles = options.config.step_cycles;
    if (cycles >= lines_cycles + options.mac_latency) { return {}; }
    const auto path = std::find_if(std::begin(cell_paths), std::end(cell_paths),
                                   [&](const auto& of_cell) { return of_cell.format == format; });
    const std::string gates =
        path == std::end(cell_paths) ? std::string() : " (" + std::to_string(path->levels) + " gates in a row)";
    return "X line, Y line and multiply-add" + gates + " follow each other in " + std::to_string(cycles) +
           (cycles == 1 ? " cycle" : " cycles");
}

} // namespace tensorloom::testbench
