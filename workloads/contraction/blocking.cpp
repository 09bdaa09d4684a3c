#include <tensorloom/workloads/contraction/plan_search.h>
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/contraction/block_transfers.h>

namespace tensorloom::workloads {

double plan_pj(const contraction_plan& plan, const contraction_settings& settings, const fetta::counts& of_contracts,
               const plan_traffic& traffic, std::uint64_t cycles)
{
    using fetta::event;
    const std::uint64_t row = plan.limits.row_bytes(base::element_type::bf16);
    fetta::counts counts = of_contracts;
    counts[event::load_row] += (traffic.loaded + row - 1) / row;
    counts[event::store_row] += (traffic.stored + row - 1) / row;
    const auto& memory = settings.memory;
    return settings.costs.pj(counts, cycles) + memory.pj_per_cycle * static_cast<double>(cycles) +
           memory.read_pj_per_byte * static_cast<double>(traffic.read) +
           memory.write_pj_per_byte * static_cast<double>(traffic.written);
}

namespace {

using fetta::contract_command;

constexpr std::uint64_t most_few_commands = 32;

// Of the estimate alone.
constexpr std::uint64_t contract_bytes = isa::command_header::encoded_bytes + contract_command::payload_bytes;
constexpr std::uint64_t transfer_bytes = isa::command_header::encoded_bytes + isa::transfer_command::payload_bytes;

// A division of an index: what the search asks of it for every combination.
struct index_cut {
    flat_index index;
    std::uint64_t blocks;
    std::vector<flat_index::kind> kinds;
};
using cuts = std::array<const index_cut*, contraction_indices>;

// Calls f(extents, how many blocks are so) for every kind of block, the largest first.
template <class F> void for_each_kind(const cuts& cut, const std::array<bool, contraction_indices>& used, F f)
{
    static const std::vector<flat_index::kind> one{{1, 1}};
    const auto kinds = [&](unsigned x) -> const auto& { return used[x] ? cut[x]->kinds : one; };
    for (const auto& b : kinds(0)) {
        for (const auto& k : kinds(1)) {
            for (const auto& m : kinds(2)) {
                for (const auto& n : kinds(3)) {
                    f(flat_extents{b.size, k.size, m.size, n.size}, b.count * k.count * m.count * n.count);
                }
            }
        }
    }
}

// Blocks of a tensor in the unified memory, and the accesses to move the first.
struct tensor_blocks {
    std::uint64_t largest = 0; // bytes
    std::uint64_t moved = 0;   // bytes of all blocks, each once
    memory_accesses of_block;
};

// All CONTRACTs.
struct contract_work {
    std::uint64_t cycles = 0;
    bool sums_fit = true; // into the accumulators
    fetta::counts counts;
};

// The blocks of a tensor by the cuts of its indices: computed once for all cuts of the index that it does not have.
class blocks_by_cut {
public:
    blocks_by_cut(const std::array<std::vector<index_cut>, contraction_indices>& all, contraction_tensor tensor)
        : m_all(all), m_used(indices_of_tensor(tensor))
    {
        std::size_t combinations = 1;
        for (unsigned x = 0; x < contraction_indices; ++x) { combinations *= m_used[x] ? all[x].size() : 1; }
        m_found.resize(combinations);
    }

    const std::array<bool, contraction_indices>& used() const { return m_used; }

    template <class F> const tensor_blocks& of(const cuts& cut, F compute)
    {
        std::size_t at = 0;
        for (unsigned x = 0; x < contraction_indices; ++x) {
            if (m_used[x]) { at = at * m_all[x].size() + static_cast<std::size_t>(cut[x] - m_all[x].data()); }
        }
        if (!m_found[at]) { m_found[at] = compute(); }
        return *m_found[at];
    }

private:
    static std::array<bool, contraction_indices> indices_of_tensor(contraction_tensor t)
    {
        std::array<bool, contraction_indices> used{};
        for (const auto x : all_indices) { used[at(x)] = has_index(t, x); }
        return used;
    }

