#include <tensorloom/workloads/contraction/banked_image.h>
#include <algorithm>
#include <stdexcept>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/schedule.h>

namespace tensorloom::workloads {
namespace {

using fetta::contract_command;
using fetta::device_limits;
using fetta::operand_role;
using digit = banked_image::digit;

using fetta::deposit;
using fetta::parts;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// The digits of a role, from the formulas of contract_command.h.
struct role_digits {
    std::array<digit, 4> counter{};
    std::array<std::uint64_t, command_indices> part_weight{}; // 0: the part is not of this role
    command_index element = command_index::batch;
    command_index shared = command_index::batch;
};

role_digits digits_of(const contract_command& c, const device_limits& g, operand_role role, position_order order)
{
    const std::uint64_t side = g.side, steps = fetta::loops_of(c, g).steps;
    const bool os = is_output_stationary(c.mapped());
    const auto contracted = command_index::contracted;
    const auto ia = command_index::ia_free, ib = command_index::ib_free;
    const std::uint64_t of_contracted = os ? steps : side; // indices of a part
    const std::uint64_t of_ia = os ? side : steps;
    // Full parts of IA's free index may be any of its indices, if IA and the result agree.
    const bool interleaved = order == position_order::strided && !os && c.ia_free == steps * parts(c.mask_ia);

    const digit batch_tile{1, command_index::batch, parts(c.mask_batch)};
    const digit contracted_turn{1, contracted, os ? 1 : parts(c.mask_contracted) * side};
    const digit ia_turn{1, ia, os ? parts(c.mask_ia) * side : interleaved ? parts(c.mask_ia) : 1};
    const digit ib_tile{1, ib, parts(c.mask_ib) * side};

    role_digits d;
    if (role == operand_role::ia) {
        d.counter = {batch_tile, contracted_turn, ia_turn, digit{}};
        d.part_weight = {1, of_contracted, interleaved ? 1 : of_ia, 0};
        d.element = os ? ia : contracted;
        d.shared = ib;
    } else if (role == operand_role::ib) {
        const bool horizontal = is_horizontal(c.mapped());
        d.counter = {batch_tile, contracted_turn, ib_tile, os ? digit{} : digit{1, horizontal ? ib : contracted, 1}};
        d.part_weight = {1, of_contracted, 0, side};
        d.element = horizontal ? contracted : ib;
        d.shared = ia;
    } else {
        d.counter = {batch_tile, ia_turn, ib_tile, os ? digit{1, ia, 1} : digit{}};
        d.part_weight = {1, 0, interleaved ? 1 : of_ia, side};
        d.element = ib;
        d.shared = contracted;
    }
    const auto counts = fetta::counter_counts(c, role, g);
    for (unsigned i = 0; i < counts.size(); ++i) { d.counter[i].count = counts[i]; }
    return d;
}

// The counter whose lowest digits number the banks that share a row: of those that waste least the one that goes on
// where a row ends, for long runs in memory. In an operand padding may name elements that are elsewhere, too; in the
// result it must not: there a counter of neighbouring indices, behind which another part begins, is taken only when
// nothing is wasted.
unsigned lowest_counter(const role_digits& d, std::uint64_t shared, bool is_result)
{
    constexpr double about_as_much = 1.25;
    std::array<double, 4> waste{};
    double least = 0;
    for (unsigned i = 0; i < waste.size(); ++i) {
        const auto count = d.counter[i].count;
        const double padded = static_cast<double>(round_up(count, shared)) / static_cast<double>(count);
        if (is_result && d.counter[i].weight <= 1 && padded > 1) { continue; }
        waste[i] = padded;
        least = least == 0 ? padded : std::min(least, padded);
    }
    unsigned best = 0;
    bool along_row = false;
    for (unsigned i = 0; i < waste.size(); ++i) {
        if (waste[i] == 0) { continue; }
        const bool goes_on = d.counter[i].index == d.element && d.counter[i].weight > 1;
        if (goes_on ? waste[i] <= least * about_as_much : waste[i] == least && !along_row) {
            best = i;
            along_row = goes_on;
        }
    }
    return best;
}

// Calls f(first element in the image, offset in the tensor without the row's index, first index of the row, elements)
// for every row that has an element of the tensor.
template <class F> void for_each_row(const banked_image& image, const index_offsets& offsets, F f)
{
    std::array<std::uint64_t, command_indices> index{};
    const unsigned row_index = at(image.element);
    const std::uint64_t shared = parts(image.shared_mask);
    const auto visit_bank = [&](std::uint64_t row, std::uint64_t bank) {
        const auto first = index[row_index];
        const auto size = offsets[row_index].size();
        if (first >= size) { return; }
        std::uint64_t offset = 0;
        for (unsigned x = 0; x < command_indices; ++x) {
            if (x == row_index || offsets[x].empty()) { continue; }
            if (index[x] >= offsets[x].size()) { return; }
            offset += offsets[x][index[x]];
        }
        f((row * image.banks + bank) * image.side, offset, first, std::min<std::uint64_t>(image.side, size - first));
    };
    const auto visit_parts = [&](const auto& self, unsigned x, std::uint64_t row, std::uint64_t bank) -> void {
        if (x == command_indices) { return visit_bank(row, bank); }
        const digit& part = image.part[x];
        const auto before = index[x];
        for (std::uint64_t c = 0; c < part.count; ++c) {
            index[x] = before + c * part.weight;
            self(self, x + 1, row, bank | deposit(static_cast<std::uint32_t>(c), image.mask[x]));
        }
        index[x] = before;
    };
    const auto visit_counters = [&](const auto& self, unsigned i, std::uint64_t position) -> void {
        if (i == image.counter.size()) {
            visit_parts(visit_parts, 0, position / shared,
                        deposit(static_cast<std::uint32_t>(position % shared), image.shared_mask));
            return;
        }
        const digit& counter = image.counter[i];
        auto& mine = index[at(counter.index)];
        const auto before = mine;
        for (std::uint64_t c = 0; c < counter.count; ++c) {
            mine = before + c * counter.weight;
            self(self, i + 1, position + c * static_cast<std::uint64_t>(image.stride[i]));
        }
        mine = before;
    };
    visit_counters(visit_counters, 0, 0);
}

} // namespace

std::uint64_t banked_image::padded(command_index index) const
{
    std::uint64_t last = element == index ? side - 1 : 0;
    const std::uint64_t shared = parts(shared_mask);
    for (unsigned i = 0; i < counter.size(); ++i) {
        if (counter[i].index != index) { continue; }
        const bool lowest = lowest_counter && *lowest_counter == i;
        last += ((lowest ? round_up(counter[i].count, shared) : counter[i].count) - 1) * counter[i].weight;
    }
    last += (part[at(index)].count - 1) * part[at(index)].weight;
    return last + 1;
}

banked_image image_of(const contract_command& command, const device_limits& g, operand_role role, position_order order)
{
    const role_digits d = digits_of(command, g, role, order);
    banked_image image;
    image.banks = g.engines;
    image.side = g.side;
    image.counter = d.counter;
    image.element = d.element;
    image.mask = {command.mask_batch, command.mask_contracted, command.mask_ia, command.mask_ib};
    image.shared_mask = image.mask[at(d.shared)];
    for (unsigned x = 0; x < command_indices; ++x) {
        const auto index = static_cast<command_index>(x);
        image.part[x] = index == d.shared ? digit{1, index, 0} : digit{parts(image.mask[x]), index, d.part_weight[x]};
    }
    const std::uint64_t shared = parts(image.shared_mask);
    std::uint64_t stride = 1;
    const auto place = [&](unsigned i, std::uint64_t count) {
        image.stride[i] = d.counter[i].count == 1 ? 0 : static_cast<std::int32_t>(stride);
        stride *= count;
    };
    if (order == position_order::strided) {
        image.lowest_counter = lowest_counter(d, shared, role == operand_role::result);
        place(*image.lowest_counter, round_up(d.counter[*image.lowest_counter].count, shared));
    }
    for (unsigned i = 4; i-- > 0;) {
        if (image.lowest_counter != i) { place(i, d.counter[i].count); }
    }
    image.positions = stride;
    image.rows = (image.positions + shared - 1) / shared;
    return image;
}

template <class T>
void pack_image(const banked_image& image, const index_offsets& offsets, const T* tensor, T* elements)
{
    const auto& along = offsets[at(image.element)];
    for_each_row(image, offsets, [&](std::uint64_t to, std::uint64_t from, std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t e = 0; e < count; ++e) { elements[to + e] = tensor[from + along[first + e]]; }
    });
}

