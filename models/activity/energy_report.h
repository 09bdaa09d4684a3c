#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
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
/// Throws std::invalid_argument for a model of an unknown module or of another event table, and for a clock period not
/// above 0.
///
/// Example
///
///     const activity::energy_report energy(log, 1.0, {{"top.memory", model}});
///     out << energy.total_pj() << " pJ\n";
class energy_report {
public:
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

} // namespace tensorloom::activity