    const std::array<std::vector<index_cut>, contraction_indices>& m_all;
    std::array<bool, contraction_indices> m_used;
    std::vector<std::optional<tensor_blocks>> m_found;
};

// Transfers and CONTRACTs in the order of the program, in which a CONTRACT runs beside the STORE of the result before
// it and the LOADs for the one after it. Loops from outer to inner: batch, `outer`, `inner`, `contracted` blocks. The
// operand without the inner index is `outside`, the other one `inside`; `again`: a block is gone when it is needed in
// the next iteration of the loop that it does not depend on.
struct overlapped_loops {
    std::uint64_t outer, inner, contracted;
    bool outside_again, inside_again;
    double outside_cycles, inside_cycles, result_cycles; // to move a block

    // The first steps stand for all.
    double cycles(std::uint64_t commands, double engines) const
    {
        constexpr std::uint64_t most_looked_at = 256;
        const std::uint64_t looked_at = std::min(commands, most_looked_at);
        const double contract = engines / static_cast<double>(commands);
        double sum = 0, stored = 0;
        const auto add = [&](double loads) { sum += std::max(contract, stored + loads); };
        std::uint64_t i = 0, o = 0;
        double loads = outside_cycles + inside_cycles;
        for (std::uint64_t left = looked_at;;) {
            for (std::uint64_t k = 1; k < contracted && left > 1; ++k, --left) {
                add(loads);
                stored = 0;
            }
            if (left == 1) { break; }
            if (++i == inner) {
                i = 0;
                if (++o == outer) { o = 0; }
            }
            loads = (i == 0 || outside_again ? outside_cycles : 0) + (o == 0 || inside_again ? inside_cycles : 0);
            add(loads);
            stored = result_cycles;
            --left;
        }
        add(0); // nothing is looked at after it
        const double all = static_cast<double>(commands) / static_cast<double>(looked_at);
        return outside_cycles + inside_cycles + all * sum + result_cycles;
    }
};

class blocking_search {
public:
    blocking_search(const contraction_plan& plan, const contraction_settings& settings)
        : m_plan(plan), m_trial(plan), m_settings(settings), m_memory(settings.memory), m_overlap(settings.overlap)
    {
        const auto granules = granules_of_tiles();
        for (unsigned x = 0; x < contraction_indices; ++x) {
            for (const flat_index& index : cuts_of(plan.index[x], granules[x])) {
                m_cuts[x].push_back({index, index.blocks(), index.kinds()});
            }
        }
        for (const auto t : all_tensors) { m_blocks.emplace_back(m_cuts, t); }
    }

