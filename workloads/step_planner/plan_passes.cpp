#include <tensorloom/workloads/step_planner/plan_passes.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <tensorloom/workloads/step_planner/plan_operations.h>
#include <tensorloom/workloads/step_planner/step_estimate.h>
#include <tensorloom/workloads/step_planner/transfer_schedule.h>

namespace tensorloom::workloads {
namespace {

bool contains(const std::vector<std::size_t>& all, std::size_t x)
{
    return std::find(all.begin(), all.end(), x) != all.end();
}

// Operands of contractions.
bool uses(const contraction_graph& graph, std::size_t contraction, std::size_t tensor)
{
    const auto& c = graph.contractions[contraction];
    return c.a == tensor || c.b == tensor;
}

class pass_planner {
public:
    explicit pass_planner(step_plan& plan) : m_plan(plan) {}

    bool run()
    {
        const auto& graph = m_plan.graph;
        m_plan.passes.assign(1, {});
        std::vector<std::size_t> after;
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            const auto& of = graph.contractions[c];
            const bool forward = of.phase == step_phase::fp;
            if (m_plan.cores_by_pass && !m_plan.takes_samples(c)) {
                if (!m_plan.passes.back().body.empty() || !m_plan.passes.back().before.empty()) {
                    m_plan.passes.emplace_back();
                }
                m_plan.passes.back().before.push_back(c);
                m_plan.passes.back().slices = graph.slices(c);
                m_plan.passes.back().is_backward = !forward;
                continue;
            }
            if (!m_plan.takes_samples(c)) {
                (forward && !is_of_the_loop(of, after) ? m_plan.passes.front().before : after).push_back(c);
                continue;
            }
            const bool turns = !forward && m_plan.passes.size() == 1 && m_plan.residency != step_residency::micro_batch;
            const auto& last = m_plan.passes.back();
            const bool is_full = !last.body.empty() || (m_plan.cores_by_pass && !last.before.empty());
            if (is_full && (m_plan.residency == step_residency::spill || turns)) { m_plan.passes.emplace_back(); }
            auto& pass = m_plan.passes.back();
            if (!forward && m_plan.residency == step_residency::batch_blocked) {
                make_again(of.a);
                make_again(of.b);
            }
            pass.is_backward = pass.is_backward || !forward;
            pass.slices = graph.slices(c);
            pass.body.push_back(c);
        }
        m_plan.passes.back().after = after;
        return finish_passes();
    }

private:
    // Takes a sum over the batch, or what is made of one: never in a layer's forward pass.
    bool is_of_the_loop(const graph_contraction& of, const std::vector<std::size_t>& after) const
    {
        const auto is_there = [&](std::size_t tensor) {
            const auto made = m_plan.graph.maker(tensor);
            return made && (m_plan.takes_samples(*made) || contains(after, *made));
        };
        return is_there(of.a) || is_there(of.b);
    }

    // What the backward pass wants of the forward pass and is not stored.
    void make_again(std::size_t tensor)
    {
        const auto made = m_plan.graph.maker(tensor);
        if (!made || m_plan.graph.contractions[*made].phase != step_phase::fp || !m_plan.takes_samples(*made) ||
            m_plan.stored[tensor] || m_plan.kept[tensor] || contains(m_plan.passes.back().body, *made)) {
            return;
        }
        make_again(m_plan.graph.contractions[*made].a);
        make_again(m_plan.graph.contractions[*made].b);
        m_plan.passes.back().body.push_back(*made);
    }

    // LOAD or STORE of a block; of samples a GATHER.
    double cycles_to_move(std::size_t tensor) const
    {
        const auto& memory = m_plan.settings.memory;
        if (!m_plan.is_given_by_sample(tensor)) {
            return static_cast<double>(m_plan.bytes_of(tensor)) / memory.bytes_per_cycle + memory.transfer_cycles;
        }
        const std::uint64_t samples = m_plan.block_graph.modes[m_plan.graph.batch].size;
        const std::uint64_t pitch = pitch_on_bus(m_plan, tensor) * base::element_bytes(m_plan.type_of(tensor));
        return gather_cycles(samples, m_plan.loaded_bytes(tensor) / samples, pitch, m_plan.samples(), memory);
    }

    // Transfers of all passes, and places for their tensors; false if these do not fit. Tensors that are moved have two
    // places each or, the largest first, one if two do not fit.
    bool finish_passes()
    {
        std::vector<loop_body> bodies;
        for (std::size_t p = 0; p < m_plan.passes.size(); ++p) {
            bodies.push_back(body_of(p));
            schedule(m_plan.passes[p], bodies[p]);
        }
        for (;;) {
            const auto made = operations_of(m_plan);
            auto places = find_places(made.with_early_places(), m_plan.limits);
            if (!places) { places = find_places(made.list, m_plan.limits); }
            if (places) {
                m_plan.places = std::move(*places);
                m_plan.totals = totals_of(m_plan, made.list);
                return true;
            }
            if (!give_up_places(made, bodies)) { return false; }
        }
    }

