#include <tensorloom/workloads/contraction/block_transfers.h>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <tensorloom/workloads/scrambled.h>

namespace tensorloom::workloads {
namespace {

// Elements from one digit of a mode of C to the next, in a block that lies padded.
std::int64_t padded_stride(const contraction_plan& plan, const even_view& view, char letter)
{
    for (const auto x : all_indices) {
        const std::string& modes = plan.index[at(x)].modes;
        const auto place = modes.find(letter);
        if (place == std::string::npos) { continue; }
        return view.stride[static_cast<unsigned>(plan.command_index_of(x))] *
               static_cast<std::int64_t>(plan.problem.extent(std::string_view(modes).substr(place + 1)));
    }
    return 0;
}

constexpr std::uint64_t largest_burst = 4096;

// Calls f(access) for the naturally aligned bursts of the DMA from `address` to `end`.
template <class F> void for_each_burst(std::uint64_t address, std::uint64_t end, F f)
{
    while (address < end) {
        std::uint64_t burst = largest_burst;
        while (address % burst != 0 || burst > end - address) { burst /= 2; }
        f(costs::dram_stream::access{address, burst});
        address += burst;
    }
}

// From the first bursts of a transfer, and some from its middle, one after the other.
double stream_cycles_of(const isa::descriptor_runs& runs, std::uint64_t run_bytes, std::uint64_t bursts,
                        const memory_estimate& memory, bool store)
{
    constexpr std::uint64_t pieces = 2, most_runs = 64, most_bytes = 16384; // of a piece
    if (runs.runs() == 1) { return 0; }
    const std::uint64_t looked_at =
        std::max<std::uint64_t>(1, std::min({runs.runs() / pieces, most_runs, most_bytes / run_bytes}));
    std::vector<costs::dram_stream::access> accesses;
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        for (std::uint64_t i = 0; i < looked_at; ++i) {
            const std::uint64_t address = runs.address(piece * (runs.runs() / pieces) + i);
            for_each_burst(address, address + run_bytes, [&](const auto& burst) { accesses.push_back(burst); });
        }
    }
    const double found = memory.dram->cycles(accesses, store, memory.outstanding);
    return found * static_cast<double>(bursts) / static_cast<double>(accesses.size());
}

// Bursts of slices at random places, and their cycles in a DRAM whose rows are closed at first, of each slice. Planners
// ask for the same ones again and again, so they are computed once, as the mean of some gathers: the banks that slices
// meet average out.
struct slice_accesses {
    double bursts = 0, stream_cycles = 0;
    std::shared_ptr<const costs::dram_stream> dram; // keeps its address from another one
};
const slice_accesses& accesses_of_slice(std::uint64_t slices, std::uint64_t bytes, std::uint64_t pitch,
                                        std::uint64_t table_slices, const memory_estimate& memory)
{
    constexpr std::uint64_t most_slices = 128, looked_at = 256, most_bytes = 256 << 10, least_slices = 32;
    using slice_key = std::array<std::uint64_t, 5>;
    thread_local std::map<std::pair<slice_key, const costs::dram_stream*>, slice_accesses> known;
    const std::uint64_t all = std::clamp(most_bytes / bytes, least_slices, looked_at);
    const std::uint64_t of_gather = std::min({slices, most_slices, all});
    const slice_key key{of_gather, bytes, pitch, table_slices, memory.outstanding};
    const auto [found, is_new] = known.try_emplace({key, memory.dram.get()});
    auto& of = found->second;
    if (!is_new) { return of; }
    const std::uint64_t gathers = all / of_gather;
    for (std::uint64_t i = 0; i < gathers; ++i) {
        std::vector<costs::dram_stream::access> accesses;
        for (std::uint64_t slice = i * of_gather; slice < (i + 1) * of_gather; ++slice) {
            const std::uint64_t address = scrambled(slice) % table_slices * pitch;
            for_each_burst(address, address + bytes, [&](const auto& burst) { accesses.push_back(burst); });
        }
        of.bursts += static_cast<double>(accesses.size());
        if (memory.dram) { of.stream_cycles += memory.dram->cycles(accesses, false, memory.outstanding); }
    }
    of.bursts /= static_cast<double>(gathers * of_gather);
    of.stream_cycles /= static_cast<double>(gathers * of_gather);
    of.dram = memory.dram;
    return of;
}

} // namespace

block_transfers::block_transfers(const contraction_plan& plan, const contraction_addresses& addresses,
                                 contraction_tensor tensor)
    : m_plan(plan), m_tensor(tensor), m_address(addresses.of(tensor)), m_type(plan.type_of(tensor))
{
    if (plan.layout == tensor_layout::ideal) { m_offsets = block_offsets(plan, tensor); }
    if (plan.layout != tensor_layout::offchip) { return; }
    const std::optional<std::uint64_t> others[] = {addresses.ordered_a, addresses.ordered_b, addresses.padded_c};
    const auto& other = others[at(tensor)];
    m_address = other.value_or(m_address);
    if (tensor == contraction_tensor::c && other) {
        m_offsets = block_offsets(plan, tensor);
    } else {
        m_view = other ? ordered_view(plan, tensor) : *own_view(plan, tensor);
    }
}

