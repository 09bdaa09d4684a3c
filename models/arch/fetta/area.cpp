#include <tensorloom/models/arch/fetta/area.h>
#include <cmath>
#include <string>
#include <string_view>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/values/input_error.h>

namespace tensorloom::arch::fetta {
namespace {

constexpr geometry paper{};
constexpr double paper_lanes = 64;

// By the energy of a multiply-add. The paper's own format needs none.
double engine_ratio(const technology& tech, element_type operand)
{
    if (operand == paper.operand) { return 1; }
    const auto mac = [&](element_type e) { return tech.energy("contraction_engine", "mac", e).pj; };
    const double ratio = mac(operand) / mac(paper.operand);
    if (!std::isfinite(ratio)) {
        const std::string name(element_type_name(paper.operand));
        throw input_error("technology " + tech.name() + ": energy.contraction_engine.mac." + name +
                          ": found a value too small to scale an area by, expected more than 0 (pJ)");
    }
    return ratio;
}

double ports(const geometry& g) { return static_cast<double>(g.engines) * g.side; }

} // namespace

std::vector<component_area> device_area(const technology& tech, const geometry& g, std::uint32_t lanes)
{
    if (const auto wrong = complaint(g)) { throw input_error(*wrong); }
    std::vector<component_area> areas;
    const auto add = [&](const char* component, std::string_view block, double factor) {
        const technology_number& published = tech.number("area." + std::string(block), "um^2");
        areas.push_back({component, factor * published.value, published.estimate || factor != 1});
    };
    const double elements = ports(g) / ports(paper);
    add("engines", "contraction_engine", elements * g.side / paper.side * engine_ratio(tech, g.operand));
    add("distribution_network", "distribution",
        elements * (g.index_bits() + 1) / (paper.index_bits() + 1) * element_bits(g.operand) /
            element_bits(paper.operand));
    add("reduction_network", "reduction", elements * g.index_bits() / paper.index_bits());
    add("unified_memory", "unified_sram",
        static_cast<double>(g.memory_bytes()) / static_cast<double>(paper.memory_bytes()));
    add("accumulation_unit", "accumulator",
        static_cast<double>(g.engines) * g.accumulator_bank_bytes / (paper.engines * paper.accumulator_bank_bytes));
    add("vector_unit", "vector", lanes / paper_lanes);
    add("others", "other", 1);
    return areas;
}

double total_um2(const std::vector<component_area>& areas)
{
    double sum = 0;
    for (const component_area& a : areas) { sum += a.um2; }
    return sum;
}

} // namespace tensorloom::arch::fetta