template <class T>
void unpack_image(const banked_image& image, const index_offsets& offsets, const T* elements, T* tensor)
{
    const auto& along = offsets[at(image.element)];
    for_each_row(image, offsets, [&](std::uint64_t from, std::uint64_t to, std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t e = 0; e < count; ++e) { tensor[to + along[first + e]] = elements[from + e]; }
    });
}

template void pack_image(const banked_image&, const index_offsets&, const float*, float*);
template void pack_image(const banked_image&, const index_offsets&, const std::uint16_t*, std::uint16_t*);
template void unpack_image(const banked_image&, const index_offsets&, const float*, float*);
template void unpack_image(const banked_image&, const index_offsets&, const std::uint16_t*, std::uint16_t*);

namespace {

struct strided_mode {
    std::uint64_t size;
    std::int64_t stride;
};

// Modes of the tensors of an image in position_order::strided, outermost first.
std::vector<strided_mode> strided_modes(const banked_image& image,
                                        const std::array<std::int64_t, command_indices>& stride)
{
    if (!image.lowest_counter) { throw std::logic_error("a dense image is no strided view"); }
    std::vector<strided_mode> modes;
    const auto add = [&](std::uint64_t count, command_index index, std::uint64_t weight) {
        if (count == 1) { return; }
        const std::int64_t step = stride[at(index)] * static_cast<std::int64_t>(weight);
        const bool merges = !modes.empty() && modes.back().stride == step * static_cast<std::int64_t>(count);
        if (merges) {
            modes.back() = {modes.back().size * count, step};
        } else {
            modes.push_back({count, step});
        }
    };
    const std::uint64_t shared = parts(image.shared_mask);
    const digit& lowest = image.counter[*image.lowest_counter];
    for (unsigned i = 0; i < 4; ++i) {
        if (i != *image.lowest_counter) {
            add(image.counter[i].count, image.counter[i].index, image.counter[i].weight);
        }
    }
    add((lowest.count + shared - 1) / shared, lowest.index, lowest.weight * shared);
    // Bits of the bank, highest first.
    std::array<unsigned, command_indices> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(), [&](unsigned x, unsigned y) { return image.mask[x] > image.mask[y]; });
    for (const unsigned x : order) {
        if (image.mask[x] == 0) { continue; }
        if (image.mask[x] == image.shared_mask) {
            add(shared, lowest.index, lowest.weight);
        } else {
            add(image.part[x].count, image.part[x].index, image.part[x].weight);
        }
    }
    add(image.side, image.element, 1);
    return modes;
}

