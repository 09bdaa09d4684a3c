#include <tensorloom/models/activity/energy_report.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tensorloom::activity {

namespace {

// Same events in the same order; a model may charge an event to another component.
bool same_events(const base::event_table& a, const base::event_table& b)
{
    return std::equal(a.events, a.events + a.size, b.events, b.events + b.size,
                      [](const auto& x, const auto& y) { return std::string_view(x.name) == y.name; });
}

std::size_t find_module(const program_log& log, const module_energy& wanted)
{
    for (std::size_t m = 0; m < log.modules().size(); ++m) {
        const auto& module = log.modules()[m];
        if (module.object != wanted.object) { continue; }
        if (!same_events(module.events, wanted.model.events)) {
            throw std::invalid_argument("energy_report: '" + wanted.object +
                                        "' counts by another event table than its model");
        }
        return m;
    }
    throw std::invalid_argument("energy_report: no module '" + wanted.object + "' in the log");
}

std::size_t index_of(const std::vector<costs::component_energy>& totals, std::string_view component)
{
    const auto same = [&](const costs::component_energy& e) { return e.component == component; };
    return static_cast<std::size_t>(std::find_if(totals.begin(), totals.end(), same) - totals.begin());
}

double period_ns_of(const program_log& log)
{
    if (log.clock_period_ps() == 0) {
        throw std::invalid_argument("energy_report: the log has no clock period, expected one as an argument");
    }
    return static_cast<double>(log.clock_period_ps()) / 1000;
}

void add_events(std::vector<event_energy>& events, const module_energy& module, const std::uint64_t* counts,
                std::uint64_t cycles, double period_ns)
{
    const auto& model = module.model;
    for (std::size_t e = 0; e < model.events.size; ++e) {
        const auto& event = model.events.events[e];
        if (*event.component == '\0') { continue; }
        events.push_back({module.object, model.module, event.name, event.component, counts[e], model.costs[e].pj,
                          model.costs[e].estimate});
    }
    for (const auto& leakage : model.leakage) {
        events.push_back({module.object, model.module, leakage.part.empty() ? "leak" : "leak_" + leakage.part,
                          leakage.component, cycles, leakage.mw * period_ns, leakage.estimate}); // mW x ns = pJ
    }
}

/// One event with a cost: count `event` of `module` is charged to `component`.
struct charge {
    std::size_t module;
    std::size_t event;
    std::size_t component;
    double pj;
};

} // namespace

energy_report::energy_report(const program_log& log, const std::vector<module_energy>& modules)
    : energy_report(log, period_ns_of(log), modules)
{}

energy_report::energy_report(const program_log& log, double clock_period_ns, const std::vector<module_energy>& modules)
    : m_clock_period_ns(clock_period_ns), m_records(log.records().size())
{
    if (!(clock_period_ns > 0) || !std::isfinite(clock_period_ns)) {
        throw std::invalid_argument("energy_report: the clock period must be above 0 ns");
    }
    if (log.clock_period_ps() != 0 &&
        log.clock_period_ps() != static_cast<std::uint64_t>(std::llround(clock_period_ns * 1000))) {
        throw std::invalid_argument("energy_report: a clock period of " + std::to_string(clock_period_ns) +
                                    " ns, expected that of the program, " + std::to_string(log.clock_period_ps()) +
                                    " ps");
    }
    std::uint64_t cycles = 0;
    for (const auto& record : log.records()) { cycles += record.cycles; }

    std::vector<std::size_t> indices;
    for (const auto& module : modules) {
        const std::size_t m = find_module(log, module);
        if (std::find(indices.begin(), indices.end(), m) != indices.end()) {
            throw std::invalid_argument("energy_report: two models for '" + module.object + "'");
        }
        indices.push_back(m);
        const auto counts = log.total_counts(m);
        add_energy(m_totals, module.model, counts.data(), static_cast<double>(cycles) * clock_period_ns);
        add_events(m_events, module, counts.data(), cycles, clock_period_ns);
    }

    std::vector<charge> charges;
    std::vector<double> leakage_mw(m_totals.size(), 0.0);
    for (std::size_t i = 0; i < modules.size(); ++i) {
        const auto& model = modules[i].model;
        for (std::size_t e = 0; e < model.events.size; ++e) {
            const std::string_view component = model.events.events[e].component;
            if (!component.empty() && model.costs[e].pj != 0) {
                charges.push_back({indices[i], e, index_of(m_totals, component), model.costs[e].pj});
            }
        }
        for (const auto& leakage : model.leakage) { leakage_mw[index_of(m_totals, leakage.component)] += leakage.mw; }
    }

    const std::size_t components = m_totals.size();
    m_pj.resize(m_records * components);
    for (std::size_t r = 0; r < m_records; ++r) {
        double* pj = m_pj.data() + r * components;
        const double ns = static_cast<double>(log.records()[r].cycles) * clock_period_ns;
        for (std::size_t c = 0; c < components; ++c) { pj[c] = leakage_mw[c] * ns; } // mW x ns = pJ
        for (const auto& charge : charges) {
            pj[charge.component] += static_cast<double>(log.counts(r, charge.module)[charge.event]) * charge.pj;
        }
    }
}

std::vector<std::string> estimated(const std::vector<costs::component_energy>& energies)
{
    std::vector<std::string> names;
    for (const auto& energy : energies) {
        if (energy.estimate) { names.push_back(energy.component); }
    }
    if (!names.empty()) { names.emplace_back("total"); }
    return names;
}

std::vector<costs::component_energy> leakage_of(const std::vector<module_energy>& modules,
                                                const base::power_residency& residency, double power_gated_share)
{
    const double ns = costs::leaking_ns(residency, power_gated_share);
    std::vector<costs::component_energy> energies;
    for (const auto& module : modules) {
        const costs::energy_model leaks{{nullptr, 0}, {}, module.model.leakage};
        costs::add_energy(energies, leaks, nullptr, ns);
    }
    return energies;
}

double energy_report::record_total_pj(std::size_t record) const
{
    double sum = 0;
    for (std::size_t c = 0; c < m_totals.size(); ++c) { sum += record_pj(record)[c]; }
    return sum;
}

} // namespace tensorloom::activity
