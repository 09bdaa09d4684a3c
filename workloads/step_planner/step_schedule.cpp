#include <tensorloom/workloads/step_planner/step_schedule.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tensorloom/workloads/step_planner/step_recomputation.h>
#include <tensorloom/workloads/step_planner/step_row_groups.h>
#include <tensorloom/workloads/step_planner/step_spills.h>

namespace tensorloom::workloads {
namespace {

// An item of a straight line of operations: one of them, or a loop of a layer.
struct line_item {
    operation_range range;
    step_unit unit = step_unit::engines; // of a loop that of its last command
    double cycles = 0;
    std::vector<std::size_t> reads, writes; // tensors

    bool is_loop() const { return range.first != range.last; }
    bool is_transfer() const { return !is_loop() && unit == step_unit::transfers; }
    bool is_store() const { return is_transfer() && writes.empty(); }
};

// How far the new order departs from the old one.
struct freedom {
    double slack = 0;          // most work ahead of which a load is issued, by the cycles of loads
    std::size_t window = 0;    // items after the oldest that is still to come among which the next one is chosen
    bool moves_work = false;   // of the engines, past that of the vector unit; else all work keeps its order
    bool loads_wait = true;    // for room that the last work leaves, by estimate
    bool urgent_first = false; // of transfers that can begin at the same time, else the first one
};

// List scheduling of each straight line: of the items whose operands are there, the one that begins first, and of
// these the one with the longest rest of the line after it.
class line_scheduler {
public:
    line_scheduler(const operation_list& step, const step_device& device, std::uint64_t room, const freedom& of)
        : m_step(step), m_device(device), m_room(static_cast<std::int64_t>(room)), m_freedom(of),
          m_wanted(lifetimes_of(step)), m_of_tensor(step.tensors.size())
    {}

    operation_list run()
    {
        auto result = m_step;
        result.operations.clear();
        std::size_t first = 0;
        const auto loops = loops_of(m_step);
        const auto flush = [&](std::size_t end) {
            for (const std::size_t o : order_of(first, end, loops)) {
                result.operations.push_back(m_step.operations[o]);
            }
        };
        for (std::size_t o = 0; o < m_step.operations.size(); ++o) {
            if (unit_of(m_step.operations[o]) != step_unit::none) { continue; }
            const auto* loop = std::get_if<loop_operation>(&m_step.operations[o].work);
            if (loop != nullptr && loop->kind == loop_kind::inner) {
                for (const auto& l : loops) {
                    if (l.range.first == o) { o = l.range.last; }
                }
                continue;
            }
            flush(o);
            result.operations.push_back(m_step.operations[o]);
            first = o + 1;
        }
        flush(m_step.operations.size());
        return result;
    }

private:
    // A tensor in the line.
    struct tensor_state {
        std::vector<std::size_t> uses; // items, in order
        std::size_t issued = 0;        // number of its uses that are
        bool is_live = false;          // it has its place
        bool stays = false;            // used after the line
        double ready = 0, read = 0;    // until when it is written, read
        std::optional<std::size_t> writer;
        std::vector<std::size_t> readers; // since then
    };

    struct array_use {
        std::size_t item = 0;
        bool writes = false;
    };

    std::int64_t bytes_of(std::size_t tensor) const
    {
        return static_cast<std::int64_t>(in_whole_blocks(m_wanted[tensor].bytes, m_device.limits));
    }

    std::vector<line_item> items_of(std::size_t first, std::size_t end, const std::vector<step_loop>& loops) const
    {
        std::vector<line_item> all;
        for (std::size_t o = first; o < end; ++o) {
            line_item item;
            item.range = {o, o};
            std::uint64_t times = 1;
            for (const auto& loop : loops) {
                if (loop.kind == loop_kind::inner && loop.range.first == o) {
                    item.range = loop.range;
                    times = loop.count;
                }
            }
            for (std::size_t k = item.range.first; k <= item.range.last; ++k) {
                const auto& operation = m_step.operations[k];
                item.cycles += static_cast<double>(times) * cycles_of(m_step, operation, m_device);
                const auto unit = unit_of(operation);
                if (unit != step_unit::none) { item.unit = unit; }
                for_each_part(
                    operation, [&](const tensor_part& p) { item.reads.push_back(p.tensor); },
                    [&](const tensor_part& p) { item.writes.push_back(p.tensor); });
            }
            for (auto* of : {&item.reads, &item.writes}) {
                std::sort(of->begin(), of->end());
                of->erase(std::unique(of->begin(), of->end()), of->end());
            }
            all.push_back(std::move(item));
            o = all.back().range.last;
        }
        return all;
    }

