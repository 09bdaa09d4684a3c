#include "workloads/step_planner/planned_step.h"
#include <cstring>
#include <stdexcept>

namespace tensorloom::test {
namespace {

// A tensor's values with its modes in another order.
std::vector<float> reordered(const step_definition& step, const std::string& tensor,
                             const workloads::index_list& planner_modes, const std::vector<float>& values,
                             bool to_planner)
{
    std::vector<std::size_t> place{0}; // in the definition, by place in the planner's order
    for (const auto& mode : planner_modes) {
        std::vector<std::size_t> longer;
        for (const std::size_t p : place) {
            for (std::size_t i = 0; i < step.size(mode); ++i) { longer.push_back(p + i * step.stride(tensor, mode)); }
        }
        place = std::move(longer);
    }
    std::vector<float> result(values.size());
    for (std::size_t p = 0; p < place.size(); ++p) {
        (to_planner ? result[p] : result[place[p]]) = to_planner ? values[place[p]] : values[p];
    }
    return result;
}

workloads::index_list modes_of(const workloads::contraction_graph& graph, std::size_t tensor)
{
    workloads::index_list modes;
    for (const unsigned m : graph.tensors[tensor].modes) { modes.push_back(graph.modes[m].name); }
    return modes;
}

std::map<std::string, std::uint64_t> strides_of(const workloads::step_plan& plan, std::size_t tensor)
{
    std::map<std::string, std::uint64_t> strides;
    const auto& layout = plan.layouts.layout[tensor];
    for (std::size_t m = 0; m < layout.order.size(); ++m) {
        const auto& mode = plan.block_graph.modes[layout.order[m]];
        if (mode.size > 1) { strides[mode.name] = layout.stride[m]; }
    }
    return strides;
}

// What the host is told: where it puts what is given, and finds what was made.
std::vector<bus_tensor> on_bus(const workloads::step_plan& plan, const workloads::step_program& program)
{
    std::vector<bus_tensor> all;
    const auto& a = program.addresses;
    for (std::size_t t = 0; t < plan.graph.tensors.size(); ++t) {
        if (a.tensor[t] == 0) { continue; }
        all.push_back({plan.graph.tensors[t].name, a.tensor[t], a.block_bytes[t], strides_of(plan, t)});
    }
    const auto& batch = plan.block_graph.modes[plan.graph.batch];
    bus_tensor list{list_of_samples, a.list, batch.size * sizeof(std::uint32_t), {}};
    if (batch.size > 1) { list.stride[batch.name] = 1; }
    all.push_back(std::move(list));
    if (a.masters != 0) {
        for (const std::size_t core : plan.cores()) {
            all.push_back({master_of + plan.graph.tensors[core].name,
                           a.masters + plan.core_offset[core] * sizeof(float), 0, strides_of(plan, core)});
        }
        all.push_back({"rate", a.rate, 0, {}});
    }
    return all;
}

std::string difference(const std::string& name, const std::vector<float>& found, const std::vector<float>& expected)
{
    if (found.size() != expected.size()) {
        return name + " has " + std::to_string(found.size()) + " elements, not " + std::to_string(expected.size());
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::memcmp(&found[i], &expected[i], sizeof found[i]) != 0) {
            return name + ", element " + std::to_string(i) + ": found " + std::to_string(found[i]) + ", expected " +
                   std::to_string(expected[i]);
        }
    }
    return "";
}

} // namespace

workloads::step_values in_numbers(const planned_step& step, const values_by_name<float>& values)
{
    const auto& graph = step.plan.graph;
    workloads::step_values result;
    result.tensor.resize(graph.tensors.size());
    result.master.resize(graph.tensors.size());
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        const auto& name = graph.tensors[t].name;
        const auto take = [&](const std::string& from, std::vector<float>& to) {
            const auto known = values.find(from);
            if (known == values.end()) { return; }
            to = reordered(step.definition, name, modes_of(graph, t), known->second, true);
        };
        take(name, result.tensor[t]);
        take(master_of + name, result.master[t]);
    }
    return result;
}

values_by_name<float> by_name(const planned_step& step, const workloads::step_values& values)
{
    const auto& graph = step.plan.graph;
    values_by_name<float> result;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        const auto& name = graph.tensors[t].name;
        const auto modes = modes_of(graph, t);
        if (!values.tensor[t].empty()) {
            result[name] = reordered(step.definition, name, modes, values.tensor[t], false);
        }
        if (!values.master[t].empty()) {
            result[master_of + name] = reordered(step.definition, name, modes, values.master[t], false);
        }
    }
    return result;
}

std::string fault_of(const planned_step& step, const workloads::step_program& program,
                     const values_by_name<float>& given, const values_by_name<float>& found, float rate)
{
    const auto& plan = step.plan;
    const auto& definition = step.definition;
    const std::size_t samples = definition.size(definition.batch) / plan.blocks;
    const bool update = definition.training && plan.settings.update;
    std::map<std::string, order_of_sums> orders;
    try {
        orders = read_step_program(program.bytes, definition, samples, on_bus(plan, program), plan.limits);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    const auto expected = ordered_step(definition, orders, samples, plan.limits.side, given, update, rate);
    std::vector<std::string> wanted{"Y"};
    if (definition.training && definition.with_dx) { wanted.push_back("d" + definition.network.nodes.front().name); }
    for (const auto& core : definition.cores) {
        wanted.push_back(core);
        if (definition.training) { wanted.push_back((update ? master_of : "d") + core); }
    }
    for (const auto& name : wanted) {
        if (found.count(name) == 0) { return name + " is missing"; }
    }
    for (const auto& [name, values] : found) {
        const auto wrong = difference(name, values, expected.at(name));
        if (!wrong.empty()) { return wrong; }
    }
    return "";
}

} // namespace tensorloom::test
