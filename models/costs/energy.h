#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/base/values/power_states.h>

namespace tensorloom::costs {

/// Energy of one event. `estimate`: a number that it was computed from is marked as an estimate in the technology file.
struct event_cost {
    double pj = 0;
    bool estimate = false;
    double more_pj = 0; ///< by the technology's second source, less `pj` (with_second_source)
};

/// Leakage power of a component, for the time that the program runs.
struct leakage_power {
    std::string component;
    double mw = 0;
    bool estimate = false;
    std::string part = {}; ///< the leaking component, where leakage is reported by part
    double more_mw = 0;    ///< by the technology's second source, less `mw`
};

/// The energy model of one module: costs of its events, and its leakage.
struct energy_model {
    base::event_table events{nullptr, 0};
    std::vector<event_cost> costs; ///< by event, as many as in `events`
    std::vector<leakage_power> leakage;
    std::string module = {}; ///< its name in a technology's section `event`: "triada", "sram"; empty: it has none
};

/// Energy of one component (a line of a report).
struct component_energy {
    std::string component;
    double pj = 0;
    bool estimate = false;
    double more_pj = 0; ///< by the technology's second source, less `pj`

    double second_pj() const { return pj + more_pj; } ///< by the second source
};

/// Adds the energy of `counts` and of leakage over `ns` to `energies`, one entry per component, in order of first
/// appearance. Every component of the model gets an entry, even if it is 0. The sum over components is the total.
void add_energy(std::vector<component_energy>& energies, const energy_model& model, const std::uint64_t* counts,
                double ns);

/// The time for which a device leaks in full: all of it while it is on or clock gated, and this share, 0 to 1, of the
/// time for which it is power gated (power switches leak, and so do memories that are kept). Throws
/// std::invalid_argument for another share.
double leaking_ns(const base::power_residency& residency, double power_gated_share);

double total_pj(const std::vector<component_energy>& energies);

/// The leakage: components called "leakage", also with a module's name ("sram.leakage").
double leakage_pj(const std::vector<component_energy>& energies);

} // namespace tensorloom::costs
