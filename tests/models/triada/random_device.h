#pragma once
#include <tensorloom/models/triada/config.h>
#include "models/triada/random_case.h"

namespace tensorloom::test {

/// A small device with settings that change counts and times.
inline triada::config random_device(case_maker& maker, base::element_type format)
{
    triada::config config;
    config.mesh = {1 + maker.below(7), 1 + maker.below(7), 1 + maker.below(7)};
    config.format = format;
    config.step_cycles = 1 + maker.below(4);
    config.load_elements = 1 + maker.below(9);
    config.line_extent = maker.chance(0.5) ? triada::line_extent::mesh : triada::line_extent::active;
    if (maker.chance(0.5)) { config.dma_ports = 1 + maker.below(16); }
    return config;
}

/// What the control of a device takes time for. There is no look-ahead of some rows in Verilog.
inline void draw_control(std::uint64_t seed, triada::config& config)
{
    case_maker maker(seed + 2000);
    config.port_aligner = maker.chance(0.5);
    if (maker.chance(0.4)) { config.look_ahead = 1 + maker.below(4); }
}

} // namespace tensorloom::test
