#include <tensorloom/workloads/step_planner/step_run.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

// Calls f(element in C order, element from the tensor's address in memory) for every element; blocks of the batch lie
// `block_elements` apart.
template <class F> void for_each_element(const step_plan& plan, std::size_t tensor, std::uint64_t block_elements, F f)
{
    const auto& graph = plan.graph;
    const auto& modes = graph.tensors[tensor].modes;
    const auto& layout = plan.layouts.layout[tensor];
    const std::uint64_t samples = plan.block_graph.modes[graph.batch].size;
    std::vector<std::uint64_t> digit(modes.size());
    const std::uint64_t elements = graph.elements(tensor);
    for (std::uint64_t e = 0; e < elements; ++e) {
        std::uint64_t place = 0;
        for (std::size_t m = 0; m < modes.size(); ++m) {
            const bool batch = modes[m] == graph.batch;
            place += (batch ? digit[m] % samples : digit[m]) * layout.stride_of(modes[m]);
            place += batch ? digit[m] / samples * block_elements : 0;
        }
        f(e, place);
        for (std::size_t m = modes.size(); m-- > 0;) {
            if (++digit[m] < graph.modes[modes[m]].size) { break; }
            digit[m] = 0;
        }
    }
}

template <class T> T in_memory(float value);
template <> float in_memory(float value) { return value; }
template <> std::uint16_t in_memory(float value) { return bfloat16(value).bits; }
float value_of(float element) { return element; }
float value_of(std::uint16_t bits)
{
    bfloat16 element;
    element.bits = bits;
    return static_cast<float>(element);
}

std::uint64_t elements_in_memory(const step_plan& plan, std::size_t tensor, std::uint64_t block_elements)
{
    return plan.graph.is_batched(tensor) ? plan.blocks * block_elements : plan.layouts.layout[tensor].span;
}

template <class T>
void write_tensor(fetta_runtime& runtime, const step_plan& plan, std::size_t tensor, std::uint64_t address,
                  std::uint64_t block_bytes, const std::vector<float>& values)
{
    const std::uint64_t block = block_bytes / sizeof(T);
    std::vector<T> memory(elements_in_memory(plan, tensor, block));
    for_each_element(plan, tensor, block, [&](auto e, auto place) { memory[place] = in_memory<T>(values[e]); });
    runtime.write(address, memory.data(), memory.size() * sizeof(T));
}

template <class T>
std::vector<float> read_tensor(fetta_runtime& runtime, const step_plan& plan, std::size_t tensor, std::uint64_t address,
                               std::uint64_t block_bytes)
{
    const std::uint64_t block = block_bytes / sizeof(T);
    std::vector<T> memory(elements_in_memory(plan, tensor, block));
    runtime.read(address, memory.data(), memory.size() * sizeof(T));
    std::vector<float> values(plan.graph.elements(tensor));
    for_each_element(plan, tensor, block, [&](auto e, auto place) { values[e] = value_of(memory[place]); });
    return values;
}

bool has_master(const step_plan& plan, const step_program& program, std::size_t tensor)
{
    const auto cores = plan.cores();
    return program.addresses.masters != 0 && std::find(cores.begin(), cores.end(), tensor) != cores.end();
}

std::uint64_t master_of(const step_plan& plan, const step_program& program, std::size_t core)
{
    return program.addresses.masters + plan.core_offset[core] * sizeof(float);
}

} // namespace

step_run run_step(fetta_runtime& runtime, const step_plan& plan, const step_program& program, const step_values& given,
                  float rate)
{
    const auto& a = program.addresses;
    for (std::size_t t = 0; t < plan.graph.tensors.size(); ++t) {
        if (a.tensor[t] != 0 && !given.tensor[t].empty()) {
            write_tensor<std::uint16_t>(runtime, plan, t, a.tensor[t], a.block_bytes[t], given.tensor[t]);
        }
        if (has_master(plan, program, t)) {
            write_tensor<float>(runtime, plan, t, master_of(plan, program, t), 0, given.master[t]);
        }
    }
    if (a.rate != 0) { runtime.write(a.rate, &rate, sizeof rate); }
    step_run result;
    result.outcome = runtime.run(program.bytes);
    result.values.tensor.resize(plan.graph.tensors.size());
    result.values.master.resize(plan.graph.tensors.size());
    for (std::size_t t = 0; t < plan.graph.tensors.size(); ++t) {
        if (a.tensor[t] != 0) {
            result.values.tensor[t] = plan.type_of(t) == arch::element_type::f32
                                          ? read_tensor<float>(runtime, plan, t, a.tensor[t], a.block_bytes[t])
                                          : read_tensor<std::uint16_t>(runtime, plan, t, a.tensor[t], a.block_bytes[t]);
        }
        if (has_master(plan, program, t)) {
            result.values.master[t] = read_tensor<float>(runtime, plan, t, master_of(plan, program, t), 0);
        }
    }
    return result;
}

} // namespace tensorloom::workloads
