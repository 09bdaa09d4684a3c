#pragma once
#include <tensorloom/models/arch/torus/orbit_command.h>

namespace tensorloom::test {

/// P = 2, blocks of at most 2 x 3 x 4 elements, 60 coefficients a node.
inline const arch::torus::orbit_limits case_torus{2, {2, 3, 4}, arch::element_type::f64, 60};

/// A command that it runs: 3 x 5 x 8 to 4 x 6 x 7 elements, 2 * 2 + 3 * 3 + 4 * 4 coefficients a node.
inline arch::torus::orbit_command fine_orbit_command()
{
    constexpr auto f64 = arch::element_type::f64;
    arch::torus::orbit_command c;
    c.blocks = {{2, 3, 4}, {2, 3, 4}};
    c.x = arch::dense_descriptor(0x1000, f64, {3, 5, 8});
    c.y = arch::dense_descriptor(0x2000, f64, {4, 6, 7});
    c.matrix[0] = arch::dense_descriptor(0x3000, f64, {3, 4});
    c.matrix[1] = arch::dense_descriptor(0x4000, f64, {5, 6});
    c.matrix[2] = arch::dense_descriptor(0x5000, f64, {8, 7});
    return c;
}

} // namespace tensorloom::test
