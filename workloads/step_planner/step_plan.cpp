#include <tensorloom/workloads/step_planner/step_plan.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::workloads {

using base::element_type;

element_type step_plan::type_of(std::size_t tensor) const
{
    const auto made = graph.maker(tensor);
    const bool gradient = made && graph.contractions[*made].phase == step_phase::wg && !graph.is_batched(tensor);
    return gradient && graph.users(tensor).empty() ? element_type::f32 : element_type::bf16;
}

bool step_plan::is_core_gradient(std::size_t tensor) const
{
    const auto of = graph.tensors[tensor].gradient_of;
    return of && !graph.is_batched(*of) && !graph.maker(*of);
}

bool step_plan::gradients_in_memory() const
{
    const bool are_large = core_elements * base::element_bytes(element_type::f32) > most_gradient_bytes;
    return settings.training && (cores_by_pass || are_large);
}

bool step_plan::is_stored_by_slice(std::size_t tensor) const
{
    if (graph.is_batched(tensor) || !graph.maker(tensor)) { return false; }
    return cores_by_pass || (gradients_in_memory() && is_core_gradient(tensor));
}

std::vector<std::size_t> step_plan::loaded_first(const step_pass& pass) const
{
    std::vector<std::size_t> all;
    for (const auto* list : {&pass.before, &pass.body}) {
        for (const std::size_t c : *list) {
            for (const std::size_t t : {graph.contractions[c].a, graph.contractions[c].b}) {
                const bool is_new = std::find(all.begin(), all.end(), t) == all.end();
                if (cores_by_pass && !graph.is_batched(t) && is_new) { all.push_back(t); }
            }
        }
    }
    return all;
}

std::uint64_t step_plan::elements_of(std::size_t tensor) const
{
    const auto made = graph.maker(tensor);
    return layouts.layout[tensor].span / (made ? graph.slices(*made) : 1);
}

bool step_plan::is_given_by_sample(std::size_t tensor) const
{
    return graph.is_batched(tensor) && !graph.maker(tensor) && !graph.users(tensor).empty();
}

std::uint64_t step_plan::samples() const
{
    return settings.samples != 0 ? settings.samples : graph.modes[graph.batch].size;
}

std::uint64_t step_plan::list_bytes() const { return graph.modes[graph.batch].size * isa::gather_command::entry_bytes; }

bool step_plan::list_by_block() const
{
    constexpr std::uint64_t share = 256; // of the unified memory
    return list_bytes() > limits.memory_bytes() / share;
}

std::uint64_t step_plan::sample_elements(std::size_t tensor) const
{
    const auto& layout = layouts.layout[tensor];
    const std::uint64_t stride = layout.stride_of(graph.batch);
    return stride != 0 ? stride : layout.span;
}

std::uint64_t step_plan::operand_bytes(std::size_t tensor) const
{
    return layouts.layout[tensor].span * base::element_bytes(type_of(tensor));
}

std::uint64_t step_plan::bytes_of(std::size_t tensor) const
{
    return elements_of(tensor) * base::element_bytes(type_of(tensor));
}

bool step_plan::is_core(std::size_t tensor) const { return !graph.is_batched(tensor) && !graph.maker(tensor); }

bool step_plan::takes_samples(std::size_t contraction) const
{
    const auto& c = graph.contractions[contraction];
    return graph.is_batched(c.a) || graph.is_batched(c.b);
}

std::vector<std::size_t> step_plan::cores() const
{
    std::vector<std::size_t> all;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        if (is_core(t) && !graph.tensors[t].gradient_of) { all.push_back(t); }
    }
    return all;
}

