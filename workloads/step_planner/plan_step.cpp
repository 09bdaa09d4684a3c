#include <tensorloom/workloads/step_planner/step_plan.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/step_planner/accumulator_shares.h>
#include <tensorloom/workloads/step_planner/plan_passes.h>
#include <tensorloom/workloads/step_planner/processing_array.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

constexpr std::size_t most_blocks_planned = 2;
constexpr std::uint64_t most_work_gathered = 2'000'000'000; // of a search of layouts: networks of many modes

class planner {
public:
    planner(const contraction_graph& graph, const fetta::device_limits& g, const step_settings& settings,
            const processing_array& array)
        : m_array(array)
    {
        m_plan.graph = graph;
        m_plan.limits = g;
        m_plan.settings = settings;
        if (!settings.training) {
            auto& all = m_plan.graph.contractions;
            all.erase(std::remove_if(all.begin(), all.end(), [](const auto& c) { return c.phase != step_phase::fp; }),
                      all.end());
        }
    }

    // Nothing if no block fits.
    std::optional<step_plan> run()
    {
        const auto residency = m_plan.settings.residency;
        m_spills = residency == step_residency::spill;
        auto best = best_plan();
        if (!best && residency == step_residency::automatic) {
            m_spills = true;
            best = best_plan();
        }
        if (!best && m_spills && slice_gradients()) { best = best_plan(); }
        if (!best && m_spills) {
            take_cores_by_pass();
            best = best_plan();
        }
        return best;
    }

