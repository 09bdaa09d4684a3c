#include <tensorloom/workloads/training/network_plan.h>
#include <optional>
#include <set>
#include <tensorloom/workloads/training/network_memory.h>
#include <tensorloom/workloads/training/network_schedule.h>
#include <tensorloom/workloads/training/network_spills.h>

namespace tensorloom::workloads {
namespace {

constexpr unsigned worse_blocks = 2; // one after the other, until no smaller block is tried

// With the transfers that run beside the work, for which some of the memory is left where tensors leave the chip.
std::optional<network_step> fastest(const network_step& step, const model_contractions& contractions,
                                    const network_device& device)
{
    std::optional<network_step> best;
    double cycles = 0;
    for (const std::uint64_t percent : {100, 92, 84, 76, 68, 60, 52}) {
        auto made = fitted(step, contractions, device, device.limits.memory_bytes() * percent / 100);
        if (!made) { break; }
        const bool is_whole = made->spills.empty() && made->operations.size() == step.operations.size();
        if (is_whole && contractions.blocks == 1) { return made; }
        made = with_hidden_transfers(std::move(*made), contractions, device);
        const double found = estimate_of(*made, places_of(*made, device.limits), contractions, device).cycles;
        if (!best || found < cycles) {
            cycles = found;
            best = std::move(made);
        }
        if (is_whole) { break; }
    }
    return best;
}

std::optional<network_plan> plan_with(const model_description& model, const network_device& device,
                                      const network_settings& settings, const model_contractions& contractions,
                                      std::uint64_t group_elements)
{
    network_plan plan;
    plan.contractions = contractions;
    auto training = operations_of(model, contractions, {true, settings.steps, group_elements}, plan.literals);
    auto forward = operations_of(model, contractions, {false, settings.tests, group_elements}, plan.literals);
    plan.memory = memory_of(contractions, training, device.limits);
    const std::size_t operations = training.operations.size();
    auto fitted_training = fastest(training, contractions, device);
    auto fitted_forward = fastest(forward, contractions, device);
    if (!fitted_training || !fitted_forward) { return std::nullopt; }
    plan.training = std::move(*fitted_training);
    plan.forward = std::move(*fitted_forward);
    plan.stays = plan.training.spills.empty() && plan.training.operations.size() == operations;
    plan.estimate = estimate_of(plan.training, places_of(plan.training, device.limits), plan.contractions, device);
    return plan;
}

training_memory memory_of_step(const model_description& model, const model_contractions& contractions,
                               const fetta::device_limits& g)
{
    literal_list literals;
    return memory_of(contractions, operations_of(model, contractions, {}, literals), g);
}

// Of parameters that are moved together.
std::uint64_t group_elements_of(const network_device& device)
{
    constexpr std::uint64_t share = 32; // of the unified memory
    return device.limits.memory_bytes() / share / base::element_bytes(base::element_type::f32);
}

// Samples of blocks, the largest first: of 1, 2, 3, 4, 6, 8, 12, ... blocks.
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
        if (contractions.blocks == 1) { memory = memory_of_step(model, contractions, device.limits); }
        auto plan = plan_with(model, device, settings, contractions, 0);
        if (!plan || !plan->stays) {
            auto in_groups = plan_with(model, device, settings, contractions, group_elements_of(device));
            if (in_groups && (!plan || in_groups->estimate.cycles < plan->estimate.cycles)) {
                plan = std::move(in_groups);
            }
        }
        if (!plan) { continue; }
        if (memory) { plan->memory = *memory; }
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
    places_of(operations_of(model, contractions, {}, literals), device.limits); // complains
    throw step_too_large(device.limits, device.limits.memory_bytes(), "with all that leaves the chip for a while");
}

} // namespace tensorloom::workloads
