#include <tensorloom/workloads/step_planner/plan_operations.h>
#include <algorithm>
#include <map>
#include <tuple>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using isa::vector::opcode;

class operations_writer {
public:
    explicit operations_writer(const step_plan& plan) : m_plan(plan), m_regions(plan)
    {
        auto& graph = m_made.graph;
        graph.graph = plan.block_graph;
        graph.layouts = plan.layouts;
        for (std::size_t c = 0; c < plan.cycles.size(); ++c) {
            graph.cycles.push_back(static_cast<double>(plan.cycles[c] + plan.conflicts[c]));
        }
    }

    plan_operations write()
    {
        m_list =
            tensor("list of samples", block_list() * (m_plan.list_by_block() ? 1 : m_plan.blocks), element_type::f32);
        if (!m_plan.list_by_block()) {
            move(transfer_kind::load, {bus_array::lists}, 0, block_list() * m_plan.blocks, {m_list},
                 "load the list of samples");
        }
        if (!m_plan.cores_by_pass) {
            m_cores = bundle("cores", element_type::bf16);
            move(transfer_kind::load, {m_regions.cores}, 0, m_plan.core_elements, {m_cores}, "load the cores");
        }
        for (m_pass = 0; m_pass < m_plan.passes.size(); ++m_pass) {
            const std::size_t first = m_made.list.operations.size();
            write_pass();
            m_made.passes.push_back({first, m_made.list.operations.size() - 1});
        }
        m_made.list.tensors[m_list].reserved = {0, m_made.passes.back().last}; // a GATHER reads it beside the work
        if (m_plan.settings.training) { write_results(); }
        return std::move(m_made);
    }

private:
    // Which block operations are for: the first of a loop over pairs, or one of a straight line.
    struct turn {
        std::uint64_t block = 0;
        bool looped = false;
        bool last = false;
        bool first = false; // in a line of its own: sums begin
        std::uint64_t slice = 0;
    };

    const step_pass& pass() const { return m_plan.passes[m_pass]; }
    static std::int64_t in_steps(std::uint64_t elements) { return static_cast<std::int64_t>(elements); }
    std::uint64_t block_list() const { return m_plan.list_bytes() / m_plan.blocks / sizeof(float); }

    // ---- tensors ----

    std::size_t tensor(const std::string& name, std::uint64_t elements, element_type type)
    {
        m_made.list.tensors.push_back({name, elements, type, {}, {}, 0});
        return m_made.list.tensors.size() - 1;
    }
    std::size_t bundle(const std::string& name, element_type type) { return tensor(name, m_plan.core_elements, type); }

    // Elements from one place of a tensor to its other one.
    std::uint64_t between_places(std::size_t t) const
    {
        return in_whole_blocks(m_plan.bytes_of(t), m_plan.limits) / base::element_bytes(m_plan.type_of(t));
    }

    // Where a tensor of the plan is on chip: one place for the whole step, one for the pass, or one for this writing of
    // the body.
    struct extent {
        std::size_t pass = 0, body = 0;
        bool operator<(const extent& other) const { return std::tie(pass, body) < std::tie(other.pass, other.body); }
    };
    extent extent_of(std::size_t t) const
    {
        constexpr std::size_t all = ~std::size_t{0};
        const bool is_batched = m_plan.graph.is_batched(t);
        if (is_batched ? m_plan.kept[t] : !m_plan.cores_by_pass) { return {all, all}; }
        return {m_pass, is_batched && pass().places[t] == 0 ? m_body : all};
    }

    std::uint64_t elements_of(std::size_t t) const
    {
        if (pass().places[t] > 1) { return 2 * between_places(t); }
        if (m_plan.kept[t] && m_plan.residency == step_residency::spill) { return 0; } // in additional memory
        const auto loaded = m_plan.loaded_first(pass());
        const bool is_loaded = std::find(loaded.begin(), loaded.end(), t) != loaded.end();
        return is_loaded ? m_plan.layouts.layout[t].span : m_plan.elements_of(t);
    }

