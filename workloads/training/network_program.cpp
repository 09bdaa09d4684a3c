#include <tensorloom/workloads/training/network_program.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

constexpr std::uint64_t alignment = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t aligned_bytes(const bus_region& region)
{
    return round_up(region.elements * base::element_bytes(region.type), alignment);
}

} // namespace

model_addresses model_addresses_of(const model_description& model, const model_contractions& contractions,
                                   const model_arrays& arrays, std::uint64_t base, std::uint64_t bytes)
{
    const auto [literals, samples, batches, spill_bytes] = arrays;
    model_addresses a;
    std::uint64_t next = round_up(base, alignment);
    const auto take = [&next](std::uint64_t elements, element_type type) {
        const std::uint64_t at = next;
        next += round_up(elements * base::element_bytes(type), alignment);
        return at;
    };
    a.masters = take(contractions.parameter_elements, element_type::f32);
    for (std::size_t m = 0; m < moments_of(model.optimizer.kind); ++m) {
        a.moments.push_back(take(contractions.parameter_elements, element_type::f32));
    }
    a.constants = take(step_constants, element_type::f32);
    a.literals = take(literals, element_type::f32);
    a.ones = take(contractions.most_rows, element_type::bf16);
    const bool tokens = model.vocabulary() != 0;
    a.features = take(samples * model.features(), tokens ? element_type::int32 : element_type::bf16);
    if (tokens) { a.indices = take(samples * model.features(), element_type::f32); }
    a.labels = take(samples * answer_words(model.loss, model.classes()), element_type::f32);
    a.lists = take(batches * list_layout(contractions).words, element_type::f32);
    for (const auto& region : contractions.regions) { a.regions.push_back(take(region.elements, region.type)); }
    a.metrics = take(batches * contractions.blocks * metric_words, element_type::f32);
    a.spills = take(spill_bytes, element_type::int8);
    a.end = next;
    if (next - base > bytes) {
        base::refuse("model", std::to_string(next - base) + " bytes of data and parameters",
                     "at most the " + std::to_string(bytes) + " of the memory");
    }
    return a;
}

std::uint64_t spill_bytes_of(const operation_list& list)
{
    std::uint64_t bytes = 0;
    for (const auto& spill : list.spills) { bytes += aligned_bytes(spill); }
    return bytes;
}

written_program write_steps(const model_contractions& contractions, const operation_list& list,
                            const fetta::device_limits& g, const model_addresses& addresses)
{
    std::vector<std::uint64_t> spills;
    std::uint64_t next = addresses.spills;
    for (const auto& spill : list.spills) {
        spills.push_back(next);
        next += aligned_bytes(spill);
    }
    const auto address_of = [&](const bus_place& place) {
        switch (place.array) {
        case bus_array::region: return addresses.regions[place.number];
        case bus_array::spill: return spills[place.number];
        case bus_array::moment: return addresses.moments[place.number];
        case bus_array::masters: return addresses.masters;
        case bus_array::constants: return addresses.constants;
        case bus_array::literals: return addresses.literals;
        case bus_array::ones: return addresses.ones;
        case bus_array::features: return addresses.features;
        case bus_array::indices: return addresses.indices;
        case bus_array::labels: return addresses.labels;
        case bus_array::lists: return addresses.lists;
        case bus_array::metrics: break;
        }
        return addresses.metrics;
    };
    return write_program(list, contractions.graphs, places_of(list, g), g, address_of);
}

} // namespace tensorloom::workloads
