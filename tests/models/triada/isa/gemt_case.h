#pragma once
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::test {

inline constexpr std::array<std::uint32_t, 3> case_mesh{4, 5, 6};

/// A command that a device with case_mesh and format f64 runs: sizes 2, 3 and 6.
inline triada::gemt_command fine_gemt_command()
{
    constexpr auto f64 = base::element_type::f64;
    triada::gemt_command c;
    c.x = isa::dense_descriptor(0x1000, f64, {2, 3, 6});
    c.y = isa::dense_descriptor(0x2000, f64, {2, 3, 6});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {2, 2});
    c.matrix[1] = isa::dense_descriptor(0x4000, f64, {3, 3});
    c.matrix[2] = isa::dense_descriptor(0x5000, f64, {6, 6});
    return c;
}

} // namespace tensorloom::test
