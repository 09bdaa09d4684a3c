#include <tensorloom/workloads/step_planner/step_run.h>
#include <algorithm>
#include <numeric>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

// Calls f(element in C order, element from the tensor's address in memory) for every element; groups of so many samples
// lie `group_elements` apart.
template <class F>
void for_each_element(const contraction_graph& graph, const mode_layout& layout, std::size_t tensor,
                      std::uint64_t group, std::uint64_t group_elements, F f)
{
    const auto& modes = graph.tensors[tensor].modes;
    std::vector<std::uint64_t> digit(modes.size());
    const std::uint64_t elements = graph.elements(tensor);
    for (std::uint64_t e = 0; e < elements; ++e) {
        std::uint64_t place = 0;
        for (std::size_t m = 0; m < modes.size(); ++m) {
            const bool batch = modes[m] == graph.batch;
            place += (batch ? digit[m] % group : digit[m]) * layout.stride_of(modes[m]);
            place += batch ? digit[m] / group * group_elements : 0;
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

/// Where a tensor lies, and how.
struct tensor_place {
    std::uint64_t address = 0;
    std::uint64_t group = 1; ///< samples that lie as on chip
    std::uint64_t group_bytes = 0;
    std::uint64_t groups = 1;
};

tensor_place place_of(const step_plan& plan, const step_program& program, std::size_t tensor)
{
    const auto& a = program.addresses;
    if (plan.is_given_by_sample(tensor)) { return {a.tensor[tensor], 1, a.block_bytes[tensor], plan.samples()}; }
    if (!plan.graph.is_batched(tensor)) { return {a.tensor[tensor]}; }
    return {a.tensor[tensor], plan.block_graph.modes[plan.graph.batch].size, a.block_bytes[tensor], plan.blocks};
}

std::uint64_t elements_at(const step_plan& plan, std::size_t tensor, const tensor_place& at, std::size_t element_bytes)
{
    return at.group_bytes == 0 ? plan.layouts.layout[tensor].span : at.groups * at.group_bytes / element_bytes;
}

template <class T>
std::uint64_t write_tensor(fetta_session& session, const step_plan& plan, std::size_t tensor, const tensor_place& at,
                           const std::vector<float>& values)
{
    std::vector<T> memory(elements_at(plan, tensor, at, sizeof(T)));
    const auto graph = with_batch(plan.graph, at.group * at.groups);
    for_each_element(graph, plan.layouts.layout[tensor], tensor, at.group, at.group_bytes / sizeof(T),
                     [&](auto e, auto place) { memory[place] = in_memory<T>(values[e]); });
    session.write(at.address, memory.data(), memory.size() * sizeof(T));
    return memory.size() * sizeof(T);
}

template <class T>
std::vector<float> values_in(const step_plan& plan, std::size_t tensor, const tensor_place& at,
                             const std::vector<T>& memory)
{
    std::vector<float> values(plan.graph.elements(tensor));
    for_each_element(plan.graph, plan.layouts.layout[tensor], tensor, at.group, at.group_bytes / sizeof(T),
                     [&](auto e, auto place) { values[e] = value_of(memory[place]); });
    return values;
}

template <class T>
std::vector<float> read_tensor(fetta_session& session, const step_plan& plan, std::size_t tensor,
                               const tensor_place& at)
{
    std::vector<T> memory(elements_at(plan, tensor, at, sizeof(T)));
    session.read(at.address, memory.data(), memory.size() * sizeof(T));
    return values_in(plan, tensor, at, memory);
}

std::vector<float> read_samples(fetta_session& session, const step_plan& plan, std::size_t tensor,
                                const tensor_place& at, const sample_list& batch)
{
    const std::uint64_t elements = at.group_bytes / sizeof(std::uint16_t);
    std::vector<std::uint16_t> memory(batch.size() * elements);
    for (std::size_t s = 0; s < batch.size(); ++s) {
        session.read(at.address + batch[s] * at.group_bytes, memory.data() + s * elements, at.group_bytes);
    }
    return values_in(plan, tensor, at, memory);
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

std::uint64_t place_data(fetta_session& session, const step_plan& plan, const step_program& program,
                         const step_values& data, float rate)
{
    const auto& a = program.addresses;
    std::uint64_t bytes = 0;
    for (std::size_t t = 0; t < plan.graph.tensors.size(); ++t) {
        if (a.tensor[t] != 0 && !data.tensor[t].empty()) {
            bytes += write_tensor<std::uint16_t>(session, plan, t, place_of(plan, program, t), data.tensor[t]);
        }
        if (has_master(plan, program, t)) {
            bytes += write_tensor<float>(session, plan, t, {master_of(plan, program, t)}, data.master[t]);
        }
    }
    if (a.rate != 0) {
        session.write(a.rate, &rate, sizeof rate);
        bytes += sizeof rate;
    }
    return bytes;
}

step_run run_batch(fetta_session& session, const step_plan& plan, const step_program& program, const sample_list& batch)
{
    const auto& a = program.addresses;
    session.write(a.list, batch.data(), plan.list_bytes());
    step_run result;
    result.outcome = session.run(program.bytes);
    result.values.tensor.resize(plan.graph.tensors.size());
    result.values.master.resize(plan.graph.tensors.size());
    for (std::size_t t = 0; t < plan.graph.tensors.size(); ++t) {
        if (a.tensor[t] != 0) {
            const auto at = place_of(plan, program, t);
            result.values.tensor[t] = plan.is_given_by_sample(t) ? read_samples(session, plan, t, at, batch)
                                      : plan.type_of(t) == base::element_type::f32
                                          ? read_tensor<float>(session, plan, t, at)
                                          : read_tensor<std::uint16_t>(session, plan, t, at);
        }
        if (has_master(plan, program, t)) {
            result.values.master[t] = read_tensor<float>(session, plan, t, {master_of(plan, program, t)});
        }
    }
    return result;
}

step_run run_step(fetta_session& session, const step_plan& plan, const step_program& program, const step_values& given,
                  float rate)
{
    place_data(session, plan, program, given, rate);
    sample_list batch(plan.graph.modes[plan.graph.batch].size);
    std::iota(batch.begin(), batch.end(), 0u);
    return run_batch(session, plan, program, batch);
}

} // namespace tensorloom::workloads
