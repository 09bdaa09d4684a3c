#include <tensorloom/workloads/training/network_memory.h>
#include <algorithm>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {
namespace {

// The elements of consecutive parameters that belong to a layer, in whole blocks.
std::uint64_t elements_of_layer(const model_contractions& contractions, std::size_t layer, std::uint64_t offset,
                                std::uint64_t elements)
{
    std::uint64_t sum = 0;
    for (const auto& parameter : contractions.parameters) {
        const std::uint64_t whole = (parameter.elements + contractions.block - 1) / contractions.block;
        const std::uint64_t first = std::max(offset, parameter.offset);
        const std::uint64_t end = std::min(offset + elements, parameter.offset + whole * contractions.block);
        if (parameter.layer == layer && first < end) { sum += end - first; }
    }
    return sum;
}

} // namespace

training_memory memory_of(const model_contractions& contractions, const network_step& step,
                          const fetta::device_limits& g)
{
    const auto lifetimes = lifetimes_of(step);
    const std::size_t layers = contractions.layers.size(); // the entry behind them is the rest's
    std::vector<needed_tensor> held;
    const auto hold = [&](memory_kind kind, std::size_t layer, const wanted_place& of, std::uint64_t bytes) {
        held.push_back({kind, layer, in_whole_blocks(bytes, g), of.first, of.last});
    };
    for (std::size_t t = 0; t < step.tensors.size(); ++t) {
        const auto& tensor = step.tensors[t];
        const auto& of = lifetimes[t];
        if (of.first > of.last) { continue; }
        if (tensor.kind) {
            for (std::size_t l = 0; l < layers; ++l) {
                hold(*tensor.kind, l, of,
                     elements_of_layer(contractions, l, tensor.parameter, tensor.elements) *
                         base::element_bytes(tensor.type));
            }
            continue;
        }
        const auto phase_at = [&](std::size_t operation) { return step.operations[operation].phase; };
        const bool is_kept =
            t != step.metrics && phase_at(of.first) == step_phase::fp && phase_at(of.last) != step_phase::fp;
        hold(is_kept ? memory_kind::activations : memory_kind::temporaries, tensor.layer.value_or(layers), of,
             of.bytes);
    }
    return memory_of(held, layers + 1);
}

training_memory memory_of(const model_description& model, const fetta::device_limits& g)
{
    const auto contractions = contractions_of(model, g);
    literal_list literals;
    return memory_of(contractions, operations_of(model, contractions, {}, literals), g);
}

} // namespace tensorloom::workloads