    // The best by each objective, and the fastest of few commands.
    std::vector<blocked_plan> search()
    {
        const cuts whole{m_cuts[0].data(), m_cuts[1].data(), m_cuts[2].data(), m_cuts[3].data()};
        const auto one = blocking_of(whole, false, 1);
        const bool small = one && one->commands == 1 &&
                           (!m_overlap || static_cast<double>(one->estimate) <= m_settings.memory.small_work_cycles());
        if (small) { return {taken(whole, false, 1)}; }
        std::vector<candidate> found;
        for (const index_cut& b : m_cuts[0]) {
            for (const index_cut& k : m_cuts[1]) {
                for (const index_cut& m : m_cuts[2]) {
                    for (const index_cut& n : m_cuts[3]) {
                        const cuts cut{&b, &k, &m, &n};
                        const bool turned = m.blocks > 1 && n.blocks > 1;
                        for (const bool b_free_outside : {false, true}) {
                            if (b_free_outside && !turned) { continue; }
                            for (std::uint8_t places = 1; places <= most_places(); ++places) {
                                const auto next = blocking_of(cut, b_free_outside, places);
                                if (!next) { continue; }
                                found.push_back({cut, b_free_outside, places, next->estimate, next->commands,
                                                 next->transfers, next->pj});
                            }
                        }
                    }
                }
            }
        }
        if (found.empty()) { throw std::logic_error("not even single elements fit into the unified memory"); }
        const auto too_many =
            std::stable_partition(found.begin(), found.end(), [](const candidate& c) { return c.fits_programs(); });
        if (too_many != found.begin()) { found.erase(too_many, found.end()); }
        std::vector<const candidate*> best{fastest_of(found), thriftiest_of(found, 0), thriftiest_of(found, 1)};
        for (std::uint64_t commands = 1; commands <= most_few_commands; commands *= 2) {
            if (const candidate* of_few = fastest_of_few(found, commands)) { best.push_back(of_few); }
        }
        std::vector<blocked_plan> plans;
        for (auto c = best.begin(); c != best.end(); ++c) {
            if (std::find(best.begin(), c, *c) == c) {
                plans.push_back(taken((*c)->cut, (*c)->b_free_outside, (*c)->places));
            }
        }
        return plans;
    }

private:
    struct blocking {
        bool b_free_outside = false;
        std::array<std::uint8_t, contraction_tensors> slots{};
        std::array<std::array<std::uint64_t, 2>, contraction_tensors> place{};
        std::uint64_t commands = 1, transfers = 0, tcu_cycles = 0, estimate = 0;
        plan_traffic traffic;
        double pj = 0;
    };
    struct candidate {
        cuts cut;
        bool b_free_outside;
        std::uint8_t places;
        std::uint64_t estimate, commands, transfers;
        double pj;

        bool fits_programs() const { return commands + transfers <= max_plan_commands; }
    };

    // Of a tensor of several blocks. One leaves room for larger blocks: fewer short runs, fewer loads.
    std::uint8_t most_places() const { return m_overlap ? 2 : 1; }

    // The least energy x cycles^power.
    static const candidate* thriftiest_of(const std::vector<candidate>& found, int power)
    {
        const auto value = [power](const candidate& c) {
            return power == 0 ? c.pj : c.pj * static_cast<double>(c.estimate);
        };
        return &*std::min_element(found.begin(), found.end(), [&](const candidate& x, const candidate& y) {
            return value(x) != value(y) ? value(x) < value(y) : x.estimate < y.estimate;
        });
    }

    // Of those that are about as fast as the fastest (without overlap: of all) the one with the fewest commands; then
    // the fastest, then the first.
    const candidate* fastest_of(const std::vector<candidate>& found) const
    {
        constexpr double about_as_fast = 1.005;
        const auto fastest = std::min_element(
            found.begin(), found.end(), [](const candidate& x, const candidate& y) { return x.estimate < y.estimate; });
        const double limit = static_cast<double>(fastest->estimate) * about_as_fast;
        const candidate* best = &*fastest;
        for (const candidate& c : found) {
            if (m_overlap && static_cast<double>(c.estimate) > limit) { continue; }
            const bool better =
                c.commands != best->commands ? c.commands < best->commands : c.estimate < best->estimate;
            if (better) { best = &c; }
        }
        return best;
    }

    // The fastest of at most so many CONTRACTs, if there are any.
    static const candidate* fastest_of_few(const std::vector<candidate>& found, std::uint64_t commands)
    {
        const candidate* best = nullptr;
        for (const candidate& c : found) {
            if (c.commands <= commands && (best == nullptr || c.estimate < best->estimate)) { best = &c; }
        }
        return best;
    }

