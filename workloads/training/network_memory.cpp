#include <tensorloom/workloads/training/network_memory.h>
#include <algorithm>
#include <tensorloom/workloads/step_planner/pass_places.h>

namespace tensorloom::workloads {
namespace {

std::uint64_t in_whole_blocks(std::uint64_t bytes, const fetta::device_limits& g)
{
    const std::uint64_t block = place_granule(g);
    return (bytes + block - 1) / block * block;
}

// Of a tensor that has all parameters: those of a layer, whole blocks of elements.
std::uint64_t elements_of_layer(const model_contractions& contractions, std::size_t layer)
{
    const auto& all = contractions.parameters;
    std::uint64_t elements = 0;
    for (std::size_t p = 0; p < all.size(); ++p) {
        const std::uint64_t end = p + 1 < all.size() ? all[p + 1].offset : contractions.parameter_elements;
        if (all[p].layer == layer) { elements += end - all[p].offset; }
    }
    return elements;
}

// The layer with the most bytes in tensors that do not stay, and its most at one time.
std::string largest_layer(const network_step& step, const std::vector<wanted_place>& wanted)
{
    std::vector<std::uint64_t> most(step.layers.size());
    for (std::size_t o = 0; o <= step.operations.size(); ++o) {
        std::vector<std::uint64_t> bytes(step.layers.size());
        for (std::size_t t = 0; t < wanted.size(); ++t) {
            const auto layer = step.tensors[t].layer;
            if (layer && wanted[t].first <= o && o <= wanted[t].last) { bytes[*layer] += wanted[t].bytes; }
        }
        for (std::size_t l = 0; l < most.size(); ++l) { most[l] = std::max(most[l], bytes[l]); }
    }
    const auto largest = std::max_element(most.begin(), most.end());
    return "layer " + step.layers[static_cast<std::size_t>(largest - most.begin())] + " up to " +
           std::to_string(*largest);
}

} // namespace

std::vector<wanted_place> lifetimes_of(const network_step& step)
{
    std::vector<wanted_place> wanted;
    for (const auto& t : step.tensors) {
        wanted.push_back({t.elements * base::element_bytes(t.type), t.stays ? 0 : step.operations.size(),
                          t.stays ? step.operations.size() : 0});
    }
    std::size_t begin = 0, end = 0; // of the loop around an operation, or itself
    for (std::size_t o = 0; o < step.operations.size(); ++o) {
        const auto& operations = step.operations;
        if (std::holds_alternative<loop_operation>(operations[o].work)) {
            begin = end = o;
            while (!std::holds_alternative<end_operation>(operations[end].work)) { ++end; }
        }
        const auto use = [&, first = o < end ? begin : o, last = std::max(o, end)](const tensor_part& part) {
            wanted[part.tensor].first = std::min(wanted[part.tensor].first, first);
            wanted[part.tensor].last = std::max(wanted[part.tensor].last, last);
        };
        for_each_part(operations[o], use, use);
        if (std::holds_alternative<gather_operation>(operations[o].work)) { use({step.list}); }
    }
    wanted[step.list].first = 0;                        // it is loaded ahead of all,
    wanted[step.metrics].last = step.operations.size(); // they are stored behind all
    return wanted;
}

step_places places_of(const network_step& step, const fetta::device_limits& g)
{
    const auto wanted = lifetimes_of(step);
    const auto bytes = places_for(wanted, place_granule(g), g.memory_bytes());
    if (!bytes) { throw step_too_large(g, bytes_for(wanted, place_granule(g)), largest_layer(step, wanted)); }
    step_places places{*bytes, 0};
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        places.occupied = std::max(places.occupied, places.byte[t] + in_whole_blocks(wanted[t].bytes, g));
    }
    return places;
}

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
        std::optional<memory_kind> of_parameters;
        if (t == step.masters) { of_parameters = memory_kind::masters; }
        if (t == step.copies) { of_parameters = memory_kind::copies; }
        if (t == step.gradients) { of_parameters = memory_kind::gradients; }
        if (std::find(step.moments.begin(), step.moments.end(), t) != step.moments.end()) {
            of_parameters = memory_kind::optimizer;
        }
        if (of_parameters) {
            for (std::size_t l = 0; l < layers; ++l) {
                hold(*of_parameters, l, of, elements_of_layer(contractions, l) * base::element_bytes(tensor.type));
            }
            continue;
        }
        const auto phase_at = [&](std::size_t operation) { return step.operations[operation].phase; };
        const bool is_kept = !tensor.stays && of.last < step.operations.size() &&
                             phase_at(of.first) == step_phase::fp && phase_at(of.last) != step_phase::fp;
        hold(is_kept ? memory_kind::activations : memory_kind::temporaries, tensor.layer.value_or(layers), of,
             of.bytes);
    }
    return memory_of(held, layers + 1);
}

training_memory memory_of(const model_description& model, const fetta::device_limits& g)
{
    const auto contractions = contractions_of(model, g);
    literal_list literals;
    return memory_of(contractions, operations_of(model, contractions, true, literals), g);
}

} // namespace tensorloom::workloads
