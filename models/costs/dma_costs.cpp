#include <tensorloom/models/costs/dma_costs.h>
#include <algorithm>
#include <tensorloom/models/costs/sram_costs.h>

namespace tensorloom::costs {

void add_dma(std::vector<component_area>& areas, const technology& tech, const dma_build& build)
{
    if (build.ports == 0) { return; }
    constexpr double address_bits = 64, length_bits = 16, token_bits = 8, byte_bits = 8;
    constexpr double registers = 2; // in front of the rotation and after it
    constexpr std::uint64_t least_sram = 8;
    const auto bank_um2 = [&](std::uint64_t bytes) { return sram_area_um2(tech, {std::max(bytes, least_sram)}).value; };
    const double held = build.outstanding * (address_bits + length_bits + token_bits) + registers * build.port_bits;
    const auto rotation = aligner_gates(build.port_bits / 8, static_cast<unsigned>(byte_bits));
    const double gates_um2 = gate_area_um2(tech, {held * held_flip_flop_nand2 + rotation.nand2, true}).value;
    const double data_um2 = bank_um2(std::uint64_t{build.outstanding} * build.burst_bytes);
    areas.push_back(component_of("dma", build.ports, {data_um2 + gates_um2, true}));
    if (build.program_bytes == 0) { return; }
    areas.push_back(sram_of("program_buffer", 1, {bank_um2(build.program_bytes), true}));
}

} // namespace tensorloom::costs
