#include "platform/fetta/simulated_search.h"
#include <algorithm>
#include <optional>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/workloads/fetta/session.h>
#include "platform/fetta/fetta_memory_estimate.h"
#include "platform/fetta/fetta_run.h"
#include "platform/run/child_process.h"

namespace tensorloom::testbench {
namespace {

using workloads::contraction_plan;
using workloads::contraction_programs;
using workloads::mapping_objective;

constexpr std::size_t fewest_simulated = std::size(workloads::mapping_objective_values);

contraction_programs programs_of(const contraction_plan& plan, const common_options& common)
{
    return workloads::write_programs(plan, data_base, data_room(common));
}

} // namespace

workloads::contraction_settings settings_for(const workloads::contraction& problem, const fetta_options& device,
                                             const common_options& common, const costs::technology& technology,
                                             workloads::contraction_settings settings)
{
    const auto energy = fetta::device_energy(technology, energy_settings_of(device, common));
    settings.costs = workloads::mapping_costs(energy, static_cast<double>(clock_period_ps(common)) / 1000);
    const auto unplanned = workloads::linear_addresses(problem, device.config.limits, settings.request.store_bf16,
                                                       data_base, data_room(common));
    settings.memory = memory_estimate_of(common, technology, unplanned.end - data_base);
    return settings;
}

double simulated_cost(const contraction_programs& programs, const fetta_options& device, const common_options& common,
                      const costs::technology& technology, mapping_objective objective)
{
    return number_from_child([&] {
        const common_options alone = for_search(common);
        fetta_findings found;
        found.testbed =
            make_fetta_testbed("platform", device, alone, sram_bytes_for(programs.addresses.end - data_base),
                               activity::log_detail::totals, [&](workloads::fetta_session& session) {
                                   for (const auto& p : programs.programs) { session.run(p.bytes); }
                               });
        found.run(device, alone, technology);
        return cost_of(found.costs, objective);
    });
}

double cost_of(const fetta_costs& costs, mapping_objective objective)
{
    const auto cycles = static_cast<double>(costs.cycles);
    switch (objective) {
    case mapping_objective::latency: return cycles;
    case mapping_objective::energy: return costs.pj();
    default: return costs.pj() * cycles;
    }
}

searched_plan search_by_simulation(const workloads::contraction& problem, const fetta_options& device,
                                   const common_options& common, const costs::technology& technology,
                                   const workloads::contraction_settings& settings,
                                   const std::function<void(std::size_t, std::size_t)>& show, program_cost cost)
{
    if (!cost) {
        cost = [&](const contraction_programs& programs) {
            return simulated_cost(programs, device, common, technology, settings.request.objective);
        };
    }
    auto plans = workloads::plan_finalists(problem, device.config.limits, settings);
    searched_plan best{std::move(plans.front()), {}, 0};
    best.programs = programs_of(best.plan, common);
    const std::uint64_t affordable = most_simulated_macs / std::max<std::uint64_t>(1, problem.macs());
    const auto simulated =
        static_cast<std::size_t>(std::min<std::uint64_t>({affordable, most_simulated_plans, plans.size()}));
    if (simulated < std::min(fewest_simulated, plans.size()) || plans.size() == 1) { return best; }
    std::optional<double> least;
    for (std::size_t p = 0; p < simulated; ++p) {
        if (show) { show(p + 1, simulated); }
        contraction_programs programs;
        if (p == 0) {
            programs = best.programs;
        } else {
            try {
                programs = programs_of(plans[p], common);
            } catch (const base::input_error&) {
                continue; // does not fit the memory, as the first does
            }
        }
        const double found = cost(programs);
        ++best.simulated;
        if (least && found >= *least) { continue; }
        least = found;
        if (p == 0) { continue; }
        best.plan = std::move(plans[p]);
        best.programs = std::move(programs);
    }
    return best;
}

} // namespace tensorloom::testbench