    // The tensor of the plan on chip, of the first block.
    tensor_part whole(std::size_t t)
    {
        const bool in_bundle =
            m_plan.is_core(t) ? !m_plan.cores_by_pass : m_plan.is_core_gradient(t) && !m_plan.gradients_in_memory();
        if (in_bundle) {
            const auto core = m_plan.is_core(t) ? t : *m_plan.graph.tensors[t].gradient_of;
            return {m_plan.is_core(t) ? m_cores : gradients(), m_plan.core_offset[core]};
        }
        const auto [at, is_new] = m_tensors.try_emplace({t, extent_of(t)});
        if (is_new) { at->second = tensor(m_plan.graph.tensors[t].name, elements_of(t), m_plan.type_of(t)); }
        return {at->second};
    }

    tensor_part of_block(std::size_t t, std::uint64_t block, bool looped)
    {
        auto part = whole(t);
        if (pass().places[t] < 2) { return part; }
        const auto step = in_steps(between_places(t));
        if (block % 2 == 1) { part.offset += between_places(t); }
        if (looped) { part.step = block % 2 == 0 ? step : -step; }
        return part;
    }

    std::size_t gradients()
    {
        if (!m_gradients) { m_gradients = bundle("gradients", element_type::f32); }
        return *m_gradients;
    }

    // Sums of the vector unit in this pass, and what it adds to them.
    using float_tensors = std::map<std::size_t, std::size_t>;
    std::size_t float_tensor(float_tensors& all, std::size_t t, const char* what)
    {
        const auto [at, is_new] = all.try_emplace(t);
        if (is_new) {
            at->second = tensor(what + m_plan.graph.tensors[t].name, m_plan.elements_of(t), element_type::f32);
        }
        return at->second;
    }
    tensor_part sum_of(std::size_t t)
    {
        return m_plan.type_of(t) == element_type::f32 ? whole(t) : tensor_part{float_tensor(m_sums, t, "sum of ")};
    }
    std::size_t addend_of(std::size_t t) { return float_tensor(m_addends, t, "addend of "); }

    // ---- operations ----

    template <class Work> void add(const std::string& what, Work work)
    {
        m_made.list.operations.push_back({m_phase, what, std::move(work)});
    }

    // Moves consecutive elements.
    void move(transfer_kind kind, bus_place place, std::uint64_t offset, std::uint64_t elements, tensor_part local,
              const std::string& what, std::array<std::int64_t, 2> step = {})
    {
        add(what, transfer_operation{kind, place, offset, {{elements, 1}}, local, {}, step});
    }

    void loop(std::uint64_t count)
    {
        add("loop over " + std::to_string(count), loop_operation{count, loop_kind::blocks});
    }

    // X or dY of a block's samples; after the list of the block where it comes first.
    void gather(std::size_t t, const turn& at, std::uint64_t block)
    {
        const auto first = std::find_if(pass().loads.begin(), pass().loads.end(),
                                        [&](const auto& load) { return m_plan.is_given_by_sample(load.tensor); });
        const bool by_block = m_plan.list_by_block();
        const auto step = in_steps(block_list());
        tensor_part list{m_list};
        if (by_block && first->tensor == t) {
            move(transfer_kind::load, {bus_array::lists}, block * block_list(), block_list(), list,
                 "load the list of a block",
                 at.looped ? std::array<std::int64_t, 2>{step, 2 * step} : std::array<std::int64_t, 2>{});
        }
        if (!by_block) {
            list.offset = block * block_list();
            if (at.looped) {
                list.step = step;
                list.outer_step = 2 * step;
            }
        }
        add("gather " + m_plan.graph.tensors[t].name,
            transfer_operation{transfer_kind::gather,
                               {t},
                               0,
                               {{block_list(), in_steps(pitch_on_bus(m_plan, t))}, {m_plan.sample_elements(t), 1}},
                               of_block(t, block, at.looped),
                               list,
                               {},
                               m_plan.samples()});
    }

