#include <tensorloom/workloads/accelerators/rival_array.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tensorloom/models/arch/fetta/schedule.h>
#include <tensorloom/workloads/accelerators/array_lines.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::fetta::event;

constexpr unsigned at(contraction_index x) { return static_cast<unsigned>(x); }
constexpr contraction_tensor tensors[] = {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c};

/// A way to do a contraction: which operand is X, the loops, and along which index each tensor is accessed.
struct array_way {
    tile_loops loops;
    std::array<contraction_index, 3> line{}; ///< by contraction_tensor
    bool swapped = false;                    ///< X is B
    std::uint64_t cycles = 0;                ///< of engines, where no lines are counted
    arch::fetta::counts counts, kept;        ///< likewise
};

/// A split of engines that have copies of what several of them read.
struct engine_copies {
    mapping_choice choice;
    std::uint64_t copies = 0;  ///< elements
    std::uint64_t written = 0; ///< of them in every block
    bool fits = false;         ///< with the tensors, into the unified memory

    friend bool operator<(const engine_copies& x, const engine_copies& y)
    {
        if (x.fits != y.fits) { return x.fits; }
        return x.choice.cycles != y.choice.cycles ? x.choice.cycles < y.choice.cycles : x.copies < y.copies;
    }
};

class rival_array : public processing_array {
public:
    rival_array(const accelerator& machine, const evaluation_settings& settings)
        : m_machine(machine), m_settings(settings), m_geometry(geometry_of(settings))
    {
        m_machine.double_buffered = m_machine.double_buffered && settings.double_buffered;
    }

    std::vector<contraction_work> work_of(const contraction_graph& block,
                                          const std::vector<contraction_form>& forms) const override;

    const accelerator& machine() const { return m_machine; }
    const evaluation_settings& settings() const { return m_settings; }
    const arch::fetta::geometry& geometry() const { return m_geometry; }

private:
    accelerator m_machine;
    evaluation_settings m_settings;
    arch::fetta::geometry m_geometry;
};

bool is_output(const contraction_graph& graph, std::size_t tensor)
{
    return graph.maker(tensor) && graph.users(tensor).empty();
}

// Orders of a tensor's modes that one of its uses may want: the natural one, and each with the modes of an index of a
// contraction behind all others.
std::vector<mode_layout> orders_of(const contraction_graph& graph, std::size_t tensor,
                                   const std::vector<group_modes>& groups)
{
    std::vector<mode_layout> all{natural_layout(graph, tensor)};
    const bool by_sample = graph.is_batched(tensor) && (!graph.maker(tensor) || is_output(graph, tensor));
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& of = graph.contractions[c];
        if (of.a != tensor && of.b != tensor && of.result != tensor) { continue; }
        for (const auto x : {contraction_index::contracted, contraction_index::a_free, contraction_index::b_free}) {
            auto order = all.front().order;
            const auto& last = groups[c][at(x)];
            std::stable_partition(order.begin(), order.end(), [&](unsigned m) {
                const bool fixed = by_sample && m == graph.batch;
                return fixed || std::find(last.begin(), last.end(), m) == last.end();
            });
            auto layout = dense_layout(graph, order);
            if (std::find(all.begin(), all.end(), layout) == all.end()) { all.push_back(std::move(layout)); }
        }
    }
    return all;
}

