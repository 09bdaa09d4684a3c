#include <tensorloom/workloads/accelerators/baseline_array.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tensorloom/workloads/accelerators/array_lines.h>
#include <tensorloom/workloads/accelerators/dataflows.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::event;

class baseline_array : public processing_array {
public:
    baseline_array(const accelerator& machine, const evaluation_settings& settings)
        : m_machine(machine), m_settings(settings), m_limits(limits_of(settings))
    {
        if (machine.split == spatial_split::fixed && !settings.double_buffered) { m_machine.double_buffered = false; }
    }

    std::vector<contraction_work> work_of(const contraction_graph& block,
                                          const std::vector<contraction_form>& forms) const override;

    const accelerator& machine() const { return m_machine; }
    const evaluation_settings& settings() const { return m_settings; }
    const fetta::device_limits& limits() const { return m_limits; }

private:
    accelerator m_machine;
    evaluation_settings m_settings;
    fetta::device_limits m_limits;
};

bool is_output(const contraction_graph& graph, std::size_t tensor)
{
    return graph.maker(tensor) && graph.users(tensor).empty();
}

// Orders of a tensor's modes that its uses may want: the natural one; each with the modes of an index of a contraction
// behind all others; then each of those with another index's behind all but these.
struct tensor_orders {
    std::vector<mode_layout> all;
    std::size_t simple = 1; // so many have at most one index behind the others
};

tensor_orders orders_of(const contraction_graph& graph, std::size_t tensor, const std::vector<group_modes>& groups)
{
    const bool by_sample = graph.is_batched(tensor) && (!graph.maker(tensor) || is_output(graph, tensor));
    std::vector<std::vector<unsigned>> wanted;
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& of = graph.contractions[c];
        if (of.a != tensor && of.b != tensor && of.result != tensor) { continue; }
        for (const auto x : {contraction_index::contracted, contraction_index::a_free, contraction_index::b_free}) {
            const auto& modes = groups[c][at(x)];
            if (std::find(wanted.begin(), wanted.end(), modes) == wanted.end()) { wanted.push_back(modes); }
        }
    }
    tensor_orders orders{{natural_layout(graph, tensor)}, 1};
    const auto add_behind = [&](std::size_t from, const std::vector<unsigned>& last) {
        auto order = orders.all[from].order;
        std::stable_partition(order.begin(), order.end(), [&](unsigned m) {
            const bool fixed = by_sample && m == graph.batch;
            return fixed || std::find(last.begin(), last.end(), m) == last.end();
        });
        auto layout = dense_layout(graph, order);
        if (std::find(orders.all.begin(), orders.all.end(), layout) != orders.all.end()) { return; }
        orders.all.push_back(std::move(layout));
    };
    for (const auto& last : wanted) { add_behind(0, last); }
    orders.simple = orders.all.size();
    for (std::size_t o = 1; o < orders.simple; ++o) {
        for (const auto& last : wanted) { add_behind(o, last); }
    }
    return orders;
}

/// A block whose layouts are chosen.
class layout_choice {
public:
    layout_choice(const baseline_array& array, const contraction_graph& block,
                  const std::vector<contraction_form>& forms)
        : m_machine(array.machine()), m_settings(array.settings()), m_limits(array.limits()), m_graph(block),
          m_forms(forms), m_order(block.tensors.size())
    {
        for (std::size_t c = 0; c < block.contractions.size(); ++c) { m_groups.push_back(groups_of(block, c)); }
        for (std::size_t c = 0; c < block.contractions.size(); ++c) {
            m_ways.push_back(ways_of(block, c, forms[c], m_machine, m_limits));
        }
        for (std::size_t t = 0; t < block.tensors.size(); ++t) {
            m_orders.push_back(m_settings.layouts == line_layouts::searched
                                   ? orders_of(block, t, m_groups)
                                   : tensor_orders{{natural_layout(block, t)}, 1});
        }
        m_lines.resize(block.contractions.size());
        if (m_settings.layouts == line_layouts::searched) { search(); }
    }

    std::vector<contraction_work> work() const
    {
        std::vector<contraction_work> all;
        for (std::size_t c = 0; c < m_ways.size(); ++c) { all.push_back(work_of(c)); }
        return all;
    }

private:
    using tensor_list = std::vector<std::size_t>;

    std::size_t tensor_of(std::size_t c, contraction_tensor t) const
    {
        const auto& of = m_graph.contractions[c];
        return t == contraction_tensor::a ? of.a : t == contraction_tensor::b ? of.b : of.result;
    }

    // ---- lines ----

    using line_key = std::array<std::size_t, 3>; // tensor, index, neighbours

