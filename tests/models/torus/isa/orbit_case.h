#pragma once
#include <tensorloom/models/torus/isa/orbit_command.h>

namespace tensorloom::test {

/// P = 2, blocks of at most 2 x 3 x 4 elements, 60 coefficients a node.
inline const torus::orbit_limits case_torus{2, {2, 3, 4}, base::element_type::f64, 60};

/// A command that it runs: 3 x 5 x 8 to 4 x 6 x 7 elements, 2 * 2 + 3 * 3 + 4 * 4 coefficients a node.
inline torus::orbit_command fine_orbit_command()
{
    constexpr auto f64 = base::element_type::f64;
    torus::orbit_command c;
    c.blocks = {{2, 3, 4}, {2, 3, 4}};
    c.x = isa::dense_descriptor(0x1000, f64, {3, 5, 8});
    c.y = isa::dense_descriptor(0x2000, f64, {4, 6, 7});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {3, 4});
    c.matrix[1] = isa::dense_descriptor(0x4000, f64, {5, 6});
    c.matrix[2] = isa::dense_descriptor(0x5000, f64, {8, 7});
    return c;
}

} // namespace tensorloom::test
