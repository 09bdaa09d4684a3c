#include <tensorloom/workloads/step_planner/training_memory.h>
#include <algorithm>
#include <numeric>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

// The operation at which the tensors that are `wanted` have most bytes, and these.
struct moment {
    std::size_t operation = 0;
    std::uint64_t bytes = 0;
};
template <class Wanted> moment largest_moment(const std::vector<needed_tensor>& tensors, const Wanted& wanted)
{
    std::size_t operations = 0;
    for (const auto& t : tensors) { operations = std::max(operations, t.last + 1); }
    std::vector<std::uint64_t> begin(operations + 1), end(operations + 1); // bytes that come, that have gone
    for (const auto& t : tensors) {
        if (!wanted(t)) { continue; }
        begin[t.first] += t.bytes;
        end[t.last + 1] += t.bytes;
    }
    moment most;
    std::uint64_t bytes = 0;
    for (std::size_t o = 0; o < operations; ++o) {
        bytes = bytes + begin[o] - end[o];
        if (bytes > most.bytes) { most = {o, bytes}; }
    }
    return most;
}

bool is_temporary(const needed_tensor& t) { return t.kind == memory_kind::temporaries; }

} // namespace

std::uint64_t training_memory::of(memory_kind kind) const
{
    std::uint64_t bytes = 0;
    for (const auto& layer : layers) { bytes += layer[static_cast<std::size_t>(kind)]; }
    return bytes;
}

std::uint64_t training_memory::sum() const
{
    std::uint64_t bytes = 0;
    for (const auto& layer : layers) { bytes = std::accumulate(layer.begin(), layer.end(), bytes); }
    return bytes;
}

training_memory memory_of(const std::vector<needed_tensor>& tensors, std::size_t layers)
{
    training_memory memory;
    memory.layers.resize(layers);
    const std::size_t crowded = largest_moment(tensors, is_temporary).operation;
    for (const auto& t : tensors) {
        if (is_temporary(t) && (t.first > crowded || t.last < crowded)) { continue; }
        memory.layers[t.layer][static_cast<std::size_t>(t.kind)] += t.bytes;
    }
    memory.peak = largest_moment(tensors, [](const needed_tensor&) { return true; }).bytes;
    return memory;
}

training_memory memory_of(const contraction_graph& graph)
{
    std::vector<needed_tensor> tensors;
    const std::size_t end = graph.contractions.size(); // the update
    const auto stay = [&](memory_kind kind, std::size_t tensor, element_type type) {
        tensors.push_back({kind, 0, graph.elements(tensor) * base::element_bytes(type), 0, end});
    };
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        const auto made = graph.maker(t);
        const auto users = graph.users(t);
        const auto source = graph.tensors[t].gradient_of;
        const bool is_given = !made && !source; // X or a core
        const auto is_core = [&](std::size_t tensor) { return !graph.maker(tensor) && !graph.is_batched(tensor); };
        if (is_given && is_core(t)) {
            stay(memory_kind::masters, t, element_type::f32);
            stay(memory_kind::copies, t, element_type::bf16);
        } else if (source && is_core(*source)) {
            stay(memory_kind::gradients, t, element_type::f32);
        } else if (made || !users.empty()) {
            const bool forward = is_given || (made && graph.contractions[*made].phase == step_phase::fp);
            const bool used_backward = !users.empty() && graph.contractions[users.back()].phase != step_phase::fp;
            const std::size_t first = made ? *made : is_given ? 0 : users.front();
            tensors.push_back({forward && used_backward ? memory_kind::activations : memory_kind::temporaries, 0,
                               graph.elements(t) * base::element_bytes(element_type::bf16), first,
                               users.empty() ? first : users.back()});
        }
    }
    return memory_of(tensors, 1);
}

} // namespace tensorloom::workloads
