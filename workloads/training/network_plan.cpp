#include <tensorloom/workloads/training/network_plan.h>
#include <optional>
#include <tensorloom/workloads/step_planner/step_places.h>
#include <tensorloom/workloads/step_planner/step_schedule.h>
#include <tensorloom/workloads/training/network_memory.h>

namespace tensorloom::workloads {
namespace {

constexpr unsigned worse_blocks = 2; // in a row, after which no smaller block is tried

std::optional<network_plan> plan_with(const model_description& model, const step_device& device,
                                      const network_settings& settings, const model_contractions& contractions,
                                      std::uint64_t group_elements)
{
    network_plan plan;
    plan.contractions = contractions;
    auto training = operations_of(model, contractions, {true, settings.steps, group_elements}, plan.literals);
    auto forward = operations_of(model, contractions, {false, settings.tests, group_elements}, plan.literals);
    const std::size_t operations = training.operations.size();
    auto fitted_training = fastest_fit(training, device);
    auto fitted_forward = fastest_fit(forward, device);
    if (!fitted_training || !fitted_forward) { return std::nullopt; }
    plan.training = std::move(fitted_training->list);
    plan.forward = std::move(fitted_forward->list);
    plan.stays = plan.training.spills.empty() && plan.training.operations.size() == operations;
    plan.estimate = fitted_training->estimate;
    return plan;
}

training_memory memory_of_step(const model_description& model, const model_contractions& contractions,
                               const fetta::device_limits& g)
{
    literal_list literals;
    return memory_of(contractions, operations_of(model, contractions, {}, literals), g);
}

// The size of groups of parameters that are moved together.
std::uint64_t group_elements_of(const step_device& device)
{
    constexpr std::uint64_t share = 32; // of the unified memory
    return device.limits.memory_bytes() / share / base::element_bytes(base::element_type::f32);
}

// Numbers of samples of a block to try, the largest first: for 1, 2, 3, 4, 6, 8, 12, ... blocks.
std::vector<std::uint64_t> blocks_of(std::uint64_t batch)
{
    std::vector<std::uint64_t> all;
    const auto add = [&](std::uint64_t blocks) {
        const std::uint64_t samples = (batch + blocks - 1) / blocks;
        if (all.empty() || all.back() != samples) { all.push_back(samples); }
    };
    for (std::uint64_t blocks = 1; blocks < batch; blocks *= 2) {
        add(blocks);
        if (blocks > 1) { add(blocks + blocks / 2); }
    }
    add(batch);
    return all;
}

} // namespace

network_plan plan_network(const model_description& model, const step_device& device, const network_settings& settings)
{
    std::optional<network_plan> best;
    std::optional<training_memory> memory; // of the whole batch
    unsigned worse = 0;
    const auto blocks = settings.block != 0 ? std::vector<std::uint64_t>{settings.block} : blocks_of(model.batch);
    for (const std::uint64_t block : blocks) {
        model_contractions contractions;
        try {
            contractions = contractions_of(model, device.limits, device.paths, block);
        } catch (const base::input_error&) { // more than the device counts
            if (block == blocks.back()) { throw; }
            continue;
        }
        const auto needed = memory_of_step(model, contractions, device.limits);
        if (contractions.blocks == 1) { memory = needed; }
        auto plan = plan_with(model, device, settings, contractions, 0);
        if (!plan || !plan->stays) {
            auto in_groups = plan_with(model, device, settings, contractions, group_elements_of(device));
            if (in_groups && (!plan || in_groups->estimate.cycles < plan->estimate.cycles)) {
                plan = std::move(in_groups);
            }
        }
        if (!plan) { continue; }
        plan->memory = memory.value_or(needed);
        if (plan->stays && contractions.blocks == 1) { return std::move(*plan); }
        if (!best || plan->estimate.cycles < best->estimate.cycles) {
            best = std::move(plan);
            worse = 0;
        } else if (++worse == worse_blocks) {
            break;
        }
    }
    if (best && !memory && settings.block != 0) {
        best->memory = memory_of_step(model, contractions_of(model, device.limits, device.paths), device.limits);
    }
    if (best) { return std::move(*best); }
    const auto contractions = contractions_of(model, device.limits, device.paths, blocks.back());
    literal_list literals;
    places_of(operations_of(model, contractions, {}, literals), device.limits); // throws, with the bytes that it needs
    throw step_too_large(device.limits, device.limits.memory_bytes(), "with all that leaves the chip for a while");
}

} // namespace tensorloom::workloads
