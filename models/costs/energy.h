#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/event_table.h>

namespace tensorloom::costs {

/// What one event costs. `estimate`: a number that entered it is marked as an estimate in the technology file.
struct event_cost {
    double pj = 0;
    bool estimate = false;
};

/// What a component loses as long as the program runs.
struct leakage_power {
    std::string component;
    double mw = 0;
    bool estimate = false;
    std::string part; ///< the component that leaks, where its energy is told apart
};

/// The costs of one module: what its event table's counts and its running time turn into.
struct energy_model {
    base::event_table events{nullptr, 0};
    std::vector<event_cost> costs; ///< by event, same length as `events`
    std::vector<leakage_power> leakage;
};

/// Energy of one component (a line of a report).
struct component_energy {
    std::string component;
    double pj = 0;
    bool estimate = false;
};

/// Adds the energy of `counts` and of `ns` of leakage to `energies`, one entry per component, in order of first
/// appearance. Every component of the model gets an entry, also when it is 0. The sum over components is the total.
void add_energy(std::vector<component_energy>& energies, const energy_model& model, const std::uint64_t* counts,
                double ns);

double total_pj(const std::vector<component_energy>& energies);

/// What leaked: components called "leakage", also of one module of several ("sram.leakage").
double leakage_pj(const std::vector<component_energy>& energies);

} // namespace tensorloom::costs