    std::optional<step_plan> sketch()
    {
        const auto residency = m_plan.settings.residency;
        std::vector<sketched_block> blocks;
        if (residency != step_residency::spill) { blocks = sketched_blocks(); }
        if (blocks.empty() && (residency == step_residency::spill || residency == step_residency::automatic)) {
            m_spills = true;
            blocks = sketched_blocks();
        }
        if (blocks.empty() && m_spills && slice_gradients()) { blocks = sketched_blocks(); }
        if (blocks.empty() && m_spills) {
            take_cores_by_pass();
            blocks = sketched_blocks();
        }
        if (blocks.empty() || !plan_with(blocks.front().samples, layouts_of::dense)) { return std::nullopt; }
        return std::move(m_plan);
    }

private:
    // Gradients of cores of more than what stays on chip: sums that half the accumulators hold. False: there is none.
    bool slice_gradients()
    {
        bool any = false;
        auto& graph = m_plan.graph;
        const std::uint64_t most = std::uint64_t{m_plan.limits.engines} * m_plan.limits.accumulator_bank_bytes / 2;
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            const std::size_t t = graph.contractions[c].result;
            const std::uint64_t bytes = graph.elements(t) * base::element_bytes(element_type::f32);
            if (!m_plan.takes_samples(c) || !m_plan.is_core_gradient(t) || bytes <= most_gradient_bytes) { continue; }
            if (bytes / 2 > m_plan.limits.memory_bytes()) { return false; } // its core, of bf16, has no room
            any = slice(c, (bytes + most - 1) / most) || any;
        }
        return any;
    }

    // Into so many slices or a few more. False: no mode can be divided.
    bool slice(std::size_t contraction, std::uint64_t least)
    {
        constexpr std::uint64_t more = 4, most = 4096; // each has its own commands
        for (std::uint64_t slices = least; slices <= std::min(more * least, most); ++slices) {
            if (auto sliced = with_slices(m_plan.graph, contraction, slices)) {
                m_plan.graph = std::move(*sliced);
                return true;
            }
        }
        return false;
    }

    // Results that are the same for all samples are computed slice by slice if they are large: sums over the batch so
    // that they fit half of the accumulators, others so that they fit beside their operands.
    void take_cores_by_pass()
    {
        m_plan.cores_by_pass = true;
        const auto& graph = m_plan.graph;
        const std::uint64_t sums = std::uint64_t{m_plan.limits.engines} * m_plan.limits.accumulator_bank_bytes / 2;
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            const auto of = graph.contractions[c];
            if (of.sliced || graph.is_batched(of.result)) { continue; }
            const auto bytes = [&](std::size_t t) {
                return graph.elements(t) * base::element_bytes(m_plan.type_of(t));
            };
            const std::uint64_t room = m_plan.limits.memory_bytes() / 16 * 15;
            const std::uint64_t operands = bytes(of.a) + bytes(of.b);
            if (m_plan.takes_samples(c)) {
                const std::uint64_t all = graph.elements(of.result) * base::element_bytes(element_type::f32);
                if (all > most_gradient_bytes) { slice(c, (all + sums - 1) / sums); }
            } else if (operands < room && operands + bytes(of.result) > room) {
                slice(c, (bytes(of.result) + room - operands - 1) / (room - operands));
            }
        }
    }

    // With the residency at hand; nothing when no block fits.
    std::optional<step_plan> best_plan()
    {
        const auto blocks = sketched_blocks();
        std::optional<step_plan> best;
        for (std::size_t b = 0, planned = 0; b < blocks.size() && planned < most_blocks_planned; ++b) {
            if (best && blocks[b].cost.by(m_plan.settings.objective) >= cost_of(*best)) { break; } // it takes no less
            if (!plan_with(blocks[b].samples, layouts_of::search)) { continue; }
            ++planned;
            if (!best || cost_of(m_plan) < cost_of(*best)) { best = m_plan; }
        }
        return best;
    }

    struct sketched_block {
        step_cost cost;
        std::uint64_t samples = 0;
    };

    // Divisors of the batch whose tensors fit, and what their steps take with layouts that are free of conflicts, the
    // best first.
    std::vector<sketched_block> sketched_blocks()
    {
        const auto& asked = m_plan.settings.block;
        if (asked && batch() % *asked != 0) {
            base::refuse("block", std::to_string(*asked) + " samples",
                         "a divisor of the " + std::to_string(batch()) + " of the batch");
        }
        std::vector<sketched_block> all;
        for (std::uint64_t samples = 1; samples <= batch(); ++samples) {
            if (batch() % samples != 0 || (asked && *asked != samples) || !may_fit(samples)) { continue; }
            if (plan_with(samples, layouts_of::dense)) { all.push_back({m_plan.estimated_cost(), samples}); }
        }
        const auto objective = m_plan.settings.objective;
        std::stable_sort(all.begin(), all.end(),
                         [&](const auto& x, const auto& y) { return x.cost.by(objective) < y.cost.by(objective); });
        return all;
    }

    static double cost_of(const step_plan& plan) { return plan.estimated_cost().by(plan.settings.objective); }

    std::uint64_t batch() const { return m_plan.graph.modes[m_plan.graph.batch].size; }

    // That it is done in a step, what is made again aside.
    double times_of(std::size_t contraction) const
    {
        const std::uint64_t times = m_plan.blocks * m_plan.block_graph.slices(contraction);
        return m_plan.takes_samples(contraction) ? static_cast<double>(times) : 1;
    }

    enum class layouts_of : std::uint8_t {
        dense, // any, taken for free of conflicts
        search
    };

    // One contraction with its tensors, and a second place for X, before layouts are known.
    bool may_fit(std::uint64_t samples) const
    {
        const auto block = with_batch(m_plan.graph, samples);
        for (const auto& c : block.contractions) {
            const std::uint64_t slices = c.sliced ? block.modes[*c.sliced].size : 1;
            const std::uint64_t elements =
                block.elements(c.a) + block.elements(c.b) + block.elements(c.result) / slices;
            if (elements > m_plan.limits.elements(element_type::bf16)) { return false; }
        }
        return true;
    }

    bool plan_with(std::uint64_t samples, layouts_of layouts)
    {
        m_plan.block_graph = with_batch(m_plan.graph, samples);
        m_plan.blocks = batch() / samples;
        layouts == layouts_of::dense ? take_dense_layouts() : choose_layouts();
        std::vector<std::size_t> intermediates;
        const auto& graph = m_plan.graph;
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
            const auto made = graph.maker(t);
            if (!made || graph.contractions[*made].phase != step_phase::fp || !m_plan.takes_samples(*made)) {
                continue;
            }
            const auto users = graph.users(t);
            const bool backward = std::any_of(users.begin(), users.end(), [&](std::size_t c) {
                return graph.contractions[c].phase != step_phase::fp;
            });
            if (backward) { intermediates.push_back(t); }
        }
        std::optional<step_plan> best;
        const auto try_passes = [&] {
            if (plan_passes(m_plan) && (!best || cost_of(m_plan) < cost_of(*best))) { best = m_plan; }
        };
        const auto residency = m_plan.settings.residency;
        m_plan.kept.assign(graph.tensors.size(), false);
        m_plan.stored.assign(graph.tensors.size(), false);
        if (m_spills) {
            m_plan.residency = step_residency::spill;
            for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
                const bool between = graph.is_batched(t) && graph.maker(t) && !graph.users(t).empty();
                m_plan.kept[t] = between && graph.elements(t) <= m_plan.settings.spilled_above;
                m_plan.stored[t] = between && !m_plan.kept[t];
            }
            return plan_passes(m_plan);
        }
        if (residency == step_residency::micro_batch) {
            m_plan.residency = residency;
            return plan_passes(m_plan);
        }
        const bool may_keep = residency == step_residency::automatic || residency == step_residency::keep;
        if (may_keep && m_plan.blocks == 1) {
            m_plan.residency = step_residency::keep;
            keep_what_is_used_again();
            try_passes();
            m_plan.kept.assign(graph.tensors.size(), false);
        }
        m_plan.residency = step_residency::batch_blocked;
        constexpr std::size_t most_enumerated = 8;
        const std::size_t open = std::min(intermediates.size(), most_enumerated);
        for (std::size_t choice = 0; choice < std::size_t{1} << open; ++choice) {
            if (residency == step_residency::keep && !intermediates.empty()) { break; }
            const auto between = m_plan.settings.between;
            if (between == between_passes::store && choice + 1 != std::size_t{1} << open) { continue; }
            if (between == between_passes::recompute && choice != 0) { continue; }
            m_plan.stored.assign(graph.tensors.size(), false);
            for (std::size_t i = 0; i < intermediates.size(); ++i) {
                m_plan.stored[intermediates[i]] = i < open ? (choice >> i & 1) != 0 : (choice & 1) != 0;
            }
            try_passes();
        }
        if (best) { m_plan = std::move(*best); }
        return best.has_value();
    }

    // What both passes use and is of a block.
    void keep_what_is_used_again()
    {
        const auto& graph = m_plan.graph;
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
            bool forward = false, backward = false;
            for (const auto& c : graph.contractions) {
                if (c.a != t && c.b != t && c.result != t) { continue; }
                (c.phase == step_phase::fp ? forward : backward) = true;
            }
            m_plan.kept[t] = graph.is_batched(t) && forward && backward;
        }
    }

    // ---- layouts ----

    void take_dense_layouts()
    {
        const auto& graph = m_plan.block_graph;
        m_plan.layouts = {};
        for (const auto& t : graph.tensors) { m_plan.layouts.layout.push_back(dense_layout(graph, t.modes)); }
        bundle_cores();
        const auto rows_kept = share_accumulators();
        forget_contractions();
        std::vector<contraction_form> forms;
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            forms.push_back({stores_bf16(c), rows_kept[c] != 0, times_of(c)});
            m_plan.kept_row.push_back(rows_kept[c] == 0 ? std::nullopt : std::optional<std::uint32_t>(0));
        }
        for (const auto& work : m_array.work_of(graph, forms)) {
            m_plan.cycles.push_back(work.cycles);
            m_plan.conflicts.push_back(work.conflicts);
            m_plan.last_counts.push_back(work.counts);
            m_plan.counts.push_back(work.kept);
            m_plan.reordered_bytes.push_back(work.reordered_bytes);
            m_plan.reorder_cycles.push_back(work.reorder_cycles);
            m_plan.in_other_order.push_back(work.in_other_order);
        }
        m_plan.last_conflicts = m_plan.conflicts;
    }

    void bundle_cores()
    {
        m_plan.core_offset.assign(m_plan.graph.tensors.size(), 0);
        m_plan.core_elements = 0;
        const std::uint64_t block = place_granule(m_plan.limits) / base::element_bytes(element_type::bf16);
        for (const std::size_t core : m_plan.cores()) {
            m_plan.core_offset[core] = m_plan.core_elements;
            m_plan.core_elements += (m_plan.layouts.layout[core].span + block - 1) / block * block;
        }
    }

    void choose_layouts()
    {
        const auto& graph = m_plan.block_graph;
        const auto blocks = static_cast<double>(m_plan.blocks);
        layout_request r{graph, m_plan.limits, {}, {}};
        r.paths = m_plan.settings.paths;
        r.transpose_layer = m_plan.settings.transpose_layer;
        if (r.paths == operand_paths::gathered) { r.most_work = most_work_gathered; }
        const auto rows_kept = share_accumulators();
        const std::uint64_t rows = m_plan.limits.accumulator_rows();
        const std::uint64_t kept = m_spills ? 0 : std::accumulate(rows_kept.begin(), rows_kept.end(), std::uint64_t{0});
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            layout_request::contraction of;
            of.times = times_of(c);
            of.is_kept = rows_kept[c] != 0;
            of.accumulator_rows = of.is_kept ? rows_kept[c] : rows - kept;
            r.contractions.push_back(of);
        }
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
            layout_request::tensor of;
            const auto source = graph.tensors[t].gradient_of;
            const bool on_bus = graph.is_batched(t) && (!graph.maker(t) || graph.users(t).empty());
            of.batch_outermost = on_bus;
            if (m_plan.settings.natural_orders) { of.given = {natural_layout(graph, t)}; }
            // Moved once or twice.
            of.cycles_per_gap = graph.is_batched(t) ? blocks * 2 / m_plan.settings.memory.bytes_per_cycle : 1e-6;
            const bool output = source && (!graph.is_batched(t) ? !graph.maker(*source) : graph.users(*source).empty());
            if (output && m_plan.settings.training) { of.lies_as = source; }
            r.tensors.push_back(of);
        }
        m_plan.layouts = workloads::choose_layouts(r);
        bundle_cores();
        forget_contractions();
        auto next_row = static_cast<std::uint32_t>(rows);
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            const auto& of = graph.contractions[c];
            const auto& l = m_plan.layouts.layout;
            const auto& choice = m_plan.layouts.choice[c];
            // Without buffers no operand is linear: what the networks do not bring is permuted first.
            auto command = r.paths == operand_paths::unbuffered
                               ? command_of(extents_of(graph, choice.groups), choice, stores_bf16(c))
                               : command_of(graph, choice, {&l[of.a], &l[of.b], &l[of.result]}, stores_bf16(c));
            m_plan.last_counts.push_back(counted(command));
            const std::uint64_t last_cycles = fetta::ideal_cycles(command, m_plan.limits).total();
            std::optional<std::uint32_t> row;
            if (m_spills) { next_row = static_cast<std::uint32_t>(rows); }
            if (rows_kept[c] != 0) {
                command.flags &= static_cast<std::uint16_t>(
                    ~(fetta::contract_command::flag_store_bf16 | fetta::contract_command::flag_linear_result));
                command.flags |= fetta::contract_command::flag_keep;
                command.result = place_of_kept_sums(command.result);
                next_row -= static_cast<std::uint32_t>(fetta::rows_of_sums(command, m_plan.limits));
                row = next_row;
            }
            m_plan.kept_row.push_back(row);
            m_plan.counts.push_back(row ? counted(command) : m_plan.last_counts.back());
            m_plan.cycles.push_back(fetta::ideal_cycles(command, m_plan.limits).total());
            if (r.paths == operand_paths::unbuffered) {
                m_plan.conflicts.push_back(add_permutations(c, row.has_value(), m_plan.counts.back()));
                m_plan.last_conflicts.push_back(add_permutations(c, false, m_plan.last_counts.back()));
            } else {
                m_plan.conflicts.push_back(m_plan.counts.back()[fetta::event::conflict_cycle]);
                m_plan.last_conflicts.push_back(m_plan.last_counts.back()[fetta::event::conflict_cycle] + last_cycles -
                                                m_plan.cycles.back());
            }
        }
        m_plan.reordered_bytes.assign(graph.contractions.size(), 0);
        m_plan.reorder_cycles.assign(graph.contractions.size(), 0);
        m_plan.in_other_order.assign(graph.contractions.size(), 0);
    }

    void forget_contractions()
    {
        m_plan.cycles.clear();
        m_plan.conflicts.clear();
        m_plan.last_conflicts.clear();
        m_plan.counts.clear();
        m_plan.last_counts.clear();
        m_plan.kept_row.clear();
        m_plan.reordered_bytes.clear();
        m_plan.reorder_cycles.clear();
        m_plan.in_other_order.clear();
    }

    bool stores_bf16(std::size_t contraction) const
    {
        const std::size_t result = m_plan.graph.contractions[contraction].result;
        return m_plan.type_of(result) == element_type::bf16 && !m_plan.added[contraction];
    }

    // What the vector unit does for the operands and the result of a CONTRACT that its networks alone do not bring; its
    // cycles. An operand that is the same in all blocks is permuted in one of them.
    std::uint64_t add_permutations(std::size_t contraction, bool keeps_sums, fetta::counts& counts) const
    {
        using fetta::event;
        const auto& graph = m_plan.block_graph;
        const auto& of = graph.contractions[contraction];
        const auto& choice = m_plan.layouts.choice[contraction];
        double cycles = 0;
        for (const auto role : fetta::operand_roles) {
            const bool is_result = role == fetta::operand_role::result;
            if (choice.banked[at(role)] || (is_result && keeps_sums)) { continue; }
            const auto which = tensor_of(choice.mapping, role);
            const std::size_t t = which == contraction_tensor::a   ? of.a
                                  : which == contraction_tensor::b ? of.b
                                                                   : of.result;
            const bool same = !is_result && !graph.is_batched(t);
            const double elements = static_cast<double>(graph.elements(t)) / (same ? times_of(contraction) : 1);
            const auto words = static_cast<std::uint64_t>(std::llround(passes_to_permute * elements));
            counts[event::vector_instruction] += same ? 0 : passes_to_permute;
            counts[event::vector_op] += words;
            counts[event::vector_word_read] += words;
            counts[event::vector_word_write] += words;
            cycles += static_cast<double>(words) / m_plan.settings.lanes;
        }
        return static_cast<std::uint64_t>(std::ceil(cycles));
    }

    // What the device counts for a CONTRACT of linear operands.
    fetta::counts counted(const fetta::contract_command& command) const
    {
        auto counts = fetta::contract_counts(command, m_plan.limits);
        fetta::count_linear(fetta::linear_accesses(command, m_plan.limits).all(), command, m_plan.limits, counts);
        return counts;
    }

    std::vector<std::uint64_t> share_accumulators()
    {
        auto shares = accumulator_shares_of(m_plan.block_graph, m_plan.limits, m_plan.blocks, m_spills);
        m_plan.added = std::move(shares.added);
        return std::move(shares.rows);
    }

    const processing_array& m_array;
    step_plan m_plan;
    bool m_spills = false;
};

