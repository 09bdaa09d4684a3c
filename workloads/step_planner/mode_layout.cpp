#include <tensorloom/workloads/step_planner/mode_layout.h>
#include <algorithm>

namespace tensorloom::workloads {
namespace {

constexpr std::size_t most_reordered = 5; // modes: 120 orders

// gap[m]: elements left free behind mode m of the order.
mode_layout layout_with(const contraction_graph& graph, const std::vector<unsigned>& order,
                        const std::vector<std::uint64_t>& gap)
{
    mode_layout layout;
    layout.order = order;
    layout.stride.resize(order.size());
    for (std::size_t m = order.size(); m-- > 0;) {
        layout.stride[m] = layout.span;
        layout.span = layout.span * graph.modes[order[m]].size + gap[m];
    }
    return layout;
}

} // namespace

std::uint64_t mode_layout::stride_of(unsigned mode) const
{
    const auto at = std::find(order.begin(), order.end(), mode);
    return at == order.end() ? 0 : stride[static_cast<std::size_t>(at - order.begin())];
}

mode_layout dense_layout(const contraction_graph& graph, const std::vector<unsigned>& order)
{
    return layout_with(graph, order, std::vector<std::uint64_t>(order.size()));
}

mode_layout natural_layout(const contraction_graph& graph, std::size_t tensor)
{
    std::vector<unsigned> order;
    for (const unsigned m : graph.tensors[tensor].modes) {
        if (graph.modes[m].size > 1) { order.push_back(m); }
    }
    return dense_layout(graph, order);
}

std::vector<std::uint64_t> element_places(const contraction_graph& graph, std::size_t tensor, const mode_layout& layout)
{
    std::vector<std::uint64_t> all{0};
    for (const unsigned mode : graph.tensors[tensor].modes) {
        std::vector<std::uint64_t> longer;
        longer.reserve(all.size() * graph.modes[mode].size);
        for (const std::uint64_t place : all) {
            for (std::uint64_t i = 0; i < graph.modes[mode].size; ++i) {
                longer.push_back(place + i * layout.stride_of(mode));
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::vector<mode_layout> layout_orders(const contraction_graph& graph, std::size_t tensor, bool batch_outermost)
{
    std::vector<unsigned> first, rest;
    for (const unsigned m : graph.tensors[tensor].modes) {
        if (graph.modes[m].size == 1) { continue; }
        (batch_outermost && m == graph.batch) || graph.is_sliced(tensor, m) ? first.push_back(m) : rest.push_back(m);
    }
    std::vector<mode_layout> all;
    const auto add = [&](const std::vector<unsigned>& modes) {
        auto order = first;
        order.insert(order.end(), modes.begin(), modes.end());
        auto layout = dense_layout(graph, order);
        if (std::find(all.begin(), all.end(), layout) == all.end()) { all.push_back(std::move(layout)); }
    };
    if (rest.size() > most_reordered) {
        const auto moved = [](std::vector<unsigned> modes, std::size_t from, std::size_t to) {
            const unsigned mode = modes[from];
            modes.erase(modes.begin() + static_cast<std::ptrdiff_t>(from));
            modes.insert(modes.begin() + static_cast<std::ptrdiff_t>(to), mode);
            return modes;
        };
        const std::size_t last = rest.size() - 1;
        for (std::size_t fastest = 0; fastest <= last; ++fastest) {
            const auto one = moved(rest, fastest, last);
            for (std::size_t next = 0; next < last; ++next) {
                const auto two = moved(one, next, last - 1);
                for (std::size_t outermost = 0; outermost + 1 < last; ++outermost) { add(moved(two, outermost, 0)); }
            }
        }
        return all;
    }
    std::sort(rest.begin(), rest.end());
    do {
        add(rest);
    } while (std::next_permutation(rest.begin(), rest.end()));
    return all;
}

std::vector<mode_layout> padded_layouts(const contraction_graph& graph, const mode_layout& dense, std::uint32_t side,
                                        std::uint32_t banks)
{
    std::vector<mode_layout> all;
    const std::size_t modes = dense.order.size();
    if (modes < 2) { return all; }
    const std::uint64_t fastest = graph.modes[dense.order.back()].size;
    const std::uint64_t to_row = (side - fastest % side) % side;
    for (const std::uint64_t behind_fastest : {std::uint64_t{0}, to_row}) {
        std::vector<std::uint64_t> gap(modes);
        gap.back() = behind_fastest;
        const auto add = [&](const std::vector<std::uint64_t>& gaps) {
            auto layout = layout_with(graph, dense.order, gaps);
            if (layout.span <= dense.span + dense.span / 2 + side * banks) { all.push_back(std::move(layout)); }
        };
        if (behind_fastest != 0) { add(gap); }
        for (std::size_t m = 1; m < modes; ++m) {
            for (std::uint64_t rows = 1; rows < banks; rows *= 2) {
                auto wider = gap;
                wider[m] += rows * side;
                add(wider);
            }
        }
        if (to_row == 0) { break; }
    }
    return all;
}

} // namespace tensorloom::workloads
