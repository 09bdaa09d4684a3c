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
using indices = std::array<flat_index, contraction_indices>;

// Of the estimate alone.
constexpr std::uint64_t contract_bytes = isa::command_header::encoded_bytes + contract_command::payload_bytes;
constexpr std::uint64_t transfer_bytes = isa::command_header::encoded_bytes + isa::transfer_command::payload_bytes;

// Calls f(extents, how many blocks are so) for every kind of block, the largest first.
template <class F> void for_each_kind(const indices& index, const std::array<bool, contraction_indices>& used, F f)
{
    static const std::vector<flat_index::kind> one{{1, 1}};
    std::array<std::vector<flat_index::kind>, contraction_indices> kinds;
    for (unsigned x = 0; x < contraction_indices; ++x) { kinds[x] = used[x] ? index[x].kinds() : one; }
    for (const auto& b : kinds[0]) {
        for (const auto& k : kinds[1]) {
            for (const auto& m : kinds[2]) {
                for (const auto& n : kinds[3]) {
                    f(flat_extents{b.size, k.size, m.size, n.size}, b.count * k.count * m.count * n.count);
                }
            }
        }
    }
}

struct tensor_need {
    std::uint64_t largest = 0; // bytes of the unified memory
    std::uint64_t moved = 0;   // bytes of all blocks, each once
};

class blocking_search {
public:
    blocking_search(const contraction_plan& plan, const contraction_settings& settings)
        : m_plan(plan), m_trial(plan), m_settings(settings), m_memory(settings.memory), m_overlap(settings.overlap)
    {}

