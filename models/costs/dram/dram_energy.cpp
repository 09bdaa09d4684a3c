#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::costs {

double dram_power_mw(const dram_config& config, double dram_supply::*current)
{
    double mw = 0;
    for (const auto& supply : config.supplies) { mw += supply.V * supply.*current; }
    return mw;
}

energy_model dram_energy(const dram_config& config)
{
    const auto mw = [&](double dram_supply::*current) { return dram_power_mw(config, current); };
    const auto ns = [&](unsigned cycles) { return cycles * (config.tCK_ps * 1e-3); }; // mW x ns = pJ
    const auto& t = config.timing;
    const double closed = mw(&dram_supply::IDD2N), active = mw(&dram_supply::IDD3N);

    energy_model model;
    model.events = dram_events;
    model.costs.resize(dram_event_count);
    const auto charge = [&](dram_event event, double pj, bool estimate = false) {
        const auto index = static_cast<std::size_t>(event);
        if (pj < 0) {
            throw base::input_error("DRAM " + config.name + ": supply: the currents make " +
                                    dram_event_definitions[index].name + " cost " + std::to_string(pj) +
                                    " pJ, expected at least 0");
        }
        model.costs[index] = {pj, estimate || config.estimated_supplies};
    };
    charge(dram_event::activate,
           mw(&dram_supply::IDD0) * ns(t.tRCpb) - active * ns(t.tRAS) - closed * (ns(t.tRCpb) - ns(t.tRAS)));
    const double data_ns = ns(config.organisation.burst_cycles());
    charge(dram_event::read_burst, (mw(&dram_supply::IDD4R) - active) * data_ns);
    charge(dram_event::write_burst, (mw(&dram_supply::IDD4W) - active) * data_ns);
    const double refresh = (mw(&dram_supply::IDD5) - closed) * ns(t.tRFCab);
    charge(dram_event::refresh, refresh);
    charge(dram_event::bank_refresh, refresh / config.organisation.banks, true);
    charge(dram_event::active_cycle, (active - closed) * ns(1));
    model.leakage.push_back(
        {"dram_background", closed * config.organisation.channels, config.estimated_supplies, "dram"});
    return model;
}

} // namespace tensorloom::costs
