#include "platform/triada/line_time.h"
#include <algorithm>
#include <cmath>

namespace tensorloom::testbench {

std::uint64_t wire_cycles(double um, double mm_per_cycle)
{
    if (mm_per_cycle <= 0) { return 1; }
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(um / um_per_mm / mm_per_cycle)));
}

std::uint64_t time_step_cycles(double line_um, double mm_per_cycle, unsigned mac_latency)
{
    return triada::lines_cycles * wire_cycles(line_um, mm_per_cycle) + mac_latency;
}

double longest_line_um(const costs::technology& technology, const triada::energy_parameters& parameters)
{
    const auto distances = triada::cell_distances_um(technology, parameters);
    double longest = 0;
    for (unsigned m = 0; m < 3; ++m) { longest = std::max(longest, (parameters.mesh[m] - 1) * distances[m].value); }
    return longest;
}

} // namespace tensorloom::testbench