    // Of a tensor of a contraction as it lies, along an index: by those of the order that is wanted.
    double touched(std::size_t c, const dataflow& way, contraction_tensor t) const
    {
        const std::size_t tensor = tensor_of(c, t), order = m_order[tensor];
        const auto x = way.line[at(t)];
        const std::uint64_t width = way.width[at(t)];
        auto& known = m_lines[c][{at(t), at(x), width}];
        known.resize(m_orders[tensor].all.size());
        if (known[order] == 0) {
            known[order] =
                lines_touched(m_graph, m_orders[tensor].all[order], m_groups[c][at(x)], m_machine.line, width);
        }
        return known[order];
    }

    bool in_registers(std::size_t tensor) const
    {
        return m_machine.look_ahead && m_graph.maker(tensor) && !is_output(m_graph, tensor);
    }

    // 1: lies as it is wanted.
    double factor(std::size_t c, const dataflow& way, contraction_tensor t) const
    {
        const std::size_t tensor = tensor_of(c, t);
        if (m_settings.layouts == line_layouts::ideal || in_registers(tensor)) { return 1; }
        if (t == contraction_tensor::c && m_forms[c].keeps_sums) { return 1; }
        if (t == contraction_tensor::c && m_machine.reordering == data_reordering::at_output) { return 1; }
        return touched(c, way, t);
    }

    // ---- work ----

    // What a contraction takes in a way, tensors lying as they do.
    struct way_costs {
        std::array<double, 3> factors{1, 1, 1}; // cycles of a line, by contraction_tensor
        std::uint64_t reordered_bytes = 0;
        double reorder_cycles = 0;
        double cycles = 0; // all of them
        unsigned in_other_order = 0;
    };

    way_costs costs_of(std::size_t c, const dataflow& way) const
    {
        way_costs costs;
        for (const auto t : all_tensors) {
            const double lines = factor(c, way, t);
            if (lines <= 1) { continue; }
            ++costs.in_other_order;
            if (m_machine.reordering == data_reordering::off_chip) {
                add_reordering(costs, c, t);
            } else {
                const double factor = m_settings.fixed_conflicts > 0 ? m_settings.fixed_conflicts
                                                                     : std::min(lines, m_settings.most_conflicts);
                costs.factors[at(t)] = 1 + (factor - 1) * share_of(c, t);
            }
        }
        const bool has_lines = m_machine.split != spatial_split::copies;
        costs.cycles = costs.reorder_cycles + (has_lines ? way.loops.cycles(m_machine, factors_of(way, costs))
                                                         : static_cast<double>(way.cycles));
        return costs;
    }

    // Of the blocks: an operand that is the same in all of them is brought into the order that is wanted in one.
    double share_of(std::size_t c, contraction_tensor t) const
    {
        const bool is_constant = t != contraction_tensor::c && !m_graph.is_batched(tensor_of(c, t));
        return is_constant ? 1 / m_forms[c].times : 1;
    }

    static line_factors factors_of(const dataflow& way, const way_costs& costs)
    {
        return {costs.factors[way.swapped ? 1 : 0], costs.factors[way.swapped ? 0 : 1], costs.factors[2]};
    }

    struct chosen_way {
        const dataflow* way;
        way_costs costs;
    };

    chosen_way best_way(std::size_t c) const
    {
        chosen_way best{nullptr, {}};
        for (const auto& way : m_ways[c]) {
            const auto costs = costs_of(c, way);
            if (best.way == nullptr || costs.cycles < best.costs.cycles) { best = {&way, costs}; }
        }
        return best;
    }

    contraction_work work_of(std::size_t c) const
    {
        const auto [chosen, costs] = best_way(c);
        const dataflow& way = *chosen;
        contraction_work work;
        work.reordered_bytes = costs.reordered_bytes;
        work.reorder_cycles = costs.reorder_cycles;
        work.in_other_order = costs.in_other_order;
        if (m_machine.split == spatial_split::copies) {
            work.cycles = way.cycles;
            work.counts = way.counts;
            work.kept = way.kept;
            return work;
        }
        const line_factors f = factors_of(way, costs);
        const unsigned rows = m_machine.line / m_limits.side;
        work.counts = way.loops.counts(m_machine, f, m_forms[c].stores_bf16 ? rows : 2 * rows);
        work.kept = m_forms[c].keeps_sums ? way.loops.counts(m_machine, f, 0) : work.counts;
        work.conflicts = work.counts[event::conflict_cycle];
        work.cycles = work.counts[event::compute_cycle] + work.counts[event::fill_cycle];
        const auto& of = m_graph.contractions[c];
        for (auto* counts : {&work.counts, &work.kept}) {
            if (in_registers(way.swapped ? of.b : of.a)) { (*counts)[event::ia_row_read] = 0; }
            if (in_registers(way.swapped ? of.a : of.b)) { (*counts)[event::ib_row_read] = 0; }
            if (in_registers(of.result)) { (*counts)[event::result_row_write] = 0; }
        }
        return work;
    }

