#include <tensorloom/workloads/step_planner/step_program.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/step_planner/plan_operations.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

// Whether a tensor of blocks is in memory on the bus.
bool is_on_bus(const step_plan& plan, std::size_t t)
{
    if (!plan.graph.is_batched(t)) { return false; }
    return plan.graph.maker(t) ? plan.graph.users(t).empty() || plan.stored[t] : plan.is_given_by_sample(t);
}

step_addresses addresses_of(const step_plan& plan, std::uint64_t base, std::uint64_t bytes)
{
    constexpr std::uint64_t alignment = 4096; // of tensors
    const auto round_up = [](std::uint64_t value) { return (value + alignment - 1) / alignment * alignment; };
    const std::size_t tensors = plan.graph.tensors.size();
    step_addresses a;
    a.tensor.resize(tensors);
    a.block_bytes.resize(tensors);
    std::uint64_t next = round_up(base);
    const auto take = [&](std::uint64_t size) {
        const std::uint64_t at = next;
        next += round_up(size);
        return at;
    };
    const auto take_bundle = [&](element_type type) { return take(plan.core_elements * base::element_bytes(type)); };
    a.list = take(plan.list_bytes());
    a.cores = take_bundle(element_type::bf16);
    for (const std::size_t core : plan.cores()) {
        a.tensor[core] = a.cores + plan.core_offset[core] * base::element_bytes(element_type::bf16);
    }
    for (std::size_t t = 0; t < tensors; ++t) {
        if (!is_on_bus(plan, t)) { continue; }
        a.block_bytes[t] = pitch_on_bus(plan, t) * base::element_bytes(plan.type_of(t));
        a.tensor[t] = take(a.block_bytes[t] * (plan.is_given_by_sample(t) ? plan.samples() : plan.blocks));
    }
    for (std::size_t t = 0; t < tensors; ++t) {
        if (plan.is_stored_by_slice(t) && !plan.is_core_gradient(t)) { a.tensor[t] = take(plan.operand_bytes(t)); }
    }
    if (plan.settings.training && plan.settings.update) {
        a.masters = take_bundle(element_type::f32);
        a.rate = take(sizeof(float));
    }
    if (plan.settings.training && (!plan.settings.update || plan.gradients_in_memory())) {
        a.gradients = take_bundle(element_type::f32);
        for (const std::size_t core : plan.cores()) {
            a.tensor[*plan.graph.gradient(core)] =
                a.gradients + plan.core_offset[core] * base::element_bytes(element_type::f32);
        }
    }
    a.end = next;
    if (next - base > bytes) {
        base::refuse("network", std::to_string(next - base) + " bytes of tensors",
                     "at most the " + std::to_string(bytes) + " of the memory");
    }
    return a;
}

} // namespace

step_program write_step(const step_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes)
{
    step_program program;
    program.addresses = addresses_of(plan, data_base, data_bytes);
    const auto& a = program.addresses;
    const plan_regions regions(plan);
    const auto address_of = [&](const bus_place& place) {
        switch (place.array) {
        case bus_array::lists: return a.list;
        case bus_array::masters: return a.masters;
        case bus_array::constants: return a.rate;
        default: break;
        }
        if (place.number == regions.cores) { return a.cores; }
        return place.number == regions.gradients ? a.gradients : a.tensor[place.number];
    };
    const auto made = operations_of(plan);
    static_cast<written_program&>(program) =
        write_program(made.list, {made.graph}, plan.places, plan.limits, address_of);
    return program;
}

} // namespace tensorloom::workloads
