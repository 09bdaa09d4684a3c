#include <tensorloom/workloads/step_planner/step_places.h>
#include <algorithm>
#include <numeric>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

// The layer with the most bytes in tensors that do not stay, and its most at one time.
std::string largest_layer(const operation_list& list, const std::vector<wanted_place>& wanted)
{
    std::vector<std::uint64_t> most(list.layers.size());
    for (std::size_t o = 0; o <= list.operations.size(); ++o) {
        std::vector<std::uint64_t> bytes(list.layers.size());
        for (std::size_t t = 0; t < wanted.size(); ++t) {
            const auto layer = list.tensors[t].layer;
            if (layer && wanted[t].first <= o && o <= wanted[t].last) { bytes[*layer] += wanted[t].bytes; }
        }
        for (std::size_t l = 0; l < most.size(); ++l) { most[l] = std::max(most[l], bytes[l]); }
    }
    const auto largest = std::max_element(most.begin(), most.end());
    return "layer " + list.layers[static_cast<std::size_t>(largest - most.begin())] + " up to " +
           std::to_string(*largest);
}

} // namespace

base::input_error step_too_large(const fetta::device_limits& g, std::uint64_t bytes, const std::string& part)
{
    return base::input_error("model: the tensors of a step need " + std::to_string(bytes) + " bytes or more, " + part +
                             ", which do not fit into the " + std::to_string(g.memory_bytes()) +
                             " bytes of the unified memory, expected a smaller batch or model");
}

std::vector<wanted_place> lifetimes_of(const operation_list& list)
{
    const std::size_t never = list.operations.size();
    std::vector<wanted_place> wanted;
    for (const auto& t : list.tensors) { wanted.push_back({t.elements * base::element_bytes(t.type), never, 0}); }
    const auto widen = [](wanted_place& place, const operation_range& to) {
        place.first = std::min(place.first, to.first);
        place.last = std::max(place.last, to.last);
    };
    for (std::size_t t = 0; t < list.tensors.size(); ++t) {
        if (list.tensors[t].reserved) { widen(wanted[t], *list.tensors[t].reserved); }
    }
    const auto loops = loops_of(list);
    for (std::size_t o = 0; o < list.operations.size(); ++o) {
        operation_range at{o, o};
        for (const auto& loop : loops) {
            if (loop.kind == loop_kind::inner && loop.range.has(o)) { at = loop.range; }
        }
        for_each_part(
            list.operations[o], [&](const tensor_part& part) { widen(wanted[part.tensor], at); },
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

std::optional<std::vector<std::uint64_t>> places_in(const std::vector<wanted_place>& lifetimes, std::uint64_t bytes,
                                                    const fetta::device_limits& g)
{
    for (const auto first : {placing_order::longest, placing_order::largest}) {
        if (auto places = places_for(lifetimes, place_granule(g), bytes, first)) { return places; }
    }
    return std::nullopt;
}

std::optional<step_places> find_places(const operation_list& list, const fetta::device_limits& g)
{
    const auto wanted = lifetimes_of(list);
    const auto bytes = places_in(wanted, g.memory_bytes(), g);
    if (!bytes) { return std::nullopt; }
    step_places places{*bytes, 0};
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        places.occupied = std::max(places.occupied, places.byte[t] + in_whole_blocks(wanted[t].bytes, g));
    }
    return places;
}

step_places places_of(const operation_list& list, const fetta::device_limits& g)
{
    if (auto places = find_places(list, g)) { return std::move(*places); }
    const auto wanted = lifetimes_of(list);
    throw step_too_large(g, bytes_for(wanted, place_granule(g)), largest_layer(list, wanted));
}

} // namespace tensorloom::workloads
