#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/values/power_states.h>
#include <tensorloom/models/costs/energy.h>

namespace tensorloom::activity {

/// The energy model of one module of a log.
struct module_energy {
    std::string object; ///< its hierarchical name, as attached
    costs::energy_model model;
};

/// The energy of one event of a module in a program, or of its leakage: count x pj.
struct event_energy {
    std::string object;    ///< the module's hierarchical name
    std::string model;     ///< its name in technology files (costs::energy_model::module), or empty
    std::string event;     ///< leakage: "leak", or "leak_<part>", counted in cycles
    std::string component; ///< that it is charged to
    std::uint64_t count = 0;
    double pj = 0; ///< of one event
    bool estimate = false;
};

/// The components that include an estimate, and "total" if there is any.
std::vector<std::string> estimated(const std::vector<costs::component_energy>& energies);

/// The energy of a program: by component, for each record and in total.
///
/// energy = counts x cost per event + leakage x time, for every given module; a module of the log without a model costs
/// nothing. A record is charged the leakage of all modules over its cycles. Components of the same name are merged
/// (there is one "leakage"). Totals are computed from the total counts; the records sum to them, and the components to
/// the total, within 1e-12 of it.
///
/// The time of a cycle is the clock period of the program, which its log knows: programs of several periods have a
/// report each.
///
/// Throws std::invalid_argument for a model of an unknown module or of another event table, for a log without a clock
/// period where none is given, and for a given clock period that is not above 0 or not that of the log.
///
/// Example
///
///     const activity::energy_report energy(log, {{"top.memory", model}});
///     out << energy.total_pj() << " pJ\n";
class energy_report {
public:
    energy_report(const program_log& log, const std::vector<module_energy>& modules);
    energy_report(const program_log& log, double clock_period_ns, const std::vector<module_energy>& modules);

    double clock_period_ns() const { return m_clock_period_ns; }

    const std::vector<costs::component_energy>& totals() const { return m_totals; }
    double total_pj() const { return costs::total_pj(m_totals); }
    std::vector<std::string> estimated() const { return activity::estimated(m_totals); }

    /// Every event that is charged to a component, and the leakage, module after module. They sum to totals() within
    /// 1e-12 of the total.
    const std::vector<event_energy>& events() const { return m_events; }

    std::size_t records() const { return m_records; }
    /// Energy of one record, by component in the order of totals().
    const double* record_pj(std::size_t record) const { return m_pj.data() + record * m_totals.size(); }
    double record_total_pj(std::size_t record) const;

private:
    double m_clock_period_ns;
    std::size_t m_records;
    std::vector<costs::component_energy> m_totals;
    std::vector<event_energy> m_events;
    std::vector<double> m_pj; // of all components, record after record
};

/// Leakage of modules that share the power of one device, over its time in each state (device_shell::residency()), by
/// component. Nothing but leakage: events are those of programs, whose reports include their own leakage. The leakage
/// of the programs and of the time between them sum to that of the whole time. `power_gated_share`: 0 to 1, the leakage
/// of a power-gated device; 1: that of a device that is on.
///
/// Example
///
///     const auto idle = activity::leakage_of({{"top.device", model}}, device.residency(), 0.05);
std::vector<costs::component_energy> leakage_of(const std::vector<module_energy>& modules,
                                                const base::power_residency& residency, double power_gated_share = 0);

} // namespace tensorloom::activity