/// A block whose layouts are chosen.
class layout_choice {
public:
    layout_choice(const rival_array& array, const contraction_graph& block, const std::vector<contraction_form>& forms)
        : m_machine(array.machine()), m_settings(array.settings()), m_geometry(array.geometry()), m_graph(block),
          m_forms(forms), m_order(block.tensors.size())
    {
        for (std::size_t c = 0; c < block.contractions.size(); ++c) { m_groups.push_back(groups_of(block, c)); }
        for (std::size_t c = 0; c < block.contractions.size(); ++c) { m_ways.push_back(ways_of(c)); }
        for (std::size_t t = 0; t < block.tensors.size(); ++t) {
            m_orders.push_back(m_settings.layouts == line_layouts::searched
                                   ? orders_of(block, t, m_groups)
                                   : std::vector<mode_layout>{natural_layout(block, t)});
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
    std::size_t tensor_of(std::size_t c, contraction_tensor t) const
    {
        const auto& of = m_graph.contractions[c];
        return t == contraction_tensor::a ? of.a : t == contraction_tensor::b ? of.b : of.result;
    }

    // ---- ways ----

    std::vector<array_way> ways_of(std::size_t c) const
    {
        const auto& of = m_graph.contractions[c];
        const bool core_a = !m_graph.is_batched(of.a), core_b = !m_graph.is_batched(of.b);
        std::vector<array_way> all;
        for (const bool swapped : {false, true}) { // X is B
            for (const held_tensor held : m_machine.holds) {
                // W is the core, where there is one.
                const bool is_core = swapped ? core_a && !core_b : core_b && !core_a;
                const bool other_is = swapped ? core_b && !core_a : core_a && !core_b;
                if (held == held_tensor::weight && other_is) { continue; }
                if (held == held_tensor::input && is_core) { continue; }
                if (m_machine.split == spatial_split::copies) {
                    add_engine_ways(all, c, held, swapped);
                } else {
                    all.push_back(tiled_way(c, held, swapped));
                }
            }
        }
        return all;
    }

    array_way tiled_way(std::size_t c, held_tensor held, bool swapped) const
    {
        const auto e = extents_of(m_graph, m_groups[c]);
        array_way way;
        way.swapped = swapped;
        const array_product product{e.batch, swapped ? e.b_free : e.a_free, swapped ? e.a_free : e.b_free,
                                    e.contracted};
        // The input is held as a weight is: what is X to the loops is W to the layer.
        way.loops = workloads::loops_of(m_machine, held == held_tensor::input ? held_tensor::weight : held, product);
        set_lines(way, way.loops.held == held_tensor::output);
        return way;
    }

    // X: along K, or along M where the output is held. W and Y: along N.
    static void set_lines(array_way& way, bool output_is_held)
    {
        const auto m = way.swapped ? contraction_index::b_free : contraction_index::a_free;
        const auto n = way.swapped ? contraction_index::a_free : contraction_index::b_free;
        const unsigned x = way.swapped ? 1 : 0;
        way.line[x] = output_is_held ? m : contraction_index::contracted;
        way.line[1 - x] = n;
        way.line[2] = n;
    }

    // Engines as FETTA's, but sums are not added between them; each engine has a copy of what several read.
    void add_engine_ways(std::vector<array_way>& all, std::size_t c, held_tensor held, bool swapped) const
    {
        const auto e = extents_of(m_graph, m_groups[c]);
        const flat_extents turned{e.batch, e.contracted, swapped ? e.b_free : e.a_free, swapped ? e.a_free : e.b_free};
        mapping_request request;
        request.mapping = held == held_tensor::output ? arch::fetta::mapping::os_1 : arch::fetta::mapping::ws_v;
        const auto& of = m_graph.contractions[c];
        const std::size_t x = swapped ? of.b : of.a, w = swapped ? of.a : of.b;
        const std::uint64_t held_elements = m_graph.elements(x) + m_graph.elements(w) + m_graph.elements(of.result);
        std::optional<engine_copies> best;
        for (const auto& choice : mapping_candidates(turned, m_geometry, {}, request)) {
            const auto& s = choice.split;
            if (s.contracted > 1) { continue; }
            const std::uint64_t of_x = m_graph.elements(x) * (s.ib_free - 1);
            const std::uint64_t of_w = m_graph.elements(w) * (s.ia_free - 1);
            engine_copies next;
            next.choice = choice;
            next.copies = of_x + of_w;
            next.fits = held_elements + next.copies <= m_geometry.elements(element_type::bf16);
            // Cores are copied once, not in every block.
            next.written = (m_graph.is_batched(x) ? of_x : 0) + (m_graph.is_batched(w) ? of_w : 0);
            if (!best || next < *best) { best = next; }
        }
        array_way way;
        way.swapped = swapped;
        way.cycles = best->choice.cycles;
        auto command = contract_of(turned, best->choice.mapping, best->choice.split, m_forms[c].stores_bf16);
        way.counts = way.kept = arch::fetta::contract_counts(command, m_geometry);
        command.flags = arch::fetta::contract_command::flag_keep;
        if (m_forms[c].keeps_sums) { way.kept = arch::fetta::contract_counts(command, m_geometry); }
        for (auto* counts : {&way.counts, &way.kept}) {
            (*counts)[event::result_row_write] += best->written / m_geometry.side;
        }
        set_lines(way, held == held_tensor::output);
        way.loops.x_width = way.loops.w_width = way.loops.y_width = m_machine.line;
        all.push_back(way);
    }

    // ---- lines ----

    // Of a tensor of a contraction in one of its orders, along an index: by those of the order that is wanted.
    double touched(std::size_t c, const array_way& way, contraction_tensor t) const
    {
        const std::size_t tensor = tensor_of(c, t), order = m_order[tensor];
        const auto x = way.line[static_cast<unsigned>(t)];
        const auto& l = way.loops;
        const std::uint64_t width = t == contraction_tensor::c                    ? l.y_width
                                    : (t == contraction_tensor::a) == way.swapped ? l.w_width
                                                                                  : l.x_width;
        auto& known = m_lines[c][{static_cast<unsigned>(t), order, at(x), width}];
        if (known == 0) {
            known = lines_touched(m_graph, m_orders[tensor][order], m_groups[c][at(x)], m_machine.line, width);
        }
        return known;
    }

    bool in_registers(std::size_t tensor) const
    {
        return m_machine.look_ahead && m_graph.maker(tensor) && !is_output(m_graph, tensor);
    }

    // 1: lies as it is wanted.
    double factor(std::size_t c, const array_way& way, contraction_tensor t) const
    {
        const std::size_t tensor = tensor_of(c, t);
        if (m_settings.layouts == line_layouts::ideal || in_registers(tensor)) { return 1; }
        if (t == contraction_tensor::c && m_forms[c].keeps_sums) { return 1; }
        if (t == contraction_tensor::c && m_machine.reordering == data_reordering::at_output) { return 1; }
        return touched(c, way, t);
    }

    // ---- work ----

    contraction_work work_of(std::size_t c) const
    {
        contraction_work best;
        double fewest = 0;
        for (const auto& way : m_ways[c]) {
            const auto next = work_of(c, way);
            const double cycles = static_cast<double>(next.cycles + next.conflicts) + next.reorder_cycles;
            if (&way != m_ways[c].data() && cycles >= fewest) { continue; }
            best = next;
            fewest = cycles;
        }
        return best;
    }

    contraction_work work_of(std::size_t c, const array_way& way) const
    {
        contraction_work work;
        std::array<double, 3> factors{1, 1, 1};
        for (const auto t : tensors) {
            const double lines = factor(c, way, t);
            if (lines <= 1) { continue; }
            if (m_machine.reordering == data_reordering::off_chip) {
                add_reordering(work, c, t);
            } else {
                factors[static_cast<unsigned>(t)] = m_settings.fixed_conflicts > 0
                                                        ? m_settings.fixed_conflicts
                                                        : std::min(lines, m_settings.most_conflicts);
            }
        }
        if (m_machine.split == spatial_split::copies) {
            work.cycles = way.cycles;
            work.counts = way.counts;
            work.kept = way.kept;
            return work;
        }
        const line_factors f{factors[way.swapped ? 1 : 0], factors[way.swapped ? 0 : 1], factors[2]};
        const unsigned rows = m_machine.line / m_geometry.side;
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

    void add_reordering(contraction_work& work, std::size_t c, contraction_tensor t) const
    {
        const bool wide = t == contraction_tensor::c && !m_forms[c].stores_bf16;
        const std::uint64_t elements = m_graph.elements(tensor_of(c, t));
        const std::uint64_t bytes = elements * arch::element_bytes(wide ? element_type::f32 : element_type::bf16);
        const auto& memory = m_settings.memory;
        work.reordered_bytes += bytes;
        work.reorder_cycles += 2 * (memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle) +
                               static_cast<double>(elements) / m_machine.line * m_settings.run_cycles;
    }

    // ---- search ----

    void search()
    {
        std::vector<double> cost;
        for (std::size_t c = 0; c < m_ways.size(); ++c) { cost.push_back(cost_of(c)); }
        std::vector<std::size_t> tensors_by_size(m_graph.tensors.size());
        std::iota(tensors_by_size.begin(), tensors_by_size.end(), std::size_t{0});
        std::stable_sort(tensors_by_size.begin(), tensors_by_size.end(),
                         [&](auto x, auto y) { return m_graph.elements(x) > m_graph.elements(y); });
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t t : tensors_by_size) { changed = improve(t, cost) || changed; }
        }
    }

    bool improve(std::size_t tensor, std::vector<double>& cost)
    {
        std::vector<std::size_t> touched_by = m_graph.users(tensor);
        if (const auto made = m_graph.maker(tensor)) { touched_by.push_back(*made); }
        const auto sum = [&](const std::vector<double>& of) {
            return std::accumulate(touched_by.begin(), touched_by.end(), 0.0,
                                   [&](double s, std::size_t c) { return s + of[c]; });
        };
        const std::size_t before = m_order[tensor];
        std::size_t best = before;
        auto fewest = cost;
        for (std::size_t o = 0; o < m_orders[tensor].size(); ++o) {
            m_order[tensor] = o;
            auto next = cost;
            for (const std::size_t c : touched_by) { next[c] = cost_of(c); }
            if (sum(next) < sum(fewest)) {
                fewest = std::move(next);
                best = o;
            }
        }
        m_order[tensor] = best;
        cost = std::move(fewest);
        return best != before;
    }

    double cost_of(std::size_t c) const
    {
        const auto work = work_of(c);
        return static_cast<double>(work.cycles + work.conflicts) + work.reorder_cycles;
    }

    using line_key = std::array<std::size_t, 4>; // tensor, order, index, neighbours

    const accelerator& m_machine;
    const evaluation_settings& m_settings;
    const arch::fetta::geometry& m_geometry;
    const contraction_graph& m_graph;
    const std::vector<contraction_form>& m_forms;
    std::vector<group_modes> m_groups;                       // by contraction
    std::vector<std::vector<array_way>> m_ways;              // likewise
    std::vector<std::vector<mode_layout>> m_orders;          // by tensor: what it may lie like
    std::vector<std::size_t> m_order;                        // by tensor: what it lies like
    mutable std::vector<std::map<line_key, double>> m_lines; // by contraction: known so far
};

std::vector<contraction_work> rival_array::work_of(const contraction_graph& block,
                                                   const std::vector<contraction_form>& forms) const
{
    return layout_choice(*this, block, forms).work();
}

} // namespace

arch::fetta::geometry geometry_of(const evaluation_settings& settings)
{
    arch::fetta::geometry g;
    g.psum = settings.psum;
    return g;
}

std::unique_ptr<processing_array> array_of(const accelerator& machine, const evaluation_settings& settings)
{
    if (machine.split == spatial_split::engines) { return std::make_unique<fetta_array>(geometry_of(settings)); }
    return std::make_unique<rival_array>(machine, settings);
}

} // namespace tensorloom::workloads