// The tensor of a block of one sample, or of all cores, that is largest.
std::string largest_text(const contraction_graph& graph)
{
    const auto block = with_batch(graph, 1);
    std::size_t largest = 0;
    for (std::size_t t = 1; t < graph.tensors.size(); ++t) {
        if (block.elements(t) > block.elements(largest)) { largest = t; }
    }
    return " (the largest tensor is " + graph.tensors[largest].name + ", " + std::to_string(block.elements(largest)) +
           " elements" + (graph.is_batched(largest) ? " a sample)" : ")");
}

// The smallest larger memory that a step fits into.
std::string larger_memory_text(const contraction_graph& graph, fetta::device_limits g, const step_settings& settings)
{
    constexpr std::uint32_t largest_bank = 64u << 20;
    while (g.bank_bytes < largest_bank) {
        g.bank_bytes *= 2;
        if (!sketched_plan(graph, g, settings, fetta_array(g, settings.paths))) { continue; }
        return std::to_string(g.memory_bytes()) + " bytes, banks of " + std::to_string(g.bank_bytes);
    }
    return "more than the largest memory, " + std::to_string(g.memory_bytes()) + " bytes";
}

} // namespace

std::optional<step_plan> sketched_plan(const contraction_graph& graph, const fetta::device_limits& g,
                                       const step_settings& settings, const processing_array& array)
{
    return planner(graph, g, settings, array).sketch();
}

std::optional<step_cost> sketched_cost(const contraction_graph& graph, const fetta::device_limits& g,
                                       const step_settings& settings)
{
    const auto plan = sketched_plan(graph, g, settings, fetta_array(g, settings.paths));
    return plan ? std::optional(plan->estimated_cost()) : std::nullopt;
}

std::optional<step_plan> find_plan(const contraction_graph& graph, const fetta::device_limits& g,
                                   const step_settings& settings)
{
    return planner(graph, g, settings, fetta_array(g, settings.paths)).run();
}

step_plan plan_step(const contraction_graph& graph, const fetta::device_limits& g, const step_settings& settings)
{
    if (auto plan = find_plan(graph, g, settings)) { return std::move(*plan); }
    throw base::input_error("network: no block of its batch fits into the " + std::to_string(g.memory_bytes()) +
                            " bytes of the unified memory with all tensors needed at the same time" +
                            largest_text(graph) + "; along this sequence it needs " +
                            larger_memory_text(graph, g, settings) + ", expected a network that fits");
}

} // namespace tensorloom::workloads
