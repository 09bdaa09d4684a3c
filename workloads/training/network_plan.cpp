#include <tensorloom/workloads/training/network_plan.h>
#include <optional>
#include <tensorloom/workloads/step_planner/step_places.h>
#include <tensorloom/workloads/step_planner/step_schedule.h>
#include <tensorloom/workloads/training/network_memory.h>

namespace tensorloom::workloads {
namespace {

constexpr unsigned most_worse = 2; // in a row, after which no smaller block is tried

// A plan, and its operations before they fit the memory.
struct tried_plan {
    network_plan plan;
    operation_list training, forward;
    step_estimate forward_estimate;
};

std::optional<tried_plan> plan_with(const model_description& model, const step_device& device,
                                    const network_settings& settings, const model_contractions& contractions,
                                    std::uint64_t group_elements)
{
    tried_plan tried;
    auto& plan = tried.plan;
    plan.contractions = contractions;
    tried.training = operations_of(model, contractions, {true, settings.steps, group_elements}, plan.literals);
    tried.forward = operations_of(model, contractions, {false, settings.tests, group_elements}, plan.literals);
    auto fitted_training = fastest_fit(tried.training, device);
    auto fitted_forward = fastest_fit(tried.forward, device);
    if (!fitted_training || !fitted_forward) { return std::nullopt; }
    plan.training = std::move(fitted_training->list);
    plan.forward = std::move(fitted_forward->list);
    plan.stays = plan.training.spills.empty() && plan.training.operations.size() == tried.training.operations.size();
    plan.estimate = fitted_training->estimate;
    tried.forward_estimate = fitted_forward->estimate;
    return tried;
}

// A plan in which tensors leave the chip, made faster.
network_plan faster(tried_plan tried, const step_device& device)
{
    auto& plan = tried.plan;
    auto training = faster_fit(tried.training, {std::move(plan.training), plan.estimate}, device);
    plan.training = std::move(training.list);
    plan.estimate = training.estimate;
    plan.forward = faster_fit(tried.forward, {std::move(plan.forward), tried.forward_estimate}, device).list;
    return std::move(plan);
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
    std::optional<tried_plan> best;
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
        auto tried = plan_with(model, device, settings, contractions, 0);
        if (!tried || !tried->plan.stays) {
            auto in_groups = plan_with(model, device, settings, contractions, group_elements_of(device));
            if (in_groups && (!tried || in_groups->plan.estimate.cycles < tried->plan.estimate.cycles)) {
                tried = std::move(in_groups);
            }
        }
        if (!tried) { continue; }
        tried->plan.memory = memory.value_or(needed);
        if (tried->plan.stays && contractions.blocks == 1) { return std::move(tried->plan); }
        if (!best || tried->plan.estimate.cycles < best->plan.estimate.cycles) {
            best = std::move(tried);
            worse = 0;
        } else if (++worse == most_worse) {
            break;
        }
    }
    if (best && !memory && settings.block != 0) {
        best->plan.memory = memory_of_step(model, contractions_of(model, device.limits, device.paths), device.limits);
    }
    if (best) { return best->plan.stays ? std::move(best->plan) : faster(std::move(*best), device); }
    const auto contractions = contractions_of(model, device.limits, device.paths, blocks.back());
    literal_list literals;
    places_of(operations_of(model, contractions, {}, literals), device.limits); // throws, with the bytes that it needs
    throw step_too_large(device.limits, device.limits.memory_bytes(), "with all that leaves the chip for a while");
}

} // namespace tensorloom::workloads
