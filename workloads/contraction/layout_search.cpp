#include <tensorloom/workloads/contraction/plan_search.h>
#include <algorithm>
#include <numeric>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/workloads/contraction/block_transfers.h>
#include <tensorloom/workloads/contraction/permutation.h>

namespace tensorloom::workloads {
namespace {

using fetta::event;
using fetta::operand_role;
using block_of = std::array<std::uint32_t, contraction_indices>;

constexpr std::uint64_t first_sample = 256; // cycles of a command, for all choices
constexpr std::uint64_t last_sample = 8192; // ... for the finalists
constexpr std::size_t most_finalists = 4;   // by an objective

// How often blocks of a tensor are moved.
using moves = std::array<std::uint64_t, contraction_tensors>;

moves moves_of(const contraction_plan& plan)
{
    moves n{};
    for (const auto& step : plan.steps()) {
        n[at(contraction_tensor::a)] += step.load_a ? 1 : 0;
        n[at(contraction_tensor::b)] += step.load_b ? 1 : 0;
        n[at(contraction_tensor::c)] += step.keep ? 0 : 1;
    }
    return n;
}

// Calls f(step, count) for every kind of CONTRACT of a plan: all of a kind have the same extents, the same flags but
// accumulate, and linear operands of the same boxes at places that fill all banks alike.
template <class F> void for_each_kind(const contraction_plan& plan, F f)
{
    struct kind {
        std::uint32_t block;
        std::uint64_t count;
        bool keep;
    };
    std::array<std::vector<kind>, contraction_indices> kinds;
    for (unsigned x = 0; x < contraction_indices; ++x) {
        const auto last = static_cast<std::uint32_t>(plan.index[x].blocks() - 1);
        const bool summed = x == at(contraction_index::contracted) && last > 0;
        const auto of_index = plan.index[x].kinds();
        for (std::size_t k = 0; k < of_index.size(); ++k) {
            const bool has_last = k + 1 == of_index.size();
            const std::uint64_t count = of_index[k].count - (summed && has_last ? 1 : 0);
            if (count > 0) { kinds[x].push_back({k == 0 ? 0 : last, count, summed}); }
        }
        if (summed) { kinds[x].push_back({last, 1, false}); }
    }
    contraction_step step;
    for (const kind& b : kinds[0]) {
        for (const kind& k : kinds[1]) {
            for (const kind& m : kinds[2]) {
                for (const kind& n : kinds[3]) {
                    step.block = {b.block, k.block, m.block, n.block};
                    step.keep = k.keep;
                    step.accumulate = kinds[1].size() > 1 && !k.keep;
                    f(step, b.count * k.count * m.count * n.count);
                }
            }
        }
    }
}

struct priced {
    mapping_choice choice;
    std::uint64_t total = 0; // cycles of the whole plan
    double pj = 0;           // ... energy (plan_pj)
};

// What the engines take.
priced engines_of(const contraction_plan& plan, std::uint64_t sample, fetta::counts& counts)
{
    priced p;
    p.choice = plan.choice;
    p.choice.conflict_cycles = p.choice.reorder_cycles = 0;
    const auto& g = plan.limits;
    for_each_kind(plan, [&](const contraction_step& step, std::uint64_t count) {
        const auto command = plan.command(step);
        auto of_one = fetta::contract_counts(command, g);
        p.total += count * fetta::ideal_cycles(command, g).total();
        if (plan.layout == tensor_layout::conflicted) {
            fetta::linear_accesses accesses(command, g);
            const auto found = accesses.estimate(sample);
            count_linear(found, command, g, of_one);
            p.choice.conflict_cycles += count * found.conflict_cycles;
        }
        for (std::size_t e = 0; e < fetta::event_count; ++e) { counts.data()[e] += count * of_one.data()[e]; }
    });
    p.total += p.choice.conflict_cycles;
    return p;
}

struct order_costs {
    double cycles = 0;
    plan_traffic traffic;
    fetta::counts counts;