    // Of the block of a turn or, `ahead`, of the next one.
    void move_block(transfer_kind kind, std::size_t t, const turn& at, bool ahead)
    {
        m_phase = phase_of(t);
        const std::uint64_t block = at.block + (ahead ? 1 : 0);
        if (m_plan.is_given_by_sample(t)) { return gather(t, at, block); }
        const std::uint64_t pitch = pitch_on_bus(m_plan, t);
        std::array<std::int64_t, 2> step{};
        if (at.looped) { step = {in_steps(pitch), in_steps(2 * pitch)}; }
        move(kind, {t}, block * pitch, m_plan.layouts.layout[t].span, of_block(t, block, at.looped),
             (kind == transfer_kind::load ? "load " : "store ") + m_plan.graph.tensors[t].name, step);
    }

    // What a transfer is for: the phase of the contraction that first makes or uses the tensor.
    step_phase phase_of(std::size_t tensor) const
    {
        const auto& graph = m_plan.graph;
        for (const std::size_t c : pass().body) {
            const auto& of = graph.contractions[c];
            if (of.a != tensor && of.b != tensor && of.result != tensor) { continue; }
            return of.phase == step_phase::fp && !m_plan.is_made_again(m_pass, c) ? step_phase::fp : step_phase::bp;
        }
        return step_phase::bp;
    }

    void contract(std::size_t contraction, const turn& at, bool in_loop)
    {
        const auto& of = m_plan.graph.contractions[contraction];
        const auto operand = [&](std::size_t t) {
            auto part = of_block(t, at.block, at.looped);
            if (of.sliced) { part.offset += at.slice * m_plan.layouts.layout[t].stride_of(*of.sliced); }
            return part;
        };
        contract_operation work{0, contraction, operand(of.a), operand(of.b), {}};
        const bool added = m_plan.added[contraction] && in_loop;
        work.result = added ? tensor_part{addend_of(of.result)} : of_block(of.result, at.block, at.looped);
        const bool leaves = at.last || !in_loop;
        work.cycles = static_cast<double>(m_plan.cycles[contraction] +
                                          (leaves ? m_plan.last_conflicts : m_plan.conflicts)[contraction]);
        if (const auto row = m_plan.kept_row[contraction]; row && in_loop) { work.sums = {*row, !at.first, !at.last}; }
        m_phase = m_plan.is_made_again(m_pass, contraction) ? step_phase::bp : of.phase;
        add("contract " + m_plan.graph.tensors[of.a].name + "." + m_plan.graph.tensors[of.b].name, work);
    }

    // A block's addend to its sum.
    void add_sums(std::size_t contraction)
    {
        const auto& of = m_plan.graph.contractions[contraction];
        if (!m_plan.added[contraction]) { return; }
        m_phase = m_plan.is_made_again(m_pass, contraction) ? step_phase::bp : of.phase;
        const auto sum = sum_of(of.result);
        add("add " + m_plan.graph.tensors[of.result].name,
            vector_operation{
                opcode::add, sum, sum, tensor_part{addend_of(of.result)}, {}, m_plan.elements_of(of.result)});
    }

    // Sums of the vector unit: 0 before the loop, and bf16 after it where they are operands.
    void begin_sums()
    {
        for (const std::size_t c : pass().body) {
            if (!m_plan.added[c]) { continue; }
            const std::size_t t = m_plan.graph.contractions[c].result;
            const auto sum = sum_of(t);
            vector_operation clearing{opcode::mask, sum, {}, sum, {}, m_plan.elements_of(t)};
            clearing.zero_a = true;
            add("clear " + m_plan.graph.tensors[t].name, clearing);
        }
    }

    void end_sums()
    {
        for (const std::size_t c : pass().body) {
            const std::size_t t = m_plan.graph.contractions[c].result;
            if (!m_plan.added[c] || m_plan.type_of(t) == element_type::f32) { continue; }
            add("round " + m_plan.graph.tensors[t].name,
                vector_operation{opcode::pack_bf16, whole(t), sum_of(t), {}, {}, m_plan.elements_of(t)});
        }
    }

