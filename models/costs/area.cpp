#include <tensorloom/models/costs/area.h>

namespace tensorloom::costs {

double total_um2(const std::vector<component_area>& areas)
{
    double sum = 0;
    for (const auto& a : areas) { sum += a.um2; }
    return sum;
}

figure processing_element_um2(const technology& tech, base::element_type format, double register_bits)
{
    constexpr double control = 1.2; // overhead of control and wires
    constexpr double flip_flop = 4; // relative to a bit of an SRAM
    const auto part = [&](const char* name, base::element_type of) {
        return tech.number("area." + std::string(name) + "_" + std::string(base::element_type_name(of)), "um^2").value;
    };
    const auto real = format == base::element_type::c128  ? base::element_type::f64
                      : format == base::element_type::c64 ? base::element_type::f32
                                                          : format;
    const double macs = base::is_complex(format) ? 4 : 1;
    const double mac_um2 = macs * (part("multiply", real) + part("add", base::accumulator_type(real)));
    const double registers_um2 = register_bits * flip_flop * tech.number("area.sram_bit", "um^2").value;
    return {control * (mac_um2 + registers_um2), true};
}

} // namespace tensorloom::costs