    void add(const permutation_plan& p, std::uint64_t count)
    {
        cycles += static_cast<double>(count) * p.cycles;
        for (std::uint64_t plan_traffic::*field :
             {&plan_traffic::loaded, &plan_traffic::stored, &plan_traffic::read, &plan_traffic::written}) {
            traffic.*field += count * (p.traffic.*field);
        }
        for (std::size_t e = 0; e < fetta::event_count; ++e) { counts.data()[e] += count * p.counts.data()[e]; }
    }
};

std::uint64_t blocks_of_result(const contraction_plan& plan)
{
    std::uint64_t blocks = 1;
    for (unsigned x = 0; x < contraction_indices; ++x) {
        const bool used = has_index(contraction_tensor::c, static_cast<contraction_index>(x));
        blocks *= used ? plan.index[x].blocks() : 1;
    }
    return blocks;
}

// offchip: permutations, in programs of their own. Blocks of the result are taken for as large as the first.
order_costs order_of(const contraction_plan& plan, permutation_planner& permutations)
{
    order_costs sum;
    for (const auto t : {contraction_tensor::a, contraction_tensor::b}) {
        if (!own_view(plan, t)) { sum.add(permutations.plan(plan.type_of(t), ordered_modes(plan, t)), 1); }
    }
    const auto c = contraction_tensor::c;
    if (own_view(plan, c)) { return sum; }
    sum.add(permutations.plan(plan.type_of(c), order_of_block(plan, {}).modes), blocks_of_result(plan));
    return sum;
}

// LOADs and STOREs beside the engines, each block moved so often.
struct transfer_costs {
    double all = 0;
    double short_runs = 0; // of them, because a tensor does not lie in one run
    plan_traffic traffic;
};

transfer_costs transfers_of(const contraction_plan& plan, const moves& moved, const memory_estimate& memory)
{
    transfer_costs sum;
    for (const auto t : all_tensors) {
        const auto of_block = accesses_of_block(plan, t);
        const auto times = static_cast<double>(moved[at(t)]);
        const std::uint64_t bytes = plan.image(t, {}).elements() * base::element_bytes(plan.type_of(t));
        const double cycles = memory.cycles(bytes, of_block);
        sum.all += times * cycles;
        sum.short_runs += times * (cycles - memory.cycles(bytes, {}));
        const bool loads = t != contraction_tensor::c;
        (loads ? sum.traffic.loaded : sum.traffic.stored) += moved[at(t)] * bytes;
        (loads ? sum.traffic.read : sum.traffic.written) += moved[at(t)] * memory.charged_bytes(bytes, of_block);
    }
    return sum;
}

// A plan without its blocks yet: what differs between mappings.
priced priced_whole(const contraction_plan& plan, const contraction_settings& settings, const moves& moved,
                    permutation_planner& permutations)
{
    fetta::counts counts;
    priced p = engines_of(plan, first_sample, counts);
    plan_traffic traffic;
    if (plan.layout == tensor_layout::offchip) {
        const auto engines = static_cast<double>(p.total);
        const auto transfers = transfers_of(plan, moved, settings.memory);
        const auto order = order_of(plan, permutations);
        counts += order.counts;
        const bool overlaps = settings.overlap && (plan.commands > 1 || engines > settings.memory.small_work_cycles());
        const double together = overlaps ? std::max(transfers.all, engines) : transfers.all + engines;
        p.total = static_cast<std::uint64_t>(together + order.cycles);
        traffic = transfers.traffic + order.traffic;
    }
    p.pj = plan_pj(plan, settings, counts, traffic, p.total);
    return p;
}

// A plan as it will run.
priced priced_plan(const contraction_plan& plan, const contraction_settings& settings, plan_traffic traffic,
                   permutation_planner& permutations)
{
    fetta::counts counts;
    priced p = engines_of(plan, last_sample, counts);
    p.total = plan.estimated_cycles + p.choice.conflict_cycles;
    if (plan.layout == tensor_layout::offchip) {
        const auto order = order_of(plan, permutations);
        counts += order.counts;
        const auto transfers = transfers_of(plan, moves_of(plan), settings.memory);
        p.total += static_cast<std::uint64_t>(order.cycles);
        p.choice.reorder_cycles = static_cast<std::uint64_t>(order.cycles + transfers.short_runs);
        traffic = traffic + order.traffic;
    }
    p.pj = plan_pj(plan, settings, counts, traffic, p.total);
    return p;
}

bool is_better(const priced& x, const priced& than, mapping_objective objective)
{
    if (objective != mapping_objective::latency) {
        const auto value = [&](const priced& p) {
            return objective == mapping_objective::energy ? p.pj : p.pj * static_cast<double>(p.total);
        };
        if (value(x) != value(than)) { return value(x) < value(than); }
    }
    if (x.total != than.total) { return x.total < than.total; }
    return x.pj < than.pj;
}

constexpr mapping_objective objectives[] = {mapping_objective::latency, mapping_objective::energy,
                                            mapping_objective::edp};

bool is_same(const mapping_choice& x, const mapping_choice& y) { return x.mapping == y.mapping && x.split == y.split; }

bool is_same_work(const contraction_plan& x, const contraction_plan& y)
{
    const auto same_blocks = [](const flat_index& a, const flat_index& b) {
        return a.blocks() == b.blocks() && a.block(0).size == b.block(0).size;
    };
    return is_same(x.choice, y.choice) && x.b_free_outside == y.b_free_outside && x.slots == y.slots &&
           std::equal(x.index.begin(), x.index.end(), y.index.begin(), same_blocks);
}

// The plans, as places in `found`: the best by the objective, then the best others by each objective in turn. The first
// few are the same ones for every objective.
std::vector<std::size_t> ranked_in_turn(const std::vector<priced>& found, mapping_objective objective)
{
    std::array<std::vector<std::size_t>, std::size(objectives)> ranks;
    for (std::size_t o = 0; o < ranks.size(); ++o) {
        ranks[o].resize(found.size());
        std::iota(ranks[o].begin(), ranks[o].end(), std::size_t{0});
        std::stable_sort(ranks[o].begin(), ranks[o].end(),
                         [&](auto x, auto y) { return is_better(found[x], found[y], objectives[o]); });
    }
    std::vector<std::size_t> in_turn;
    const auto add = [&](std::size_t p) {
        if (std::find(in_turn.begin(), in_turn.end(), p) == in_turn.end()) { in_turn.push_back(p); }
    };
    for (std::size_t place = 0; place < found.size(); ++place) {
        for (const auto& rank : ranks) { add(rank[place]); }
    }
    const std::size_t best = ranks[static_cast<std::size_t>(objective)].front();
    std::rotate(in_turn.begin(), std::find(in_turn.begin(), in_turn.end(), best),
                std::find(in_turn.begin(), in_turn.end(), best) + 1);
    return in_turn;
}

// What differs between objectives is nothing but which of these wins.
std::vector<mapping_choice> finalists_of(const contraction_plan& whole, const contraction_settings& settings,
                                         permutation_planner& permutations)
{
    flat_extents extents;
    std::uint64_t* const extent[] = {&extents.batch, &extents.contracted, &extents.a_free, &extents.b_free};
    for (unsigned x = 0; x < contraction_indices; ++x) { *extent[x] = whole.index[x].block(0).size; }
    auto all = mapping_candidates(extents, whole.limits, settings.costs, settings.request);
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.cycles < y.cycles; });

