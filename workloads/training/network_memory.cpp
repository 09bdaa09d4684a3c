#include <tensorloom/workloads/training/network_memory.h>
#include <algorithm>
#include <numeric>
#include <tensorloom/workloads/step_planner/pass_places.h>

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
    const std::size_t never = step.operations.size();
    std::vector<wanted_place> wanted;
    for (const auto& t : step.tensors) { wanted.push_back({t.elements * base::element_bytes(t.type), never, 0}); }
    const auto widen = [](wanted_place& place, const operation_range& to) {
        place.first = std::min(place.first, to.first);
        place.last = std::max(place.last, to.last);
    };
    const auto loops = loops_of(step);
    for (std::size_t o = 0; o < step.operations.size(); ++o) {
        operation_range at{o, o};
        for (const auto& loop : loops) {
            if (loop.kind == loop_kind::inner && loop.range.has(o)) { at = loop.range; }
        }
        for_each_part(
            step, step.operations[o], [&](const tensor_part& part) { widen(wanted[part.tensor], at); },
            [&](const tensor_part& part) { widen(wanted[part.tensor], at); });
    }
    for (const auto& loop : loops) { // the innermost first
        if (loop.kind == loop_kind::inner) { continue; }
        for (auto& place : wanted) {
            const bool is_inside = loop.range.has(place.first) && loop.range.has(place.last);
            const bool is_apart = place.last < loop.range.first || loop.range.last < place.first;
            if (!is_inside && !is_apart) { widen(place, loop.range); }
        }
    }
    return wanted;
}

std::uint64_t in_whole_blocks(std::uint64_t bytes, const fetta::device_limits& g)
{
    const std::uint64_t block = place_granule(g);
    return (bytes + block - 1) / block * block;
}

std::vector<std::int64_t> occupation_of(const std::vector<wanted_place>& lifetimes, std::size_t operations,
                                        const fetta::device_limits& g)
{
    std::vector<std::int64_t> bytes(operations + 1);
    for (const auto& of : lifetimes) {
        if (of.first > of.last) { continue; } // never used
        const auto size = static_cast<std::int64_t>(in_whole_blocks(of.bytes, g));
        bytes[of.first] += size;
        bytes[of.last + 1] -= size;
    }
    std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
    bytes.pop_back();
    return bytes;
}

std::optional<step_places> find_places(const network_step& step, const fetta::device_limits& g)
{
    const auto wanted = lifetimes_of(step);
    const auto bytes = places_for(wanted, place_granule(g), g.memory_bytes());
    if (!bytes) { return std::nullopt; }
    step_places places{*bytes, 0};
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        places.occupied = std::max(places.occupied, places.byte[t] + in_whole_blocks(wanted[t].bytes, g));
    }
    return places;
}

step_places places_of(const network_step& step, const fetta::device_limits& g)
{
    if (auto places = find_places(step, g)) { return std::move(*places); }
    const auto wanted = lifetimes_of(step);
    throw step_too_large(g, bytes_for(wanted, place_granule(g)), largest_layer(step, wanted));
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