    blocked_plan taken(const cuts& cut, bool b_free_outside, std::uint8_t places)
    {
        m_on_average = true;
        blocking b = *blocking_of(cut, b_free_outside, places);
        m_memory = m_settings.memory.without_refresh();
        const blocking unrefreshed = *blocking_of(cut, b_free_outside, places);
        if (static_cast<double>(unrefreshed.estimate) < m_settings.memory.first_refresh_cycles) { b = unrefreshed; }
        m_memory = m_settings.memory;
        m_on_average = false;
        blocked_plan p{m_plan, b.traffic};
        p.plan.index = {cut[0]->index, cut[1]->index, cut[2]->index, cut[3]->index};
        p.plan.b_free_outside = b.b_free_outside;
        p.plan.slots = b.slots;
        p.plan.place = b.place;
        p.plan.commands = b.commands;
        p.plan.tcu_cycles = b.tcu_cycles;
        p.plan.transfers = b.transfers;
        p.plan.transferred_bytes = b.traffic.loaded + b.traffic.stored;
        p.plan.estimated_cycles = b.estimate;
        p.plan.estimated_pj = b.pj;
        return p;
    }

    // Flat indices that a tile takes, over all engines.
    std::array<std::uint64_t, contraction_indices> granules_of_tiles() const
    {
        const auto& split = m_plan.choice.split;
        const std::uint64_t side = m_plan.limits.side;
        const bool os = is_output_stationary(m_plan.choice.mapping);
        const std::uint64_t ia = split.ia_free * (os ? side : 1), ib = split.ib_free * side;
        const bool swapped = has_x_in_ib(m_plan.choice.mapping);
        return {split.batch, split.contracted * (os ? 1 : side), swapped ? ib : ia, swapped ? ia : ib};
    }

    contract_command command_of(const flat_extents& extents) const
    {
        auto c = contract_of(extents, m_plan.choice.mapping, m_plan.choice.split, m_plan.store_bf16);
        if (m_plan.layout == tensor_layout::conflicted) {
            c.flags |= contract_command::flag_linear_ia | contract_command::flag_linear_ib |
                       contract_command::flag_linear_result;
        }
        return c;
    }

    const tensor_blocks& blocks_of(contraction_tensor t, const cuts& cut)
    {
        blocks_by_cut& known = m_blocks[at(t)];
        return known.of(cut, [&] {
            const auto& g = m_plan.limits;
            const std::uint64_t element = base::element_bytes(m_plan.type_of(t));
            const std::uint64_t unit = std::uint64_t{4} * g.side * g.engines; // rows of float32 of all banks
            tensor_blocks found;
            for_each_kind(cut, known.used(), [&](const flat_extents& e, std::uint64_t count) {
                std::uint64_t bytes = e.batch * e.contracted * e.a_free * e.b_free * element;
                if (m_plan.layout != tensor_layout::conflicted) {
                    const auto order =
                        m_plan.layout == tensor_layout::ideal ? position_order::dense : position_order::strided;
                    bytes = image_of(command_of(e), g, m_plan.role_of(t), order).elements() * element;
                }
                found.largest = std::max(found.largest, (bytes + unit - 1) / unit * unit);
                found.moved += bytes * count;
            });
            for (unsigned x = 0; x < contraction_indices; ++x) { m_trial.index[x] = cut[x]->index; }
            found.of_block = accesses_of_block(m_trial, t);
            return found;
        });
    }

    // Of one combination of cuts at a time: the search asks for its variants one after the other.
    const contract_work& work_of(const cuts& cut)
    {
        if (cut == m_work_of) { return m_work; }
        m_work_of = cut;
        m_work = {};
        const auto& g = m_plan.limits;
        for_each_kind(cut, {true, true, true, true}, [&](const flat_extents& e, std::uint64_t count) {
            contract_command c = command_of(e);
            if (cut[1]->blocks > 1) {
                c.flags |= contract_command::flag_keep; // as accumulate: one piece
                m_work.sums_fit = m_work.sums_fit && fetta::rows_of_sums(c, g) <= g.accumulator_rows();
            }
            m_work.cycles += count * fetta::ideal_cycles(c, g).total();
        });
        if (cut[1]->blocks > 1 && m_plan.layout == tensor_layout::conflicted) { // the last of a chain is scattered
            m_work.cycles += cut[0]->blocks * cut[2]->blocks * cut[3]->blocks * g.buffer_cycles;
        }
        if (m_work.sums_fit) { m_work.counts = counts_of(cut); }
        return m_work;
    }

