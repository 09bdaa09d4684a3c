#include <tensorloom/workloads/orbital/fft_divisions.h>
#include <algorithm>
#include <string>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::workloads {
namespace {

enum { along_q, along_r, along_s };

void check(std::uint32_t side, const shape3& shape)
{
    if (!base::is_power_of_two(side)) {
        throw base::input_error("a side of " + std::to_string(side) + " nodes found, expected a power of two");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (base::is_power_of_two(shape[m]) && shape[m] >= side) { continue; }
        throw base::input_error("mode " + std::to_string(m + 1) + " of " + std::to_string(shape[m]) +
                                " elements found, expected a power of two, at least the " + std::to_string(side) +
                                " nodes of a side");
    }
}

std::uint64_t nodes_in(const node_group& group)
{
    return std::uint64_t{group[along_q].count} * group[along_r].count * group[along_s].count;
}

fft_exchange exchange_of(const node_group& group, std::uint64_t nodes, std::uint64_t volume)
{
    const std::uint64_t members = nodes_in(group);
    return {group, nodes / members, volume / nodes / members};
}

void add(fft_plan& plan, const node_group& group)
{
    const std::uint64_t nodes = std::uint64_t{plan.used[along_q]} * plan.used[along_r] * plan.used[along_s];
    if (nodes_in(group) > 1) { plan.exchanges.push_back(exchange_of(group, nodes, volume_of(plan.shape))); }
}

fft_plan slabs(std::uint32_t side, const shape3& shape)
{
    fft_plan plan{fft_division::slabs, side, shape, {1, 1, 1}, {}};
    const std::uint64_t most = std::min<std::uint64_t>({std::uint64_t{side} * side * side, shape[0], shape[1]});
    for (std::uint64_t nodes = 1; nodes < most; nodes *= 2) {
        *std::min_element(plan.used.begin(), plan.used.end()) *= 2;
    }
    add(plan, {{{plan.used[along_q], 1}, {plan.used[along_r], 1}, {plan.used[along_s], 1}}});
    return plan;
}

// A row of `a` nodes and a column of `b`, each at most a plane.
fft_plan pencils(std::uint32_t side, const shape3& shape, std::uint32_t a, std::uint32_t b)
{
    const std::uint32_t row_rest = std::max(a / side, 1u), column_rest = std::max(b / side, 1u);
    fft_plan plan{
        fft_division::pencils, side, shape, {std::min(a, side), row_rest * column_rest, std::min(b, side)}, {}};
    add(plan, {{{1, 1}, {column_rest, 1}, {plan.used[along_s], 1}}});
    add(plan, {{{plan.used[along_q], 1}, {row_rest, column_rest}, {1, 1}}});
    return plan;
}

fft_plan best_pencils(std::uint32_t side, const shape3& shape)
{
    const std::uint64_t plane = std::uint64_t{side} * side;
    std::optional<fft_plan> best;
    fft_counts of_best;
    for (std::uint32_t a = 1; a <= std::min<std::uint64_t>({plane, shape[0], shape[1]}); a *= 2) {
        for (std::uint32_t b = 1; b <= std::min<std::uint64_t>({plane, shape[1], shape[2]}); b *= 2) {
            if (std::max(a / side, 1u) * std::max(b / side, 1u) > side) { continue; }
            const auto plan = pencils(side, shape, a, b);
            const auto counts = counts_of(plan);
            const bool better = !best || counts.nodes > of_best.nodes ||
                                (counts.nodes == of_best.nodes && counts.hops() < of_best.hops());
            if (better) { best = plan, of_best = counts; }
        }
    }
    return *best;
}

std::optional<fft_plan> blocks(std::uint32_t side, const shape3& shape)
{
    fft_plan plan{fft_division::blocks, side, shape, {side, side, side}, {}};
    for (const std::size_t mode : {2, 0, 1}) {
        const std::uint64_t lines = volume_of(shape) / shape[mode] / side / side; // of a node
        if (lines < side) { return std::nullopt; }
        node_group ring;
        ring[mode].count = side; // mode 1 lies along Q, 2 along R, 3 along S
        add(plan, ring);         // there
        add(plan, ring);         // and back
    }
    return plan;
}

// A span is a ring of its own if it goes round the axis; otherwise it is at most half as long, and no way leads round.
bool is_ring(const node_span& span, std::uint32_t side) { return span.count * span.stride == side; }

// Over all ordered pairs of nodes.
std::uint64_t sum_of_distances(const node_span& span, std::uint32_t side)
{
    const std::uint64_t c = span.count;
    return span.stride * (is_ring(span, side) ? c * (c * c / 4) : c * (c * c - 1) / 3);
}

std::uint64_t longest_distance(const node_span& span, std::uint32_t side)
{
    return span.stride * (is_ring(span, side) ? span.count / 2 : span.count - 1);
}

// Blocks over the busiest link in one direction, when every node sends one to every other; the spans on the nodes
// between, as many as the stride, use the same links.
std::uint64_t busiest_link(const node_span& span, std::uint32_t side)
{
    const std::uint64_t c = span.count;
    if (c == 1) { return 0; }
    return span.stride * (is_ring(span, side) ? std::max<std::uint64_t>(1, c * c / 8) : c * c / 4);
}

void count_exchange(fft_counts& counts, const fft_exchange& exchange, std::uint32_t side)
{
    const std::uint64_t members = nodes_in(exchange.group);
    counts.rounds += members - 1;
    counts.words += exchange.groups * members * (members - 1) * exchange.words;
    std::uint64_t farthest = 0, busiest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto& span = exchange.group[axis];
        const std::uint64_t others = members / span.count;
        counts.word_hops[axis] += exchange.groups * sum_of_distances(span, side) * others * others * exchange.words;
        farthest += longest_distance(span, side);
        // Every way along this axis has made its way along those before and not yet along those after: for each pair
        // of places the sources differ in the former, the destinations in the latter.
        busiest = std::max(busiest, busiest_link(span, side) * others * exchange.words);
    }
    counts.farthest_hops = std::max(counts.farthest_hops, farthest);
    counts.busiest_link_words += busiest;
}

} // namespace

std::optional<fft_plan> plan_fft(fft_division division, std::uint32_t side, const shape3& shape)
{
    check(side, shape);
    if (division == fft_division::slabs) { return slabs(side, shape); }
    if (division == fft_division::pencils) { return best_pencils(side, shape); }
    return blocks(side, shape);
}

fft_counts counts_of(const fft_plan& plan)
{
    constexpr std::uint64_t of_butterfly = 6, accesses_of_butterfly = 5;
    fft_counts counts;
    counts.nodes = std::uint64_t{plan.used[along_q]} * plan.used[along_r] * plan.used[along_s];
    for (const auto& exchange : plan.exchanges) { count_exchange(counts, exchange, plan.side); }
    const std::uint64_t volume = volume_of(plan.shape), butterflies = volume * base::log2_of(volume) / 2;
    counts.multiply_adds = of_butterfly * butterflies;
    counts.memory_accesses = accesses_of_butterfly * butterflies;
    counts.node_words = 2 * volume / counts.nodes;
    return counts;
}

} // namespace tensorloom::workloads