    // ---- passes ----

    void write_body(const turn& at)
    {
        ++m_body;
        m_made.last_block.back() = m_made.list.operations.size();
        for (std::size_t k = 0; k < pass().body.size(); ++k) {
            contract(pass().body[k], at, true);
            for (const auto& t : pass().loads) {
                if (t.behind == k && !at.last) { move_block(transfer_kind::load, t.tensor, at, true); }
            }
            for (const auto& t : pass().stores) {
                if (t.behind == k) { move_block(transfer_kind::store, t.tensor, at, false); }
            }
            add_sums(pass().body[k]); // waits for the CONTRACT: transfers go ahead of it
        }
    }

    void write_pass()
    {
        const std::size_t first = m_made.list.operations.size();
        m_made.last_block.push_back(first);
        m_sums.clear();
        m_addends.clear();
        for (const std::size_t t : m_plan.loaded_first(pass())) {
            m_phase = m_plan.graph.contractions[(pass().body.empty() ? pass().before : pass().body).front()].phase;
            const bool is_core = m_plan.is_core(t);
            move(transfer_kind::load, {is_core ? m_regions.cores : t}, is_core ? m_plan.core_offset[t] : 0,
                 m_plan.layouts.layout[t].span, whole(t), "load " + m_plan.graph.tensors[t].name);
        }
        for (std::uint64_t slice = 0; slice < pass().slices; ++slice) {
            for (const std::size_t c : pass().before) {
                contract(c, {0, false, false, false, slice}, false);
                store_sums(c, slice);
            }
            if (!pass().body.empty()) { write_loop(slice); }
        }
        for (std::size_t t = 0; t < pass().places.size(); ++t) {
            if (pass().places[t] == 0) { continue; }
            m_made.list.tensors[whole(t).tensor].reserved = {first, m_made.list.operations.size() - 1};
        }
        auto& loaded = m_made.loaded.emplace_back();
        for (const auto& t : pass().loads) { loaded.push_back(whole(t.tensor).tensor); }
        for (const std::size_t c : pass().after) {
            contract(c, {}, false);
            store_sums(c, 0);
        }
    }

    // Over the batch.
    void write_loop(std::uint64_t slice)
    {
        m_body = 0;
        m_phase = pass().is_backward ? step_phase::bp : step_phase::fp;
        begin_sums();
        for (const auto& t : pass().loads) { move_block(transfer_kind::load, t.tensor, {}, false); }
        // Accumulators are 0 in the first pass that keeps sums; in others the first block does not add to them.
        const bool begins = m_plan.residency == step_residency::spill && m_plan.blocks > 1;
        if (begins) { write_body({0, false, false, true, slice}); }
        const std::uint64_t first = begins ? 1 : 0;
        const std::uint64_t looped = (m_plan.blocks - 1 - first) / 2 * 2;
        if (looped != 0) {
            loop(looped / 2);
            loop(2);
            write_body({first, true, false, false, slice});
            add("end", end_operation{});
            add("end", end_operation{});
        }
        for (std::uint64_t b = first + looped; b < m_plan.blocks; ++b) {
            write_body({b, false, b + 1 == m_plan.blocks, false, slice});
        }
        end_sums();
        for (const std::size_t c : pass().body) { store_sums(c, slice); }
    }

    // A result that is the same for all samples, if it does not stay on chip.
    void store_sums(std::size_t contraction, std::uint64_t slice)
    {
        const std::size_t t = m_plan.graph.contractions[contraction].result;
        if (!m_plan.is_stored_by_slice(t)) { return; }
        m_phase = m_plan.graph.contractions[contraction].phase;
        const std::uint64_t offset = slice * m_plan.elements_of(t);
        const bool is_gradient = m_plan.is_core_gradient(t);
        move(transfer_kind::store, {is_gradient ? m_regions.gradients : t},
             offset + (is_gradient ? m_plan.core_offset[*m_plan.graph.tensors[t].gradient_of] : 0),
             m_plan.elements_of(t), whole(t), "store " + m_plan.graph.tensors[t].name);
    }

