#include <tensorloom/models/arch/costs/sram_energy.h>

namespace tensorloom::arch {

energy_model sram_energy(const technology& tech, std::uint64_t bytes)
{
    const auto access = tech.sram_access(bytes);
    const auto leakage = tech.sram_leakage_mw(bytes);
    energy_model model;
    model.events = sram_events;
    model.costs.resize(sram_event_count);
    model.costs[static_cast<std::size_t>(sram_event::read_access)] = access;
    model.costs[static_cast<std::size_t>(sram_event::write_access)] = access;
    model.leakage.push_back({"leakage", leakage.value, leakage.estimate});
    return model;
}

} // namespace tensorloom::arch