std::vector<step_plan::execution> step_plan::executions() const
{
    std::vector<execution> all;
    for (std::size_t p = 0; p < passes.size(); ++p) {
        const auto add = [&](const std::vector<std::size_t>& contractions, std::uint64_t times) {
            for (const std::size_t c : contractions) {
                const auto phase = is_made_again(p, c) ? step_phase::bp : graph.contractions[c].phase;
                all.push_back({p, c, phase, times, graph.slices(c)});
            }
        };
        add(passes[p].before, 1);
        add(passes[p].body, blocks);
        add(passes[p].after, 1);
    }
    return all;
}

path_counts step_plan::paths() const
{
    path_counts n;
    for (const auto& e : executions()) {
        const auto& of = block_graph.contractions[e.contraction];
        const std::array<std::size_t, contraction_tensors> tensors{of.a, of.b, of.result};
        const auto& choice = layouts.choice[e.contraction];
        for (const auto role : fetta::operand_roles) {
            n.add(path_of(choice, role), e.times, block_graph.elements(tensors[at(tensor_of(choice.mapping, role))]));
        }
    }
    return n;
}

bool step_plan::is_made_again(std::size_t pass, std::size_t contraction) const
{
    return std::any_of(passes.begin(), passes.begin() + static_cast<std::ptrdiff_t>(pass),
                       [&](const step_pass& p) { return std::count(p.body.begin(), p.body.end(), contraction) != 0; });
}

std::uint64_t step_plan::engine_cycles() const
{
    std::uint64_t sum = 0;
    for (const auto& e : executions()) {
        sum += e.slices * (e.times * cycles[e.contraction] + (e.times - 1) * conflicts[e.contraction] +
                           last_conflicts[e.contraction]);
    }
    return sum;
}

std::uint64_t step_plan::ideal_engine_cycles(const execution& of) const
{
    auto whole = graph;
    whole.contractions[of.contraction].sliced.reset();
    return search_mapping(extents_of(whole, groups_of(whole, of.contraction)), limits, {}, {}).cycles;
}

std::uint64_t step_plan::ideal_engine_cycles() const
{
    std::uint64_t sum = 0;
    for (const auto& e : executions()) { sum += ideal_engine_cycles(e); }
    return sum;
}

std::uint64_t step_plan::estimated_cycles() const
{
    const auto& memory = settings.memory;
    const auto transfer = [&memory](std::uint64_t bytes) {
        return memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle;
    };
    // The header of the program comes before its commands.
    double sum = memory.transfer_cycles + transfer(totals.program_bytes);
    if (!cores_by_pass) { sum += transfer(core_elements * base::element_bytes(element_type::bf16)); }
    if (!list_by_block()) { sum += transfer(list_bytes()); }
    for (const auto& pass : passes) {
        sum += static_cast<double>(pass.estimated_cycles);
        for (const std::size_t t : loaded_first(pass)) { sum += transfer(operand_bytes(t)); }
        for (const auto* list : {&pass.before, &pass.body, &pass.after}) {
            for (const std::size_t c : *list) {
                const std::size_t result = graph.contractions[c].result;
                const auto slices = static_cast<double>(graph.slices(c));
                if (list != &pass.body) {
                    sum += slices * static_cast<double>(cycles[c] + last_conflicts[c]) + reorder_cycles[c];
                }
                if (cores_by_pass && is_stored_by_slice(result)) { sum += slices * transfer(bytes_of(result)); }
            }
        }
    }
    if (!settings.training) { return static_cast<std::uint64_t>(std::llround(sum)); }
    const double masters = transfer(core_elements * base::element_bytes(element_type::f32)); // or gradients
    if (!cores_by_pass && (gradients_in_memory() || !settings.update)) { sum += masters; }
    if (settings.update) {
        constexpr double vector_instructions = 2;
        sum += (gradients_in_memory() ? 3 : 2) * masters + transfer(sizeof(float)) +
               transfer(core_elements * base::element_bytes(element_type::bf16));
        sum += vector_instructions * static_cast<double>(core_elements) / settings.lanes;
    }
    return static_cast<std::uint64_t>(std::llround(sum));
}

} // namespace tensorloom::workloads
