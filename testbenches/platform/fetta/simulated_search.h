#pragma once
#include <cstddef>
#include <functional>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/program.h>
#include "platform/fetta/fetta_options.h"
#include "platform/fetta/fetta_testbed.h"
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// A search by the costs of this technology, for the memory of the options.
workloads::contraction_settings settings_for(const workloads::contraction& problem, const fetta_options& device,
                                             const common_options& common, const costs::technology& technology,
                                             workloads::contraction_settings settings);

/// Cycles, pJ or their product, by the objective, of a run of these programs on the device and memory of the options:
/// simulated at the fast fidelity in a process of its own, from time 0, without operands, which affect no cycle. A run
/// of the same programs takes exactly this. Call it before elaboration. Throws isa::device_failure if it fails.
double simulated_cost(const workloads::contraction_programs& programs, const fetta_options& device,
                      const common_options& common, const costs::technology& technology,
                      workloads::mapping_objective objective);

/// A plan and its programs.
struct searched_plan {
    workloads::contraction_plan plan;
    workloads::contraction_programs programs;
    std::size_t simulated = 0; ///< plans that were compared by simulation; 0: by their estimates alone
};

inline constexpr std::size_t most_simulated_plans = 12;
inline constexpr std::uint64_t most_simulated_macs = std::uint64_t{1} << 28; ///< of all simulated plans together

/// The cost of a plan's programs, as simulated_cost() gives it.
using program_cost = std::function<double(const workloads::contraction_programs&)>;

/// The best plan by the settings' objective: the first plans of workloads::plan_finalists() are simulated, as many as
/// these limits allow. They are the same for every objective, so that no other objective's choice is better. Too large
/// for three plans: the best by its estimate. `show(plan, plans)` is called before each simulation; `cost` is used
/// in place of simulated_cost().
searched_plan search_by_simulation(const workloads::contraction& problem, const fetta_options& device,
                                   const common_options& common, const costs::technology& technology,
                                   const workloads::contraction_settings& settings,
                                   const std::function<void(std::size_t, std::size_t)>& show = {},
                                   program_cost cost = {});

/// Cycles, pJ or their product.
double cost_of(const fetta_costs& costs, workloads::mapping_objective objective);

} // namespace tensorloom::testbench
