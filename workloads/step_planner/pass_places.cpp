#include <tensorloom/workloads/step_planner/pass_places.h>
#include <algorithm>
#include <optional>
#include <vector>
#include <tensorloom/workloads/step_planner/chip_places.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;

class pass_placer {
public:
    explicit pass_placer(const step_plan& plan) : m_plan(plan) {}

    // Everything that is moved in two places, or the largest in one where they do not fit.
    bool find(step_pass& pass, loop_body& body, bool is_forward) const
    {
        std::vector<loop_body::moved_tensor*> moved;
        for (auto* list : {&body.stores, &body.loads}) {
            for (auto& m : *list) { moved.push_back(&m); }
        }
        std::stable_sort(moved.begin(), moved.end(),
                         [](const auto* x, const auto* y) { return x->cycles < y->cycles; });
        for (;;) {
            if (try_places(pass, body, is_forward)) { return true; }
            while (!moved.empty() && moved.back()->places == 1) { moved.pop_back(); }
            if (moved.empty()) { return false; }
            moved.back()->places = 1;
        }
    }

private:
    bool try_places(step_pass& pass, const loop_body& body, bool is_forward) const
    {
        const auto& graph = m_plan.graph;
        const std::size_t end = pass.body.size() + 1; // 0: before the loop, end: behind it
        const std::size_t tensors = graph.tensors.size();
        const std::size_t addends = 2 * tensors + 5, sums = addends + tensors;
        std::vector<wanted_place> wanted;
        std::vector<std::size_t> owner;
        const auto want = [&](std::size_t tensor, std::size_t first, std::size_t last) {
            wanted.push_back({m_plan.bytes_of(tensor), first, last});
            owner.push_back(tensor);
        };
        // Of a sum that the vector unit makes: what a block adds, and the sum where the gradient itself is bf16.
        const auto want_sums = [&](std::size_t tensor, std::size_t last) {
            const std::uint64_t bytes = m_plan.layouts.layout[tensor].span * arch::element_bytes(element_type::f32);
            wanted.push_back({bytes, 0, last});
            owner.push_back(addends + tensor);
            if (m_plan.type_of(tensor) == element_type::f32) { return; }
            wanted.push_back({bytes, 0, last + 1});
            owner.push_back(sums + tensor);
        };
        const auto places_of = [&](std::size_t tensor) {
            for (const auto* list : {&body.loads, &body.stores}) {
                for (const auto& m : *list) {
                    if (m.tensor == tensor) { return m.places; }
                }
            }
            return 0u;
        };
        // What stays has the same place in both passes: it is wanted longest, and in the same order.
        wanted.push_back({m_plan.core_elements * arch::element_bytes(element_type::bf16), 0, end + 2});
        owner.push_back(tensors);
        wanted.push_back(
            {m_plan.list_by_block() ? m_plan.list_bytes() / m_plan.blocks : m_plan.list_bytes(), 0, end + 2});
        owner.push_back(tensors + 4);
        for (std::size_t t = 0; t < tensors; ++t) {
            const auto made = graph.maker(t);
            const bool of_cores = !graph.is_batched(t) && made && graph.contractions[*made].phase == step_phase::fp;
            if (of_cores || m_plan.kept[t]) { want(t, 0, end + 2); }
        }
        for (std::size_t t = 0; t < tensors; ++t) {
            if (m_plan.kept[t]) { continue; }
            if (!graph.is_batched(t)) {
                const auto made = graph.maker(t);
                const bool gradient = made && graph.contractions[*made].phase != step_phase::fp;
                if (!gradient || is_forward) { continue; }
                if (!m_plan.is_core_gradient(t)) { want(t, m_plan.added[*made] ? end + 1 : 0, end + 1); }
                if (m_plan.added[*made]) { want_sums(t, end); }
                continue;
            }
            if (const unsigned places = places_of(t); places != 0) {
                for (unsigned p = 0; p < places; ++p) { want(t, 0, end); }
                continue;
            }
            std::optional<std::size_t> first;
            std::size_t last = 0;
            for (std::size_t k = 0; k < pass.body.size(); ++k) {
                const auto& c = graph.contractions[pass.body[k]];
                if (c.result != t && c.a != t && c.b != t) { continue; }
                first = first.value_or(k + 1);
                last = k + 1;
            }
            if (first) { want(t, *first, last); }
        }
        if (!is_forward) {
            const std::uint64_t bytes = m_plan.core_elements * arch::element_bytes(element_type::f32);
            wanted.push_back({bytes, 0, end + 1});       // gradients
            wanted.push_back({bytes, end + 1, end + 1}); // masters, when the loop is over
            wanted.push_back({place_granule(m_plan.geometry), 0, end + 1});
            for (const std::size_t more : {1, 2, 3}) { owner.push_back(tensors + more); }
        }
        const auto places = places_for(wanted, place_granule(m_plan.geometry), m_plan.geometry.memory_bytes());
        if (!places) { return false; }
        pass.place.assign(tensors, {});
        pass.sum.assign(tensors, {});
        pass.addend.assign(tensors, {});
        const auto put_bundle = [&](std::uint64_t byte, bool gradients) {
            for (const std::size_t core : m_plan.cores()) {
                const auto t = gradients ? graph.gradient(core) : std::optional(core);
                const std::uint64_t at = byte + m_plan.core_offset[core] * arch::element_bytes(m_plan.type_of(*t));
                pass.place[*t] = {{at, at}, 1};
            }
        };
        for (std::size_t w = 0; w < owner.size(); ++w) {
            const std::uint64_t at = (*places)[w];
            if (owner[w] < tensors) {
                auto& p = pass.place[owner[w]];
                if (p.places++ == 0) { p.byte[1] = at; }
                p.byte[p.places - 1] = at;
            } else if (owner[w] >= addends) {
                const bool sum = owner[w] >= sums;
                (sum ? pass.sum : pass.addend)[(owner[w] - addends) % tensors] = {{at, at}, 1};
            } else if (owner[w] <= tensors + 1) {
                put_bundle(at, owner[w] == tensors + 1);
            } else {
                (owner[w] == tensors + 2 ? pass.masters : owner[w] == tensors + 3 ? pass.rate : pass.list) = at;
            }
        }
        return true;
    }

    const step_plan& m_plan;
};

} // namespace

bool place_pass(const step_plan& plan, step_pass& pass, loop_body& body, bool is_forward)
{
    return pass_placer(plan).find(pass, body, is_forward);
}

} // namespace tensorloom::workloads