    template <class Do> static void for_each_tensor(const line_item& item, Do apply)
    {
        for (const std::size_t t : item.reads) { apply(t); }
        for (const std::size_t t : item.writes) {
            if (!std::binary_search(item.reads.begin(), item.reads.end(), t)) { apply(t); }
        }
    }

    // Adds the earlier items with a transfer of an array on the bus that this one, number i, uses too, if one of both
    // writes it.
    void find_shared_arrays(std::size_t i, std::vector<std::size_t>& before)
    {
        const auto& range = m_items[i].range;
        for (std::size_t o = range.first; o <= range.last; ++o) {
            const auto* t = std::get_if<transfer_operation>(&m_step.operations[o].work);
            if (t == nullptr) { continue; }
            const bool writes = t->kind == transfer_kind::store;
            auto& others = m_of_array[{t->place.array, t->place.number}];
            for (const auto& other : others) {
                if (other.item != i && (writes || other.writes)) { before.push_back(other.item); }
            }
            others.push_back({i, writes});
        }
    }

    // Operations from `first` to `end` in their new order.
    std::vector<std::size_t> order_of(std::size_t first, std::size_t end, const std::vector<step_loop>& loops)
    {
        m_items = items_of(first, end, loops);
        find_dependencies();
        find_occupation(first, end);
        const std::size_t count = m_items.size();
        m_work.assign(count + 1, 0);
        for (std::size_t i = 0; i < count; ++i) {
            m_work[i + 1] = m_work[i] + (m_items[i].is_transfer() ? 0 : m_items[i].cycles);
        }
        m_done.assign(count, false);
        m_issued = m_work_until = 0;
        m_free = {};
        std::vector<std::size_t> order;
        for (m_oldest = 0; m_oldest < count;) {
            const std::size_t item = next();
            issue(item);
            for (std::size_t o = m_items[item].range.first; o <= m_items[item].range.last; ++o) { order.push_back(o); }
            while (m_oldest < count && m_done[m_oldest]) { ++m_oldest; }
        }
        return order;
    }

    // The earlier items that each item waits for: those that use the same tensors or, of transfers, the same array on
    // the bus, or, if work keeps its order, the work before it. Then the cycles from the start of each item to the end
    // of the line.
    void find_dependencies()
    {
        const std::size_t count = m_items.size();
        m_after.assign(count, {});
        m_waits.assign(count, 0);
        for (auto& of : m_of_tensor) { of = {}; }
        m_of_array.clear();
        std::array<std::optional<std::size_t>, 2> work;
        std::vector<std::size_t> before;
        for (std::size_t i = 0; i < count; ++i) {
            const auto& item = m_items[i];
            before.clear();
            for_each_tensor(item, [&](std::size_t t) {
                auto& of = m_of_tensor[t];
                of.uses.push_back(i);
                if (of.writer) { before.push_back(*of.writer); }
            });
            for (const std::size_t t : item.writes) {
                auto& of = m_of_tensor[t];
                before.insert(before.end(), of.readers.begin(), of.readers.end());
                of.readers.clear();
                of.writer = i;
            }
            for (const std::size_t t : item.reads) {
                auto& of = m_of_tensor[t];
                if (of.writer != i) { of.readers.push_back(i); }
            }
            if (!item.is_transfer()) {
                auto& last = m_freedom.moves_work ? work[item.unit == step_unit::vector ? 1 : 0] : work[0];
                const bool keeps = !m_freedom.moves_work || item.unit == step_unit::vector;
                if (last && keeps) { before.push_back(*last); }
                last = i;
            }
            find_shared_arrays(i, before);
            std::sort(before.begin(), before.end());
            before.erase(std::unique(before.begin(), before.end()), before.end());
            for (const std::size_t j : before) { m_after[j].push_back(i); }
            m_waits[i] = before.size();
        }
        m_rest.assign(count, 0);
        for (std::size_t i = count; i-- > 0;) {
            for (const std::size_t j : m_after[i]) { m_rest[i] = std::max(m_rest[i], m_rest[j]); }
            m_rest[i] += m_items[i].cycles;
        }
    }

    // Bytes on chip while each item runs, if all that are still to come run in their old order.
    void find_occupation(std::size_t first, std::size_t end)
    {
        const std::size_t count = m_items.size();
        m_occupied.assign(count, 0);
        m_live = m_leaving = 0;
        for (std::size_t t = 0; t < m_of_tensor.size(); ++t) {
            auto& of = m_of_tensor[t];
            const auto& lives = m_wanted[t];
            if (lives.first > lives.last || lives.last < first || lives.first >= end) { continue; }
            of.is_live = lives.first < first;
            of.stays = lives.last >= end || of.uses.empty();
            if (of.is_live) { m_live += bytes_of(t); }
            const std::size_t from = of.is_live ? 0 : of.uses.front();
            const std::size_t to = of.stays ? count : of.uses.back() + 1;
            for (std::size_t i = from; i < to; ++i) { m_occupied[i] += bytes_of(t); }
        }
    }

