#include <tensorloom/workloads/step_planner/pass_places.h>
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>
#include <tensorloom/workloads/step_planner/buffer_allocation.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

class pass_placer {
public:
    explicit pass_placer(const step_plan& plan) : m_plan(plan) {}

    // Everything that is moved in two places, or the largest in one where they do not fit.
    bool find(step_pass& pass, loop_body& body) const
    {
        std::vector<loop_body::moved_tensor*> moved;
        for (auto* list : {&body.stores, &body.loads}) {
            for (auto& m : *list) { moved.push_back(&m); }
        }
        std::stable_sort(moved.begin(), moved.end(),
                         [](const auto* x, const auto* y) { return x->cycles < y->cycles; });
        for (;;) {
            if (try_places(pass, body)) { return true; }
            while (!moved.empty() && moved.back()->places == 1) { moved.pop_back(); }
            if (moved.empty()) { return false; }
            moved.back()->places = 1;
        }
    }

private:
    /// A place that is wanted, and where it is noted.
    struct wish {
        wanted_place place;
        std::function<void(std::uint64_t)> note;
    };

    // Times: 0 ahead of the loop, its commands, sums of the vector unit, what comes behind, the update.
    struct pass_times {
        explicit pass_times(const step_pass& pass)
            : sums(pass.body.size() + 1), after(sums + 1), update(after + pass.after.size()), gradients(update + 1),
              stays(update + 2)
        {}
        std::size_t sums, after, update;
        std::size_t gradients, stays; // of what has the same place in several passes: it is wanted longest
    };

    bool try_places(step_pass& pass, const loop_body& body) const
    {
        const auto& graph = m_plan.graph;
        const std::size_t tensors = graph.tensors.size();
        const pass_times times(pass);
        pass.place.assign(tensors, {});
        pass.sum.assign(tensors, {});
        pass.addend.assign(tensors, {});
        std::vector<wish> wishes;
        const auto want = [&](std::uint64_t bytes, std::size_t first, std::size_t last, auto note) {
            wishes.push_back({{bytes, first, last}, note});
        };
        const auto want_bytes = [&](std::size_t t, std::uint64_t bytes, std::size_t first, std::size_t last) {
            want(bytes, first, last, [&pass, t](std::uint64_t at) { pass.place[t] = {{at, at}, 1}; });
        };
        const auto want_tensor = [&](std::size_t t, std::size_t first, std::size_t last) {
            want_bytes(t, m_plan.bytes_of(t), first, last);
        };
        const auto want_two_places = [&](std::size_t t, std::size_t last) {
            const std::uint64_t bytes = in_whole_blocks(m_plan.bytes_of(t), m_plan.limits);
            want(2 * bytes, 0, last, [&pass, t, bytes](std::uint64_t at) { pass.place[t] = {{at, at + bytes}, 2}; });
        };
        // What stays has the same place in all passes, in the same order.
        if (!m_plan.cores_by_pass) {
            want(m_plan.core_elements * base::element_bytes(element_type::bf16), 0, times.stays,
                 [&](std::uint64_t at) { put_bundle(pass, at, false); });
        }
        want(m_plan.list_by_block() ? m_plan.list_bytes() / m_plan.blocks : m_plan.list_bytes(), 0, times.stays,
             [&pass](std::uint64_t at) { pass.list = at; });
        for (std::size_t t = 0; t < tensors; ++t) {
            const auto made = graph.maker(t);
            const bool of_cores = !graph.is_batched(t) && made && graph.contractions[*made].phase == step_phase::fp;
            const bool apart = m_plan.residency == step_residency::spill; // kept where nothing else is
            if (m_plan.cores_by_pass) { continue; }
            if (of_cores || (m_plan.kept[t] && !apart)) { want_tensor(t, 0, times.stays); }
        }
        for (const std::size_t t : m_plan.loaded_first(pass)) { want_bytes(t, m_plan.operand_bytes(t), 0, times.sums); }
        for (std::size_t t = 0; t < tensors; ++t) {
            if (graph.is_batched(t) && !m_plan.kept[t]) {
                want_of_block(t, pass, body, times, want_tensor, want_two_places);
            }
        }
        if (m_plan.cores_by_pass) {
            for (const auto* list : {&pass.before, &pass.body}) {
                for (const std::size_t c : *list) {
                    const std::size_t t = graph.contractions[c].result;
                    if (graph.is_batched(t)) { continue; }
                    want_tensor(t, 0, times.sums);
                    if (m_plan.added[c]) { want_sums(pass, t, times, want); }
                }
            }
        } else if (pass.is_backward) {
            want_gradients(pass, times, want, want_tensor);
        }
        if (pass.is_backward && &pass == &m_plan.passes.back()) { want_update(pass, times, want); }
        std::vector<wanted_place> wanted;
        for (const auto& w : wishes) { wanted.push_back(w.place); }
        const auto places = places_for(wanted, place_granule(m_plan.limits), m_plan.limits.memory_bytes());
        if (!places) { return false; }
        for (std::size_t w = 0; w < wishes.size(); ++w) { wishes[w].note((*places)[w]); }
        return true;
    }