std::vector<isa::tensor_descriptor> block_transfers::descriptors(const block_of& block) const
{
    const std::uint64_t element = base::element_bytes(m_type);
    if (m_plan.layout == tensor_layout::conflicted) {
        const tensor_box box = box_of(m_plan.problem, m_tensor, m_plan.index, block);
        std::vector<memory_mode> modes;
        for (const auto& m : box.modes) { modes.push_back({m.size, m.tensor_stride}); }
        return {descriptor_of(m_address + box.first * element, m_type, modes)};
    }
    const auto number = block_number(m_plan, m_tensor, block);
    if (m_plan.layout == tensor_layout::ideal) {
        const std::uint64_t elements = m_offsets[number + 1] - m_offsets[number];
        return {descriptor_of(m_address + m_offsets[number] * element, m_type, {{elements, 1}})};
    }
    const banked_image image = m_plan.image(m_tensor, block);
    std::uint64_t first = 0;
    if (m_offsets.empty()) {
        for (const auto x : all_indices) {
            if (!has_index(m_tensor, x)) { continue; }
            const auto stride = m_view.stride[static_cast<unsigned>(m_plan.command_index_of(x))];
            first += m_plan.index[at(x)].block(block[at(x)]).first * static_cast<std::uint64_t>(stride);
        }
    } else {
        first = m_offsets[number];
    }
    const even_view view = m_offsets.empty() ? m_view : padded_view(image);
    auto views = strided_views(image, view.stride, m_type);
    for (auto& v : views) { v.base += m_address + first * element; }
    return views;
}

memory_accesses accesses_of(const isa::tensor_descriptor& tensor, const memory_estimate& memory, bool store)
{
    constexpr std::uint64_t most_looked_at = 32;
    const isa::descriptor_runs runs(tensor);
    const std::uint64_t bytes = runs.run_elements() * base::element_bytes(static_cast<base::element_type>(tensor.type));
    const std::uint64_t looked_at = std::min(runs.runs(), most_looked_at);
    std::uint64_t bursts = 0;
    for (std::uint64_t i = 0; i < looked_at; ++i) {
        // Spread without a period, which the runs' alignments may have.
        std::uint64_t address = runs.address(looked_at == runs.runs() ? i : i * 2'654'435'761 % runs.runs());
        // A long run is bursts of the largest size but for its ends.
        const std::uint64_t whole = bytes / largest_burst;
        const std::uint64_t end = address + bytes - (whole > 1 ? (whole - 1) * largest_burst : 0);
        bursts += whole > 1 ? whole - 1 : 0;
        for_each_burst(address, end, [&](const auto&) { ++bursts; });
    }
    memory_accesses a{1, runs.runs(), looked_at == 0 ? 1 : std::max(runs.runs(), bursts * runs.runs() / looked_at)};
    if (memory.dram) {
        const auto all = static_cast<double>(memory.charged_bytes(bytes * a.runs, a));
        a.stream_cycles = std::max({stream_cycles_of(runs, bytes, a.bursts, memory, store),
                                    all / memory.unrefreshed_bytes_per_cycle, static_cast<double>(a.bursts)});
    }
    return a;
}

memory_accesses accesses_of_slices(std::uint64_t slices, std::uint64_t bytes, std::uint64_t pitch,
                                   std::uint64_t table_slices, const memory_estimate& memory)
{
    const auto& of = accesses_of_slice(slices, bytes, pitch, table_slices, memory);
    const auto all = static_cast<double>(slices);
    memory_accesses a{1, slices, static_cast<std::uint64_t>(all * of.bursts)};
    if (memory.dram) { a.stream_cycles = std::max(all * of.stream_cycles, static_cast<double>(a.bursts)); }
    return a;
}

memory_accesses accesses_of_block(const contraction_plan& plan, contraction_tensor tensor)
{
    const std::array<std::uint32_t, contraction_indices> first{};
    const memory_estimate& memory = plan.reordering.memory;
    const bool store = tensor == contraction_tensor::c;
    if (plan.layout == tensor_layout::ideal) {
        return accesses_of(descriptor_of(0, plan.type_of(tensor), {{plan.image(tensor, first).elements(), 1}}), memory,
                           store);
    }
    if (plan.layout == tensor_layout::conflicted) {
        std::vector<memory_mode> modes;
        for (const auto& m : box_of(plan.problem, tensor, plan.index, first).modes) {
            modes.push_back({m.size, m.tensor_stride});
        }
        return accesses_of(descriptor_of(0, plan.type_of(tensor), modes), memory, store);
    }
    const banked_image image = plan.image(tensor, first);
    const auto own = own_view(plan, tensor);
    const even_view view = own                               ? *own
                           : tensor == contraction_tensor::c ? padded_view(image)
                                                             : ordered_view(plan, tensor);
    const auto pattern = strided_pattern_of(image, view.stride, plan.type_of(tensor));
    return pattern.views * accesses_of(pattern.first, memory, store);
}

std::vector<permuted_mode> ordered_modes(const contraction_plan& plan, contraction_tensor tensor)
{
    std::vector<permuted_mode> modes;
    std::int64_t to = 1;
    for (const auto x : ordered_indices(plan, tensor)) { // the fastest first
        const std::string& letters = plan.index[at(x)].modes;
        for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
            const std::uint64_t size = plan.problem.size_of(*letter);
            modes.push_back({size, stride_of(plan.problem, tensor, *letter), to});
            to *= static_cast<std::int64_t>(size);
        }
    }
    return modes;
}

block_order order_of_block(const contraction_plan& plan, const std::array<std::uint32_t, contraction_indices>& block)
{
    const auto t = contraction_tensor::c;
    const even_view view = padded_view(plan.image(t, block));
    const tensor_box box = box_of(plan.problem, t, plan.index, block);
    block_order order;
    order.first = box.first;
    for (const auto& m : box.modes) {
        order.modes.push_back({m.size, padded_stride(plan, view, m.letter), m.tensor_stride});
    }
    return order;
}

} // namespace tensorloom::workloads