    // The item to issue now.
    std::size_t next() const
    {
        const std::size_t end = std::min(m_items.size(), m_oldest + m_freedom.window);
        const double latest = begin_of(m_oldest);
        std::size_t best = m_oldest, work = m_oldest;
        while (work < m_items.size() && (m_done[work] || m_items[work].is_transfer())) { ++work; }
        double best_begin = latest, ahead = 0;
        for (std::size_t i = m_oldest + 1; i < m_items.size(); ++i) {
            const auto& item = m_items[i];
            if (m_done[i]) { continue; }
            const bool is_load = item.is_transfer() && !item.is_store();
            if (is_load && (m_freedom.urgent_first || begin_of(i) < latest)) {
                // Loads that are needed much later would take room for too long.
                ahead += item.cycles;
                if (m_work[i] - m_work[work] > m_freedom.slack * ahead) { break; }
            } else if (is_load || i >= end) {
                continue;
            }
            if (m_waits[i] != 0) { continue; }
            const double begin = begin_of(i);
            const bool is_longer = (!item.is_transfer() || m_freedom.urgent_first) && m_rest[i] > m_rest[best];
            const bool is_better = begin < best_begin || (begin == best_begin && is_longer);
            if (!is_better || !has_room(i)) { continue; }
            best = i;
            best_begin = begin;
        }
        return best;
    }

    double begin_of(std::size_t i) const
    {
        const auto& item = m_items[i];
        double begin = std::max(m_issued, m_free[static_cast<std::size_t>(item.unit)]);
        if (item.is_transfer() && !item.is_store() && waits_for_room(item)) { begin = std::max(begin, m_work_until); }
        for (const std::size_t t : item.reads) { begin = std::max(begin, m_of_tensor[t].ready); }
        for (const std::size_t t : item.writes) {
            begin = std::max({begin, m_of_tensor[t].ready, m_of_tensor[t].read});
        }
        return begin;
    }

    // Bytes that an item takes besides those on chip.
    std::int64_t new_bytes(const line_item& item) const
    {
        std::int64_t bytes = 0;
        for_each_tensor(item, [&](std::size_t t) { bytes += m_of_tensor[t].is_live ? 0 : bytes_of(t); });
        return bytes;
    }

    // Whether the place of a load becomes free only when the work before it is done.
    bool waits_for_room(const line_item& load) const
    {
        return m_live + (m_freedom.loads_wait ? m_leaving : 0) + new_bytes(load) > m_room;
    }

    // Whether all that are still to come have room if this item comes first.
    bool has_room(std::size_t i) const
    {
        const std::int64_t bytes = new_bytes(m_items[i]);
        if (bytes == 0) { return true; }
        if (m_live + bytes > m_room) { return false; }
        for (std::size_t k = m_oldest; k < i; ++k) {
            if (!m_done[k] && m_occupied[k] + bytes > m_room) { return false; }
        }
        return true;
    }

    void issue(std::size_t i)
    {
        const auto& item = m_items[i];
        const double begin = begin_of(i);
        const double until = begin + item.cycles;
        m_issued = begin + 1;
        m_free[static_cast<std::size_t>(item.unit)] = until;
        if (item.is_loop()) { m_issued = m_free[0] = m_free[1] = until; }
        for (const std::size_t t : item.reads) { m_of_tensor[t].read = std::max(m_of_tensor[t].read, until); }
        for (const std::size_t t : item.writes) { m_of_tensor[t].ready = until; }
        const std::int64_t most = m_live + new_bytes(item);
        for_each_tensor(item, [&](std::size_t t) { use(t, i); });
        if (!item.is_transfer()) {
            m_work_until = std::max(m_work_until, until);
            m_leaving = most - m_live;
        }
        m_done[i] = true;
        for (const std::size_t j : m_after[i]) { --m_waits[j]; }
    }

    // Counts a tensor from now on, and only up to its last use that is still to come.
    void use(std::size_t t, std::size_t item)
    {
        auto& of = m_of_tensor[t];
        const std::int64_t bytes = bytes_of(t);
        if (!of.is_live) {
            for (std::size_t k = m_oldest; k < of.uses.front(); ++k) { m_occupied[k] += bytes; }
            of.is_live = true;
            m_live += bytes;
        }
        const std::size_t last = of.uses.back();
        of.uses.erase(std::find(of.uses.begin(), of.uses.end(), item));
        if (of.stays) { return; }
        const std::size_t from = of.uses.empty() ? m_oldest : of.uses.back() + 1;
        for (std::size_t k = from; k <= last; ++k) { m_occupied[k] -= bytes; }
        if (of.uses.empty()) { m_live -= bytes; }
    }