    contraction_plan plan = whole;
    for (const auto& index : plan.index) { plan.commands *= index.blocks(); }
    const moves moved = moves_of(plan);
    std::array<std::vector<priced>, std::size(objectives)> best;
    for (const mapping_choice& choice : all) {
        plan.choice = choice;
        const priced next = priced_whole(plan, settings, moved, permutations);
        for (std::size_t o = 0; o < best.size(); ++o) {
            const auto place = std::find_if(best[o].begin(), best[o].end(),
                                            [&](const priced& p) { return is_better(next, p, objectives[o]); });
            if (best[o].size() == most_finalists && place == best[o].end()) { continue; }
            best[o].insert(place, next);
            if (best[o].size() > most_finalists) { best[o].pop_back(); }
        }
    }
    std::vector<mapping_choice> finalists;
    const auto add = [&finalists](const mapping_choice& choice) {
        const bool is_new = std::none_of(finalists.begin(), finalists.end(),
                                         [&](const mapping_choice& f) { return is_same(f, choice); });
        if (is_new) { finalists.push_back(choice); }
    };
    for (std::size_t o = 0; o < best.size(); ++o) {
        for (const priced& p : best[o]) { add(p.choice); }
        mapping_request request = settings.request;
        request.objective = objectives[o];
        add(search_mapping(extents, whole.limits, settings.costs, request));
    }
    return finalists;
}

} // namespace

std::vector<contraction_plan> choose_mappings(const contraction_plan& whole, const contraction_settings& settings)
{
    permutation_planner permutations(whole.limits, reordering_of(settings));
    std::vector<priced> found;
    std::vector<contraction_plan> plans;
    for (const mapping_choice& finalist : finalists_of(whole, settings, permutations)) {
        contraction_plan of_choice = whole;
        of_choice.choice = finalist;
        for (const blocked_plan& blocked : choose_blocks(of_choice, settings)) {
            if (std::any_of(plans.begin(), plans.end(),
                            [&](const contraction_plan& p) { return is_same_work(p, blocked.plan); })) {
                continue;
            }
            found.push_back(priced_plan(blocked.plan, settings, blocked.traffic, permutations));
            plans.push_back(blocked.plan);
            plans.back().choice = found.back().choice;
            plans.back().estimated_cycles = found.back().total;
            plans.back().estimated_pj = found.back().pj;
        }
    }
    std::vector<contraction_plan> ranked;
    for (const std::size_t p : ranked_in_turn(found, settings.request.objective)) {
        ranked.push_back(std::move(plans[p]));
    }
    return ranked;
}

} // namespace tensorloom::workloads
