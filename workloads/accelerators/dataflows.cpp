#include <tensorloom/workloads/accelerators/dataflows.h>
#include <optional>
#include <utility>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>

namespace tensorloom::workloads {
namespace {

using fetta::event;

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

// A contraction as X, W and Y.
struct turned_contraction {
    const contraction_graph& block;
    std::size_t x, w, y;
    flat_extents extents; // X is its A
    bool swapped;

    turned_contraction(const contraction_graph& graph, std::size_t contraction, bool x_is_b)
        : block(graph), extents(extents_of(graph, groups_of(graph, contraction))), swapped(x_is_b)
    {
        const auto& of = graph.contractions[contraction];
        x = x_is_b ? of.b : of.a;
        w = x_is_b ? of.a : of.b;
        y = of.result;
        if (x_is_b) { std::swap(extents.a_free, extents.b_free); }
    }
    bool is_core(std::size_t tensor) const { return !block.is_batched(tensor); }

    void set_lines(dataflow& way, bool weight_is_held, const std::array<std::uint64_t, 3>& xwy_width) const
    {
        const auto m = swapped ? contraction_index::b_free : contraction_index::a_free;
        const auto n = swapped ? contraction_index::a_free : contraction_index::b_free;
        const unsigned of_x = swapped ? 1 : 0, of_w = 1 - of_x, of_y = 2;
        way.swapped = swapped;
        way.line[of_x] = weight_is_held ? contraction_index::contracted : m;
        way.line[of_w] = way.line[of_y] = n;
        way.width[of_x] = xwy_width[0];
        way.width[of_w] = xwy_width[1];
        way.width[of_y] = xwy_width[2];
    }
};

dataflow tiled_way(const turned_contraction& c, held_tensor held, const accelerator& machine)
{
    const auto& e = c.extents;
    dataflow way;
    way.loops = loops_of(machine, held, {e.batch, e.a_free, e.b_free, e.contracted});
    const auto& l = way.loops;
    c.set_lines(way, held == held_tensor::weight, {l.x_width, l.w_width, l.y_width});
    return way;
}

// Engines as FETTA's, but sums are not added between them; each engine has a copy of what several read.
dataflow copied_way(const turned_contraction& c, held_tensor held, const contraction_form& form,
                    const accelerator& machine, const fetta::device_limits& g)
{
    mapping_request request;
    request.mapping = held == held_tensor::output ? fetta::mapping::os_1 : fetta::mapping::ws_v;
    const std::uint64_t elements = c.block.elements(c.x) + c.block.elements(c.w) + c.block.elements(c.y);
    std::optional<engine_copies> best;
    for (const auto& choice : mapping_candidates(c.extents, g, {}, request)) {
        const auto& s = choice.split;
        if (s.contracted > 1) { continue; }
        const std::uint64_t of_x = c.block.elements(c.x) * (s.ib_free - 1);
        const std::uint64_t of_w = c.block.elements(c.w) * (s.ia_free - 1);
        engine_copies next;
        next.choice = choice;
        next.copies = of_x + of_w;
        next.fits = elements + next.copies <= g.elements(base::element_type::bf16);
        // Cores are copied once, not in every block.
        next.written = (c.is_core(c.x) ? 0 : of_x) + (c.is_core(c.w) ? 0 : of_w);
        if (!best || next < *best) { best = next; }
    }
    dataflow way;
    way.cycles = best->choice.cycles;
    auto command = contract_of(c.extents, best->choice.mapping, best->choice.split, form.stores_bf16);
    way.counts = way.kept = fetta::contract_counts(command, g);
    command.flags = fetta::contract_command::flag_keep;
    if (form.keeps_sums) { way.kept = fetta::contract_counts(command, g); }
    for (auto* counts : {&way.counts, &way.kept}) { (*counts)[event::result_row_write] += best->written / g.side; }
    c.set_lines(way, held == held_tensor::weight, {machine.line, machine.line, machine.line});
    return way;
}

} // namespace

std::vector<dataflow> ways_of(const contraction_graph& block, std::size_t contraction, const contraction_form& form,
                              const accelerator& machine, const fetta::device_limits& g)
{
    std::vector<dataflow> all;
    for (const bool swapped : {false, true}) {
        const turned_contraction c(block, contraction, swapped);
        const bool w_is_core = c.is_core(c.w) && !c.is_core(c.x), x_is_core = c.is_core(c.x) && !c.is_core(c.w);
        for (held_tensor held : machine.holds) {
            if (held == held_tensor::weight && x_is_core) { continue; }
            if (held == held_tensor::input && w_is_core) { continue; }
            // The input is held as a weight is: what is X to the loops is W to the layer.
            if (held == held_tensor::input) { held = held_tensor::weight; }
            all.push_back(machine.split == spatial_split::copies ? copied_way(c, held, form, machine, g)
                                                                 : tiled_way(c, held, machine));
        }
    }
    return all;
}

} // namespace tensorloom::workloads