    const operation_list& m_step;
    const step_device& m_device;
    std::int64_t m_room;
    freedom m_freedom;
    std::vector<wanted_place> m_wanted;
    std::vector<tensor_state> m_of_tensor;
    std::map<std::pair<bus_array, std::size_t>, std::vector<array_use>> m_of_array; // transfers in the line
    std::vector<line_item> m_items;
    std::vector<std::vector<std::size_t>> m_after; // by item: those that wait for it
    std::vector<std::size_t> m_waits;              // by item: number of those that it waits for
    std::vector<double> m_rest;                    // by item: cycles from its start to the end of the line
    std::vector<double> m_work;                    // by item: cycles of the work before it
    std::vector<std::int64_t> m_occupied;          // by item: bytes on chip
    std::vector<bool> m_done;
    std::size_t m_oldest = 0; // the first item that is still to come
    std::array<double, 3> m_free{};
    double m_issued = 0;
    double m_work_until = 0;
    std::int64_t m_live = 0, m_leaving = 0; // bytes on chip, and those that become free when the last work is done
};

constexpr unsigned most_worse = 2; // shares of the memory in a row, after which no smaller one is tried

// With its loops: if tensors leave the chip, some of the memory is left free for loads that come early.
std::optional<timed_list> fastest_with_loops(const operation_list& list, const step_device& device)
{
    std::optional<timed_list> best;
    unsigned worse = 0;
    for (const std::uint64_t percent : {100, 92, 84, 76, 68, 60, 52}) {
        auto made = fitted(list, device, device.limits.memory_bytes() * percent / 100);
        if (!made) { break; }
        const bool stays = made->spills.empty() && made->operations.size() == list.operations.size();
        auto timed = with_hidden_transfers(std::move(*made), device);
        if (!best || timed.estimate.cycles < best->estimate.cycles) {
            best = std::move(timed);
            worse = 0;
        } else if (++worse == most_worse) {
            break;
        }
        if (stays) { break; }
    }
    return best;
}

} // namespace

timed_list with_hidden_transfers(operation_list step, const step_device& device)
{
    const std::uint64_t bytes = device.limits.memory_bytes();
    timed_list best{std::move(step), {}};
    best.estimate = estimate_of(best.list, places_of(best.list, device.limits), device);
    if (!device.overlap) { return best; } // nothing to hide behind
    const auto start = best.list;
    const freedom tried[] = {{2, 64},
                             {16, 64},
                             {16, 64, false, false},
                             {16, 64, true},
                             {2, 48, true, true, true},
                             {16, 200, true, true, true}};
    for (const auto& of : tried) {
        for (const std::uint64_t percent : {100, 90, 80, 65}) {
            auto moved = line_scheduler(start, device, bytes * percent / 100, of).run();
            const auto places = find_places(moved, device.limits);
            if (!places) { continue; } // the free places are too small: less is moved
            const auto estimate = estimate_of(moved, *places, device);
            if (estimate.cycles < best.estimate.cycles) { best = {std::move(moved), estimate}; }
            break;
        }
    }
    return best;
}

std::optional<timed_list> fastest_fit(const operation_list& list, const step_device& device)
{
    auto with_loops = fastest_with_loops(list, device);
    return with_loops ? std::move(with_loops) : fastest_with_loops(unrolled(list), device);
}

timed_list faster_fit(const operation_list& list, timed_list fit, const step_device& device)
{
    const std::uint64_t least_bytes = device.limits.memory_bytes() / 32;
    const std::uint64_t rows = place_granule(device.limits) / base::element_bytes(base::element_type::bf16);
    const auto again = with_recomputation(list, device);
    std::vector<operation_list> variants;
    for (const std::uint64_t groups : {4, 2}) {
        auto split = in_row_groups(again, groups, least_bytes, rows);
        if (split.operations.size() > again.operations.size()) { variants.push_back(std::move(split)); }
    }
    if (variants.empty() && again.operations.size() > list.operations.size()) { variants.push_back(again); }
    for (const auto& variant : variants) {
        auto timed = fastest_fit(variant, device);
        if (timed && timed->estimate.cycles < fit.estimate.cycles) { fit = std::move(*timed); }
    }
    return fit;
}

} // namespace tensorloom::workloads