    // Nothing when it fits neither memory.
    std::optional<blocking> blocking_of(const cuts& cut, bool b_free_outside, std::uint8_t places)
    {
        // (1) Number of blocks along each index, and of each tensor.
        blocking result;
        result.b_free_outside = b_free_outside;
        const std::uint64_t batch = cut[0]->blocks, contracted = cut[1]->blocks;
        const std::uint64_t a_free = cut[2]->blocks, b_free = cut[3]->blocks;

        // (2) Buffers in the memory; none where they do not fit.
        std::array<const tensor_blocks*, contraction_tensors> need{};
        std::array<std::uint64_t, contraction_tensors> blocks{batch * contracted * a_free, batch * contracted * b_free,
                                                              batch * a_free * b_free};
        auto& slots = result.slots;
        for (const auto t : all_tensors) {
            need[at(t)] = &blocks_of(t, cut);
            slots[at(t)] = blocks[at(t)] > 1 ? places : std::uint8_t{1};
        }
        if (!place_slots(need, slots, result.place)) { return std::nullopt; }

        // (3) Cycles of the contraction unit; none where partial sums do not fit its accumulators.
        const std::uint64_t commands = result.commands = batch * contracted * a_free * b_free;
        const contract_work& work = work_of(cut);
        if (!work.sums_fit) { return std::nullopt; }
        const std::uint64_t tcu_cycles = result.tcu_cycles = m_settings.array_cycles.value_or(work.cycles);

        // (4) How often each block of A and of B is loaded: a block that the inner loops need again is still present if
        // the buffers hold all blocks.
        const auto outside = b_free_outside ? contraction_tensor::b : contraction_tensor::a;
        const auto inside = b_free_outside ? contraction_tensor::a : contraction_tensor::b;
        const std::uint64_t outer = b_free_outside ? b_free : a_free, inner = b_free_outside ? a_free : b_free;
        const bool outside_again = contracted > slots[at(outside)];
        const bool inside_again = inner * contracted > slots[at(inside)];
        std::array<std::uint64_t, contraction_tensors> times{1, 1, 1};
        if (outside_again) { times[at(outside)] = inner; }
        if (inside_again) { times[at(inside)] = outer; }
        // (5) Traffic and memory cycles of the tensors and of the commands.
        auto& traffic = result.traffic;
        const auto& pipe = m_memory;
        std::uint64_t bytes = 0;
        memory_accesses accesses{0, 0, 0};
        std::array<double, contraction_tensors> block_cycles{}; // to move the largest block of a tensor
        for (const auto t : all_tensors) {
            const auto& [largest, all_bytes, of_block] = *need[at(t)];
            const std::uint64_t moved = all_bytes * times[at(t)];
            const auto of_all = blocks[at(t)] * times[at(t)] * of_block;
            const bool loads = t != contraction_tensor::c;
            (loads ? traffic.loaded : traffic.stored) += moved;
            (loads ? traffic.read : traffic.written) += pipe.charged_bytes(moved, of_all);
            bytes += moved;
            accesses += of_all;
            block_cycles[at(t)] = pipe.cycles(m_on_average ? all_bytes / blocks[at(t)] : largest, of_block);
        }
        result.transfers = accesses.transfers;
        const std::uint64_t of_commands = commands * contract_bytes + accesses.transfers * transfer_bytes;
        traffic.read += of_commands;
        // (6) Estimated cycles, with transfers overlapped where buffers allow it, and energy.
        const double fetch = pipe.cycles(of_commands, {});
        const double memory = fetch + pipe.cycles(bytes, accesses);
        const double engines = static_cast<double>(tcu_cycles);
        const bool overlaps = places > 1 && commands > 1;
        const overlapped_loops loops{outer,
                                     inner,
                                     contracted,
                                     outside_again,
                                     inside_again,
                                     block_cycles[at(outside)],
                                     block_cycles[at(inside)],
                                     block_cycles[at(contraction_tensor::c)]};
        result.estimate =
            static_cast<std::uint64_t>(overlaps ? fetch + loops.cycles(commands, engines) : memory + engines);
        result.pj = plan_pj(m_plan, m_settings, work.counts, traffic, result.estimate);
        return result;
    }

