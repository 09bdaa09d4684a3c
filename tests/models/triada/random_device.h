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

} // namespace tensorloom::test