    // The best by each objective.
    std::vector<blocked_plan> search()
    {
        const indices whole = m_plan.index;
        const auto one = blocking_of(whole, false, 1);
        const bool small = one && one->commands == 1 &&
                           (!m_overlap || static_cast<double>(one->estimate) <= m_settings.memory.small_work_cycles());
        if (small) { return {taken(whole, false, 1)}; }
        std::array<std::vector<flat_index>, contraction_indices> cuts;
        const auto granules = granules_of_tiles();
        for (unsigned x = 0; x < contraction_indices; ++x) { cuts[x] = cuts_of(whole[x], granules[x]); }
        std::vector<candidate> found;
        for (std::uint32_t b = 0; b < cuts[0].size(); ++b) {
            for (std::uint32_t k = 0; k < cuts[1].size(); ++k) {
                for (std::uint32_t m = 0; m < cuts[2].size(); ++m) {
                    for (std::uint32_t n = 0; n < cuts[3].size(); ++n) {
                        const indices index{cuts[0][b], cuts[1][k], cuts[2][m], cuts[3][n]};
                        const bool turned = index[2].blocks() > 1 && index[3].blocks() > 1;
                        for (const bool b_free_outside : {false, true}) {
                            if (b_free_outside && !turned) { continue; }
                            for (std::uint8_t places = 1; places <= most_places(); ++places) {
                                const auto next = blocking_of(index, b_free_outside, places);
                                if (!next) { continue; }
                                found.push_back({{b, k, m, n},
                                                 b_free_outside,
                                                 places,
                                                 next->estimate,
                                                 next->commands,
                                                 next->transfers,
                                                 next->pj});
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
        std::vector<blocked_plan> plans;
        for (const candidate* best : {fastest_of(found), thriftiest_of(found, 0), thriftiest_of(found, 1)}) {
            const auto& cut = best->cut;
            const indices index{cuts[0][cut[0]], cuts[1][cut[1]], cuts[2][cut[2]], cuts[3][cut[3]]};
            plans.push_back(taken(index, best->b_free_outside, best->places));
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
        std::array<std::uint32_t, contraction_indices> cut;
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

    blocked_plan taken(const indices& index, bool b_free_outside, std::uint8_t places)
    {
        m_on_average = true;
        blocking b = *blocking_of(index, b_free_outside, places);
        m_memory = m_settings.memory.without_refresh();
        const blocking unrefreshed = *blocking_of(index, b_free_outside, places);
        if (static_cast<double>(unrefreshed.estimate) < m_settings.memory.first_refresh_cycles) { b = unrefreshed; }
        m_memory = m_settings.memory;
        m_on_average = false;
        blocked_plan p{m_plan, b.traffic};
        p.plan.index = index;
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
        return contract_of(extents, m_plan.choice.mapping, m_plan.choice.split, m_plan.store_bf16);
    }

    tensor_need need_of(contraction_tensor t, const indices& index) const
    {
        const auto& g = m_plan.limits;
        const std::uint64_t element = base::element_bytes(m_plan.type_of(t));
        const std::uint64_t unit = std::uint64_t{4} * g.side * g.engines; // rows of float32 of all banks
        std::array<bool, contraction_indices> used{};
        for (unsigned x = 0; x < contraction_indices; ++x) {
            used[x] = has_index(t, static_cast<contraction_index>(x));
        }
        tensor_need need;
        for_each_kind(index, used, [&](const flat_extents& e, std::uint64_t count) {
            std::uint64_t bytes = e.batch * e.contracted * e.a_free * e.b_free * element;
            if (m_plan.layout != tensor_layout::conflicted) {
                const auto order =
                    m_plan.layout == tensor_layout::ideal ? position_order::dense : position_order::strided;
                bytes = image_of(command_of(e), g, m_plan.role_of(t), order).elements() * element;
            }
            need.largest = std::max(need.largest, (bytes + unit - 1) / unit * unit);
            need.moved += bytes * count;
        });
        return need;
    }

    // Nothing when it fits neither memory.
    std::optional<blocking> blocking_of(const indices& index, bool b_free_outside, std::uint8_t places)
    {
        // (1) Number of blocks along each index, and of each tensor.
        blocking result;
        result.b_free_outside = b_free_outside;
        const auto& g = m_plan.limits;
        std::array<std::uint64_t, contraction_indices> n{};
        for (unsigned x = 0; x < contraction_indices; ++x) { n[x] = index[x].blocks(); }
        const auto [batch, contracted, a_free, b_free] = n;

        // (2) Buffers in the memory; none where they do not fit.
        std::array<tensor_need, contraction_tensors> need;
        std::array<std::uint64_t, contraction_tensors> blocks{batch * contracted * a_free, batch * contracted * b_free,
                                                              batch * a_free * b_free};
        auto& slots = result.slots;
        for (const auto t : all_tensors) {
            need[at(t)] = need_of(t, index);
            slots[at(t)] = blocks[at(t)] > 1 ? places : std::uint8_t{1};
        }
        if (!place_slots(need, slots, result.place)) { return std::nullopt; }

        // (3) Cycles of the contraction unit; none where partial sums do not fit its accumulators.
        const std::uint64_t commands = result.commands = batch * contracted * a_free * b_free;
        std::uint64_t& tcu_cycles = result.tcu_cycles;
        bool sums_fit = true;
        for_each_kind(index, {true, true, true, true}, [&](const flat_extents& e, std::uint64_t count) {
            contract_command c = command_of(e);
            if (contracted > 1) {
                c.flags |= contract_command::flag_keep; // as accumulate: one piece
                sums_fit = sums_fit && fetta::rows_of_sums(c, g) <= g.accumulator_rows();
            }
            tcu_cycles += count * fetta::ideal_cycles(c, g).total();
        });
        tcu_cycles = m_settings.array_cycles.value_or(tcu_cycles);
        const auto counts = counts_of(index);
        if (!sums_fit) { return std::nullopt; }

        // (4) How often each block of A and of B is loaded: a block that the inner loops need again is still present if
        // the buffers hold all blocks.
        const auto outside = b_free_outside ? contraction_tensor::b : contraction_tensor::a;
        const auto inside = b_free_outside ? contraction_tensor::a : contraction_tensor::b;
        const std::uint64_t outer = b_free_outside ? b_free : a_free, inner = b_free_outside ? a_free : b_free;
        std::array<std::uint64_t, contraction_tensors> times{1, 1, 1};
        if (contracted > slots[at(outside)]) { times[at(outside)] = inner; }
        if (inner * contracted > slots[at(inside)]) { times[at(inside)] = outer; }
        // (5) Traffic and memory cycles of the tensors and of the commands.
        auto& traffic = result.traffic;
        const auto& pipe = m_memory;
        std::uint64_t bytes = 0;
        memory_accesses accesses{0, 0, 0};
        m_trial.index = index;
        for (const auto t : all_tensors) {
            const auto of_block = accesses_of_block(m_trial, t);
            const std::uint64_t moved = need[at(t)].moved * times[at(t)];
            const auto of_all = blocks[at(t)] * times[at(t)] * of_block;
            const bool loads = t != contraction_tensor::c;
            (loads ? traffic.loaded : traffic.stored) += moved;
            (loads ? traffic.read : traffic.written) += pipe.charged_bytes(moved, of_all);
            bytes += moved;
            accesses += of_all;
            m_block_cycles[at(t)] =
                pipe.cycles(m_on_average ? need[at(t)].moved / blocks[at(t)] : need[at(t)].largest, of_block);
        }
        result.transfers = accesses.transfers;
        const std::uint64_t of_commands = commands * contract_bytes + accesses.transfers * transfer_bytes;
        traffic.read += of_commands;
        // (6) Estimated cycles, with transfers overlapped where buffers allow it, and energy.
        const double fetch = pipe.cycles(of_commands, {});
        const double memory = fetch + pipe.cycles(bytes, accesses);
        const double engines = static_cast<double>(tcu_cycles);
        const bool overlaps = places > 1 && commands > 1;
        result.estimate = static_cast<std::uint64_t>(overlaps ? fetch + overlapped(result, engines) : memory + engines);
        result.pj = plan_pj(m_plan, m_settings, counts, traffic, result.estimate);
        return result;
    }

    // Of transfers and CONTRACTs in the order of the program, in which a CONTRACT runs beside the STORE of the result
    // before it and the LOADs for the one behind it. The first steps stand for all.
    double overlapped(const blocking& b, double engines)
    {
        constexpr std::uint64_t most_looked_at = 256;
        m_trial.b_free_outside = b.b_free_outside;
        m_trial.slots = b.slots;
        m_trial.commands = b.commands;
        const auto steps = m_trial.steps(most_looked_at);
        const auto loads = [&](std::size_t s) {
            return (steps[s].load_a ? m_block_cycles[0] : 0) + (steps[s].load_b ? m_block_cycles[1] : 0);
        };
        const double contract = engines / static_cast<double>(b.commands);
        double sum = 0, stored = 0;
        for (std::size_t s = 0; s < steps.size(); ++s) {
            sum += std::max(contract, stored + (s + 1 < steps.size() ? loads(s + 1) : 0));
            stored = steps[s].keep ? 0 : m_block_cycles[2];
        }
        const double all = static_cast<double>(b.commands) / static_cast<double>(steps.size());
        return m_block_cycles[0] + m_block_cycles[1] + all * sum + m_block_cycles[2];
    }

    // Of all CONTRACTs, operands banked. Where the contracted index is cut, the last block alone writes results.
    fetta::counts counts_of(const indices& index) const
    {
        fetta::counts sum;
        const auto add = [&](const contract_command& c, std::uint64_t count) {
            if (count == 0) { return; }
            const auto of_one = fetta::contract_counts(c, m_plan.limits);
            for (std::size_t e = 0; e < fetta::event_count; ++e) { sum.data()[e] += count * of_one.data()[e]; }
        };
        const flat_index& summed = index[at(contraction_index::contracted)];
        const std::uint64_t last = summed.block(static_cast<std::uint32_t>(summed.blocks() - 1)).size;
        for_each_kind(index, {true, false, true, true}, [&](flat_extents e, std::uint64_t count) {
            e.contracted = last;
            add(command_of(e), count);
            for (const auto& k : summed.kinds()) {
                e.contracted = k.size;
                contract_command c = command_of(e);
                c.flags |= contract_command::flag_keep;
                add(c, count * (k.count - (k.size == last ? 1 : 0)));
            }
        });
        return sum;
    }

    // First places from the start of the memory, second ones from its second half where both halves have room.
    bool place_slots(const std::array<tensor_need, contraction_tensors>& need,
                     const std::array<std::uint8_t, contraction_tensors>& slots,
                     std::array<std::array<std::uint64_t, 2>, contraction_tensors>& place) const
    {
        std::uint64_t first = 0, second = 0;
        for (const auto t : all_tensors) {
            place[at(t)][0] = first;
            first += need[at(t)].largest;
            if (slots[at(t)] == 2) { second += need[at(t)].largest; }
        }
        const std::uint64_t half = m_plan.limits.memory_bytes() / 2;
        std::uint64_t next = first <= half && second <= half ? half : first;
        for (const auto t : all_tensors) {
            place[at(t)][1] = next;
            if (slots[at(t)] == 2) { next += need[at(t)].largest; }
        }
        return next <= m_plan.limits.memory_bytes();
    }

    const contraction_plan& m_plan;
    contraction_plan m_trial; // with the indices that are looked at
    const contraction_settings& m_settings;
    memory_estimate m_memory;
    bool m_on_average = false; // blocks of a tensor are taken for as large as on average, or as the largest
    bool m_overlap;
    std::array<double, contraction_tensors> m_block_cycles{}; // to move the largest block of a tensor
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