    void add_reordering(way_costs& costs, std::size_t c, contraction_tensor t) const
    {
        const bool wide = t == contraction_tensor::c && !m_forms[c].stores_bf16;
        const std::uint64_t elements = m_graph.elements(tensor_of(c, t));
        const std::uint64_t bytes = elements * base::element_bytes(wide ? element_type::f32 : element_type::bf16);
        const auto& memory = m_settings.memory;
        const double share = share_of(c, t);
        const double moved = 2 * (memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle);
        const double runs = static_cast<double>(elements) / m_machine.line;
        costs.reordered_bytes += static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(bytes)));
        costs.reorder_cycles += share * (moved + runs * m_settings.run_cycles);
    }

    // ---- search ----

    // One tensor after the other takes its best order, then two of a contraction theirs together, until none gets
    // faster.
    void search()
    {
        std::vector<std::size_t> by_size(m_graph.tensors.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(),
                         [&](auto x, auto y) { return m_graph.elements(x) > m_graph.elements(y); });
        for (bool faster = true; faster;) {
            faster = false;
            for (const std::size_t t : by_size) { faster = improve({t}) || faster; }
            if (faster) { continue; }
            for (const auto& of : m_graph.contractions) {
                for (const auto& two : {tensor_list{of.a, of.result}, {of.b, of.result}, {of.a, of.b}}) {
                    faster = improve(two) || faster;
                }
            }
        }
    }

    // The best orders of one tensor; of several together, simple ones. False: they lie best as they do.
    bool improve(const tensor_list& moved)
    {
        std::vector<std::size_t> touching; // contractions
        for (std::size_t c = 0; c < m_ways.size(); ++c) {
            const auto& of = m_graph.contractions[c];
            const bool has_one = std::any_of(moved.begin(), moved.end(),
                                             [&](std::size_t t) { return of.a == t || of.b == t || of.result == t; });
            if (has_one) { touching.push_back(c); }
        }
        const auto cost = [&] {
            return std::accumulate(touching.begin(), touching.end(), 0.0, [&](double sum, std::size_t c) {
                return sum + m_forms[c].times * best_way(c).costs.cycles;
            });
        };
        std::size_t combinations = 1;
        const auto orders = [&](std::size_t t) {
            return moved.size() == 1 ? m_orders[t].all.size() : m_orders[t].simple;
        };
        for (const std::size_t t : moved) { combinations *= orders(t); }
        constexpr double rounding = 1 - 1e-9; // sums of the same in another order are no gain
        const auto before = m_order;
        auto best = m_order;
        double fewest = cost();
        for (std::size_t n = 0; n < combinations; ++n) {
            std::size_t digits = n;
            for (const std::size_t t : moved) {
                m_order[t] = digits % orders(t);
                digits /= orders(t);
            }
            const double next = cost();
            if (next < fewest * rounding) {
                fewest = next;
                best = m_order;
            }
        }
        m_order = best;
        return best != before;
    }

    const accelerator& m_machine;
    const evaluation_settings& m_settings;
    const fetta::device_limits& m_limits;
    const contraction_graph& m_graph;
    const std::vector<contraction_form>& m_forms;
    std::vector<group_modes> m_groups;         // by contraction
    std::vector<std::vector<dataflow>> m_ways; // likewise
    std::vector<tensor_orders> m_orders;       // by tensor
    tensor_list m_order;                       // by tensor: which of them it has
    // By contraction: lines that are known, by order.
    mutable std::vector<std::map<line_key, std::vector<double>>> m_lines;
};

std::vector<contraction_work> baseline_array::work_of(const contraction_graph& block,
                                                      const std::vector<contraction_form>& forms) const
{
    return layout_choice(*this, block, forms).work();
}

} // namespace

fetta::device_limits limits_of(const evaluation_settings& settings)
{
    fetta::device_limits g;
    g.psum = settings.psum;
    g.buffer_cycles = settings.buffer_cycles;
    return g;
}

std::unique_ptr<processing_array> array_of(const accelerator& machine, const evaluation_settings& settings)
{
    if (machine.split == spatial_split::engines) {
        // Where every use has its order at no cost, the networks bring it.
        const bool ideal = settings.layouts == line_layouts::ideal || machine.reordering == data_reordering::permuted;
        return std::make_unique<fetta_array>(limits_of(settings), ideal ? operand_paths::networks : settings.paths);
    }
    return std::make_unique<baseline_array>(machine, settings);
}

} // namespace tensorloom::workloads