    template <class WantTensor, class WantTwo>
    void want_of_block(std::size_t t, const step_pass& pass, const loop_body& body, const pass_times& times,
                       const WantTensor& want_tensor, const WantTwo& want_two_places) const
    {
        for (const auto* list : {&body.loads, &body.stores}) {
            for (const auto& m : *list) {
                if (m.tensor != t) { continue; }
                m.places > 1 ? want_two_places(t, times.sums - 1) : want_tensor(t, 0, times.sums - 1);
                return;
            }
        }
        std::optional<std::size_t> first;
        std::size_t last = 0;
        for (std::size_t k = 0; k < pass.body.size(); ++k) {
            const auto& c = m_plan.graph.contractions[pass.body[k]];
            if (c.result != t && c.a != t && c.b != t) { continue; }
            first = first.value_or(k + 1);
            last = k + 1;
        }
        if (first) { want_tensor(t, *first, last); }
    }

    // Of cores, and of what is made of cores alone.
    template <class Want, class WantTensor>
    void want_gradients(step_pass& pass, const pass_times& times, const Want& want, const WantTensor& want_tensor) const
    {
        const auto& graph = m_plan.graph;
        const auto in_body = [&](std::size_t c) {
            return std::find(pass.body.begin(), pass.body.end(), c) != pass.body.end();
        };
        const bool other_passes = m_plan.residency == step_residency::spill;
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
            const auto made = graph.maker(t);
            if (graph.is_batched(t) || !made || graph.contractions[*made].phase == step_phase::fp) { continue; }
            const bool summed = m_plan.added[*made] && in_body(*made);
            const bool stays_here = !m_plan.is_core_gradient(t) || m_plan.gradients_in_memory();
            if (m_plan.is_core_gradient(t) && m_plan.gradients_in_memory()) {
                const auto behind = std::find(pass.after.begin(), pass.after.end(), *made);
                const std::size_t at = times.after + static_cast<std::size_t>(behind - pass.after.begin());
                if (behind != pass.after.end()) { want_tensor(t, at, at); }
                if (in_body(*made)) { want_tensor(t, 0, times.sums); }
            } else if (stays_here) {
                const std::size_t last = times.update - 1;
                other_passes ? want_tensor(t, 0, times.gradients) : want_tensor(t, summed ? times.sums : 0, last);
            }
            if (summed) { want_sums(pass, t, times, want); }
        }
        if (!m_plan.gradients_in_memory()) {
            want(m_plan.core_elements * base::element_bytes(element_type::f32), 0, times.gradients,
                 [this, &pass](std::uint64_t at) { put_bundle(pass, at, true); });
        }
    }

    // What a block adds, and the sum where the gradient itself is bf16.
    template <class Want>
    void want_sums(step_pass& pass, std::size_t t, const pass_times& times, const Want& want) const
    {
        const std::uint64_t bytes = m_plan.elements_of(t) * base::element_bytes(element_type::f32);
        want(bytes, 0, times.sums - 1, [&pass, t](std::uint64_t at) { pass.addend[t] = {{at, at}, 1}; });
        if (m_plan.type_of(t) == element_type::f32) { return; }
        want(bytes, 0, times.sums, [&pass, t](std::uint64_t at) { pass.sum[t] = {{at, at}, 1}; });
    }

    // Masters, and gradients and cores where they are in memory: pieces in two places each.
    template <class Want> void want_update(step_pass& pass, const pass_times& times, const Want& want) const
    {
        const bool pieces = m_plan.gradients_in_memory();
        const std::uint64_t elements = pieces ? update_piece(m_plan.limits) : m_plan.core_elements;
        const std::uint64_t bytes = elements * base::element_bytes(element_type::f32);
        for (const std::size_t p : {0, 1}) {
            if (p == 1 && !pieces) { break; }
            want(bytes, times.update, times.update, [&pass, p](std::uint64_t at) { pass.masters[p] = at; });
            if (!pieces) { break; }
            want(bytes, times.update, times.update, [&pass, p](std::uint64_t at) { pass.gradients[p] = at; });
            if (!m_plan.cores_by_pass) { continue; }
            want(elements * base::element_bytes(element_type::bf16), times.update, times.update,
                 [&pass, p](std::uint64_t at) { pass.copies[p] = at; });
        }
        want(place_granule(m_plan.limits), 0, times.update, [&pass](std::uint64_t at) { pass.rate = at; });
    }

    void put_bundle(step_pass& pass, std::uint64_t byte, bool gradients) const
    {
        for (const std::size_t core : m_plan.cores()) {
            const auto t = gradients ? m_plan.graph.gradient(core) : std::optional(core);
            const std::uint64_t at = byte + m_plan.core_offset[core] * base::element_bytes(m_plan.type_of(*t));
            pass.place[*t] = {{at, at}, 1};
        }
    }

    const step_plan& m_plan;
};

} // namespace

bool place_pass(const step_plan& plan, step_pass& pass, loop_body& body) { return pass_placer(plan).find(pass, body); }

} // namespace tensorloom::workloads