    // Gradients to memory, or new cores of them: master += rate x gradient, then the bf16 copy.
    void write_results()
    {
        m_pass = m_plan.passes.size() - 1;
        const std::uint64_t elements = m_plan.core_elements;
        const bool pieces = m_plan.gradients_in_memory();
        if (!m_plan.settings.update) {
            m_phase = step_phase::wg;
            if (!pieces) {
                move(transfer_kind::store, {m_regions.gradients}, 0, elements, {gradients()}, "store the gradients");
            }
            return;
        }
        m_phase = step_phase::update;
        const tensor_part rate{tensor("rate", 1, element_type::f32)};
        m_made.list.tensors[rate.tensor].reserved = m_made.passes.back();
        move(transfer_kind::load, {bus_array::constants}, 0, 1, rate, "load the rate");
        const std::uint64_t piece = pieces ? update_piece(m_plan.limits) : elements;
        std::array<std::size_t, 2> masters{}, of_gradients{}, copies{};
        for (std::size_t p = 0; p < (pieces ? 2 : 1); ++p) {
            masters[p] = tensor("masters", piece, element_type::f32);
            of_gradients[p] = pieces ? tensor("gradients", piece, element_type::f32) : gradients();
            if (m_plan.cores_by_pass) { copies[p] = tensor("cores", piece, element_type::bf16); }
        }
        for (std::uint64_t first = 0, p = 0; first < elements; first += piece, p = 1 - p) {
            const std::uint64_t count = std::min(piece, elements - first);
            const tensor_part w{masters[p]}, g{of_gradients[p]};
            move(transfer_kind::load, {bus_array::masters}, first, count, w, "load the masters");
            if (pieces) { move(transfer_kind::load, {m_regions.gradients}, first, count, g, "load the gradients"); }
            add("update the masters", vector_operation{opcode::mul_add, w, w, g, rate, count});
            const auto core = m_plan.cores_by_pass ? tensor_part{copies[p]} : tensor_part{m_cores, first};
            add("round the masters", vector_operation{opcode::pack_bf16, core, w, {}, {}, count});
            move(transfer_kind::store, {bus_array::masters}, first, count, w, "store the masters");
            if (m_plan.cores_by_pass) {
                move(transfer_kind::store, {m_regions.cores}, first, count, core, "store the cores");
            }
        }
        if (!m_plan.cores_by_pass) {
            move(transfer_kind::store, {m_regions.cores}, 0, elements, {m_cores}, "store the cores");
        }
    }

    const step_plan& m_plan;
    plan_regions m_regions;
    plan_operations m_made;
    step_phase m_phase = step_phase::fp;
    std::size_t m_pass = 0, m_body = 0; // which writing of the body, in a slice
    std::size_t m_list = 0, m_cores = 0;
    std::optional<std::size_t> m_gradients;
    std::map<std::pair<std::size_t, extent>, std::size_t> m_tensors; // by tensor of the plan
    float_tensors m_sums, m_addends;                                 // of a pass, likewise
};

} // namespace

operation_list plan_operations::with_early_places() const
{
    auto early = list;
    for (std::size_t p = 1; p < passes.size(); ++p) {
        for (const std::size_t t : loaded[p]) { early.tensors[t].reserved->first = last_block[p - 1]; }
    }
    return early;
}

std::uint64_t pitch_on_bus(const step_plan& plan, std::size_t tensor)
{
    constexpr std::uint64_t alignment = 64; // bytes: a beat of the widest bus
    const std::uint64_t unit = alignment / base::element_bytes(plan.type_of(tensor));
    const std::uint64_t elements =
        plan.is_given_by_sample(tensor) ? plan.sample_elements(tensor) : plan.elements_of(tensor);
    return (elements + unit - 1) / unit * unit;
}

plan_operations operations_of(const step_plan& plan) { return operations_writer(plan).write(); }

} // namespace tensorloom::workloads