// Outermost modes that no descriptor has room for.
std::size_t looped_modes(const std::vector<strided_mode>& modes)
{
    constexpr std::size_t most = isa::tensor_descriptor::max_order;
    return modes.size() > most ? modes.size() - most : 0;
}

strided_pattern pattern_of(const std::vector<strided_mode>& modes, base::element_type type)
{
    strided_pattern pattern;
    const std::size_t looped = looped_modes(modes);
    for (std::size_t m = 0; m < looped; ++m) { pattern.views *= modes[m].size; }
    auto& view = pattern.first;
    view.type = static_cast<std::uint8_t>(type);
    for (std::size_t m = looped; m < modes.size(); ++m) {
        view.size[view.order] = static_cast<std::uint32_t>(modes[m].size);
        view.stride[view.order++] = modes[m].stride;
    }
    return pattern;
}

} // namespace

strided_pattern strided_pattern_of(const banked_image& image, const std::array<std::int64_t, command_indices>& stride,
                                   base::element_type type)
{
    return pattern_of(strided_modes(image, stride), type);
}

std::vector<isa::tensor_descriptor> strided_views(const banked_image& image,
                                                  const std::array<std::int64_t, command_indices>& stride,
                                                  base::element_type type)
{
    const auto modes = strided_modes(image, stride);
    const auto pattern = pattern_of(modes, type);
    isa::tensor_descriptor view = pattern.first;
    std::vector<isa::tensor_descriptor> result;
    for (std::uint64_t v = 0; v < pattern.views; ++v) {
        std::uint64_t rest = v, elements = 0;
        for (std::size_t m = looped_modes(modes); m-- > 0; rest /= modes[m].size) {
            elements += rest % modes[m].size * static_cast<std::uint64_t>(modes[m].stride);
        }
        view.base = elements * base::element_bytes(type);
        result.push_back(view);
    }
    return result;
}

} // namespace tensorloom::workloads