    // The contractions of a pass's loop, with the batched tensors that are moved in it.
    loop_body body_of(std::size_t index) const
    {
        const auto& pass = m_plan.passes[index];
        const auto& graph = m_plan.graph;
        const auto& memory = m_plan.settings.memory;
        loop_body body;
        for (const std::size_t c : pass.body) {
            body.cycles.push_back(static_cast<double>(m_plan.cycles[c] + m_plan.conflicts[c]));
            // Words of the sum and of what is added lie in the same banks.
            const auto words = static_cast<double>(m_plan.elements_of(graph.contractions[c].result));
            body.sums.push_back(m_plan.added[c] ? 2 * words / m_plan.settings.lanes : 0);
        }
        bool listed = false;
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
            if (!graph.is_batched(t)) { continue; }
            loop_body::moved_tensor moved;
            moved.tensor = t;
            moved.cycles = cycles_to_move(t);
            moved.places = m_plan.blocks > 1 ? 2 : 1;
            bool used = false;
            std::optional<std::size_t> made;
            for (std::size_t k = 0; k < pass.body.size(); ++k) {
                if (graph.contractions[pass.body[k]].result == t) { made = k; }
                if (!uses(graph, pass.body[k], t)) { continue; }
                moved.first = used ? moved.first : k;
                moved.last = k;
                used = true;
            }
            const bool there = index > 0 && m_plan.kept[t];
            if (used && !made && !there) {
                // The list of the block comes with the first that is gathered.
                const bool gathers = m_plan.is_given_by_sample(t) && m_plan.list_by_block();
                if (gathers && !listed) { moved.cycles += memory.transfer_cycles; }
                listed = listed || gathers;
                body.loads.push_back(moved);
            }
            const bool output = made && graph.users(t).empty();
            if (output || (made && m_plan.stored[t])) {
                moved.first = *made;
                moved.last = used ? moved.last : *made;
                body.stores.push_back(moved);
            }
        }
        return body;
    }

    // Positions of the transfers, and the cycles of the loop with them.
    void schedule(step_pass& pass, loop_body body) const
    {
        pass.places.assign(m_plan.graph.tensors.size(), 0);
        pass.loads.clear();
        pass.stores.clear();
        for (const auto* list : {&body.loads, &body.stores}) {
            for (const auto& moved : *list) { pass.places[moved.tensor] = moved.places; }
        }
        // Reordering takes the memory's time one block ahead, but no lasting buffer.
        const std::size_t loads = body.loads.size();
        for (std::size_t k = 0; k < pass.body.size(); ++k) {
            const std::size_t c = pass.body[k];
            if (m_plan.reordered_bytes[c] == 0) { continue; }
            body.loads.push_back({m_plan.graph.contractions[c].a, m_plan.reorder_cycles[c], 2, k, k});
        }
        const auto transfers = schedule_transfers(body, m_plan.blocks);
        for (const auto& t : transfers) {
            if (t.is_load && t.moved >= loads) { continue; }
            const auto& moved = t.is_load ? body.loads[t.moved] : body.stores[t.moved];
            (t.is_load ? pass.loads : pass.stores).push_back({moved.tensor, t.behind});
        }
        pass.estimated_cycles =
            pass.slices * static_cast<std::uint64_t>(std::llround(cycles_of_loop(body, transfers, m_plan.blocks)));
    }

    // Of each pass whose tensors do not fit, or else of the fullest one, the largest tensor with two places gets one.
    // False: there is none.
    bool give_up_places(const plan_operations& made, std::vector<loop_body>& bodies)
    {
        const auto occupied = occupation_of(lifetimes_of(made.list), made.list.operations.size(), m_plan.limits);
        std::vector<std::int64_t> most;
        for (const auto& range : made.passes) {
            most.push_back(*std::max_element(occupied.begin() + static_cast<std::ptrdiff_t>(range.first),
                                             occupied.begin() + static_cast<std::ptrdiff_t>(range.last + 1)));
        }
        const auto memory = static_cast<std::int64_t>(m_plan.limits.memory_bytes());
        if (*std::max_element(occupied.begin(), occupied.end()) > memory) {
            bool any = false;
            for (std::size_t p = 0; p < bodies.size(); ++p) {
                if (most[p] <= memory) { continue; }
                if (!give_up_place(p, bodies[p])) { return false; }
                any = true;
            }
            return any;
        }
        std::vector<std::size_t> order(bodies.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return most[x] > most[y]; });
        return std::any_of(order.begin(), order.end(), [&](auto p) { return give_up_place(p, bodies[p]); });
    }

    bool give_up_place(std::size_t pass, loop_body& body)
    {
        loop_body::moved_tensor* largest = nullptr;
        for (auto* list : {&body.stores, &body.loads}) {
            for (auto& m : *list) {
                if (m.places > 1 && (largest == nullptr || m.cycles >= largest->cycles)) { largest = &m; }
            }
        }
        if (largest == nullptr) { return false; }
        largest->places = 1;
        schedule(m_plan.passes[pass], body);
        return true;
    }

    step_plan& m_plan;
};

} // namespace

bool plan_passes(step_plan& plan) { return pass_planner(plan).run(); }

} // namespace tensorloom::workloads
