#include <tensorloom/workloads/training/network_plan.h>
#include <optional>
#include <tensorloom/workloads/training/network_memory.h>
#include <tensorloom/workloads/training/network_schedule.h>
#include <tensorloom/workloads/training/network_spills.h>

namespace tensorloom::workloads {
namespace {

constexpr unsigned worse_blocks = 2; // in a row, after which no smaller block is tried

// The fastest of several steps that fit the memory: if tensors leave the chip, some of the memory is left free for
// loads that come early.
std::optional<timed_step> fastest(const network_step& step, const model_contractions& contractions,
                                  const network_device& device)
{
    std::optional<timed_step> best;
    for (const std::uint64_t percent : {100, 92, 84, 76, 68, 60, 52}) {
        auto made = fitted(step, contractions, device, device.limits.memory_bytes() * percent / 100);
        if (!made) { break; }
        const bool stays = made->spills.empty() && made->operations.size() == step.operations.size();
        if (stays && contractions.blocks == 1) {
            const auto estimate = estimate_of(*made, places_of(*made, device.limits), contractions, device);
            return timed_step{std::move(*made), estimate};
        }
        auto timed = with_hidden_transfers(std::move(*made), contractions, device);
        if (!best || timed.estimate.cycles < best->estimate.cycles) { best = std::move(timed); }
        if (stays) { break; }
    }
    return best;
}

// With the loops of layers or, if their tensors do not fit at the same time, without them.
std::optional<timed_step> fastest_in_any_form(const network_step& step, const model_contractions& contractions,
                                              const network_device& device)
{
    auto with_loops = fastest(step, contractions, device);
    return with_loops ? std::move(with_loops) : fastest(unrolled(step), contractions, device);
}

std::optional<network_plan> plan_with(const model_description& model, const network_device& device,
                                      const network_settings& settings, const model_contractions& contractions,
                                      std::uint64_t group_elements)
{
    network_plan plan;
    plan.contractions = contractions;
    auto training = operations_of(model, contractions, {true, settings.steps, group_elements}, plan.literals);
    auto forward = operations_of(model, contractions, {false, settings.tests, group_elements}, plan.literals);
    const std::size_t operations = training.operations.size();
    auto fitted_training = fastest_in_any_form(training, contractions, device);
    auto fitted_forward = fastest_in_any_form(forward, contractions, device);
    if (!fitted_training || !fitted_forward) { return std::nullopt; }
    plan.training = std::move(fitted_training->step);
    plan.forward = std::move(fitted_forward->step);
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
std::uint64_t group_elements_of(const network_device& device)
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

network_plan plan_network(const model_description& model, const network_device& device,
                          const network_settings& settings)
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