    // Of all CONTRACTs, operands banked. Where the contracted index is cut, the last block alone writes results.
    fetta::counts counts_of(const cuts& cut) const
    {
        fetta::counts sum;
        const auto add = [&](const contract_command& c, std::uint64_t count) {
            if (count == 0) { return; }
            const auto of_one = fetta::contract_counts(c, m_plan.limits);
            for (std::size_t e = 0; e < fetta::event_count; ++e) { sum.data()[e] += count * of_one.data()[e]; }
        };
        const index_cut& summed = *cut[at(contraction_index::contracted)];
        const std::uint64_t last = summed.index.block(summed.blocks - 1).size;
        for_each_kind(cut, {true, false, true, true}, [&](flat_extents e, std::uint64_t count) {
            e.contracted = last;
            add(command_of(e), count);
            for (const auto& k : summed.kinds) {
                e.contracted = k.size;
                contract_command c = command_of(e);
                c.flags |= contract_command::flag_keep;
                add(c, count * (k.count - (k.size == last ? 1 : 0)));
            }
        });
        return sum;
    }

    // First places from the start of the memory, second ones from its second half where both halves have room.
    bool place_slots(const std::array<const tensor_blocks*, contraction_tensors>& need,
                     const std::array<std::uint8_t, contraction_tensors>& slots,
                     std::array<std::array<std::uint64_t, 2>, contraction_tensors>& place) const
    {
        std::uint64_t first = 0, second = 0;
        for (const auto t : all_tensors) {
            place[at(t)][0] = first;
            first += need[at(t)]->largest;
            if (slots[at(t)] == 2) { second += need[at(t)]->largest; }
        }
        const std::uint64_t half = m_plan.limits.memory_bytes() / 2;
        std::uint64_t next = first <= half && second <= half ? half : first;
        for (const auto t : all_tensors) {
            place[at(t)][1] = next;
            if (slots[at(t)] == 2) { next += need[at(t)]->largest; }
        }
        return next <= m_plan.limits.memory_bytes();
    }

    const contraction_plan& m_plan;
    contraction_plan m_trial;                                       // with the indices that are looked at
    std::array<std::vector<index_cut>, contraction_indices> m_cuts; // the whole index first
    std::vector<blocks_by_cut> m_blocks;                            // by tensor
    cuts m_work_of{};
    contract_work m_work;
    const contraction_settings& m_settings;
    memory_estimate m_memory;
    bool m_on_average = false; // blocks of a tensor are taken for as large as on average, or as the largest
    bool m_overlap;
};

} // namespace

std::vector<blocked_plan> choose_blocks(const contraction_plan& plan, const contraction_settings& settings)
{
    return blocking_search(plan, settings).search();
}

blocked_plan blocked_contraction(const contraction& problem, const fetta::device_limits& g,
                                 const contraction_settings& settings)
{
    contraction_plan plan;
    plan.problem = problem;
    plan.limits = g;
    plan.store_bf16 = settings.request.store_bf16;
    for (unsigned x = 0; x < contraction_indices; ++x) {
        plan.index[x] = whole_index(problem, static_cast<contraction_index>(x), settings.flattening, true);
    }
    plan.choice = search_mapping({problem.extent(problem.batch), problem.extent(problem.contracted),
                                  problem.extent(problem.a_free), problem.extent(problem.b_free)},
                                 g, settings.costs, settings.request);
    return choose_blocks(plan, settings).front();
}

} // namespace tensorloom::workloads
