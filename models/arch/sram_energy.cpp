#include <tensorloom/models/arch/sram_energy.h>

namespace tensorloom::arch {

energy_model sram_energy(const technology& tech, std::uint64_t bytes)
{
    const auto access = tech.sram_access(bytes);
    const auto leakage = tech.sram_leakage_mw(bytes);
    energy_model model;
    model.events = sram_events;
    model.costs.assign(sram_event_count, access);
    model.leakage.push_back({"leakage", leakage.value, leakage.estimate});
    return model;
}

} // namespace tensorloom::arch
