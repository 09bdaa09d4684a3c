#include <tensorloom/workloads/step_planner/step_schedule.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tensorloom/workloads/step_planner/step_spills.h>

namespace tensorloom::workloads {
namespace {

// An item of a straight line of operations: one of them, or a loop of a layer.
struct line_item {
    operation_range range;
    step_unit unit = step_unit::engines; // of a loop that of its last command
    double cycles = 0;
    std::set<std::size_t> reads, writes; // tensors

    bool is_loop() const { return range.first != range.last; }
    bool is_transfer() const { return !is_loop() && unit == step_unit::transfers; }
    bool is_store() const { return is_transfer() && writes.empty(); }
};

class line_scheduler {
public:
    line_scheduler(const operation_list& step, const step_device& device, std::uint64_t room, double slack)
        : m_step(step), m_device(device), m_room(static_cast<std::int64_t>(room)), m_slack(slack),
          m_wanted(lifetimes_of(step)), m_occupied(occupation_of(m_wanted, step.operations.size(), device.limits))
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
                    operation, [&](const tensor_part& p) { item.reads.insert(p.tensor); },
                    [&](const tensor_part& p) { item.writes.insert(p.tensor); });
            }
            all.push_back(std::move(item));
            o = all.back().range.last;
        }
        return all;
    }

    // Whether two transfers use the same array on the bus, and one of them writes it.
    bool share_array(const line_item& x, const line_item& y) const
    {
        const auto* a = std::get_if<transfer_operation>(&m_step.operations[x.range.first].work);
        const auto* b = std::get_if<transfer_operation>(&m_step.operations[y.range.first].work);
        return a != nullptr && b != nullptr && (x.is_store() || y.is_store()) && a->place.array == b->place.array &&
               a->place.number == b->place.number;
    }

    // Operations from `first` to `end` in their new order.
    std::vector<std::size_t> order_of(std::size_t first, std::size_t end, const std::vector<step_loop>& loops)
    {
        m_items = items_of(first, end, loops);
        const std::size_t count = m_items.size();
        find_dependencies();
        std::vector<std::size_t> work, moved;
        for (std::size_t i = 0; i < count; ++i) { (m_items[i].is_transfer() ? moved : work).push_back(i); }
        m_work.assign(count + 1, 0);
        for (std::size_t i = 0; i < count; ++i) {
            m_work[i + 1] = m_work[i] + (m_items[i].is_transfer() ? 0 : m_items[i].cycles);
        }
        m_done.assign(count, false);
        m_issued = 0;
        m_free = {};
        m_ready.clear();
        m_read.clear();
        m_work_until = 0;
        m_issued_work.reset();
        std::vector<std::size_t> order;
        for (const std::size_t next : work) {
            need(next, order);
            double begin = begin_of(next);
            for (;;) {
                const auto chosen = transfer_for(moved, next, begin);
                if (!chosen) { break; }
                issue(*chosen, order);
                begin = begin_of(next);
            }
            keep_stores(moved, next, order);
            issue(next, order);
        }
        for (const std::size_t i : moved) {
            if (!m_done[i]) { issue(i, order); }
        }
        return order;
    }

    // The earlier items that each item waits for, in their order: those that use the same tensors or, of transfers, the
    // same array on the bus. Work keeps its order, so that only pairs with a transfer count.
    void find_dependencies()
    {
        m_before.assign(m_items.size(), {});
        std::map<std::size_t, std::vector<std::size_t>> readers, writers; // items by tensor
        std::vector<std::size_t> transfers;
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            const auto& item = m_items[i];
            auto& before = m_before[i];
            const auto wait_for = [&](const std::vector<std::size_t>& earlier) {
                for (const std::size_t j : earlier) {
                    if (item.is_transfer() || m_items[j].is_transfer()) { before.push_back(j); }
                }
            };
            for (const std::size_t t : item.reads) { wait_for(writers[t]); }
            for (const std::size_t t : item.writes) {
                wait_for(writers[t]);
                wait_for(readers[t]);
            }
            for (const std::size_t t : item.reads) { readers[t].push_back(i); }
            for (const std::size_t t : item.writes) { writers[t].push_back(i); }
            if (item.is_transfer()) {
                for (const std::size_t j : transfers) {
                    if (share_array(item, m_items[j])) { before.push_back(j); }
                }
                transfers.push_back(i);
            }
            std::sort(before.begin(), before.end());
            before.erase(std::unique(before.begin(), before.end()), before.end());
        }
    }

    // Stores that would come after an item instead of before it: if there is room, their tensors keep their places,
    // else they are issued before it.
    void keep_stores(const std::vector<std::size_t>& moved, std::size_t next, std::vector<std::size_t>& order)
    {
        for (const std::size_t i : moved) {
            if (i > next) { break; }
            if (m_done[i] || !m_items[i].is_store()) { continue; }
            std::int64_t bytes = 0;
            for (const std::size_t t : m_items[i].reads) {
                bytes += m_wanted[t].last <= m_items[i].range.first ? bytes_of(t) : 0;
            }
            const auto& range = m_items[next].range;
            bool fits = true;
            for (std::size_t o = range.first; o <= range.last; ++o) { fits = fits && m_occupied[o] + bytes <= m_room; }
            if (!fits) {
                need(i, order);
                issue(i, order);
                continue;
            }
            for (std::size_t o = range.first; o <= range.last; ++o) { m_occupied[o] += bytes; }
        }
    }

    // Issues all that an item waits for.
    void need(std::size_t item, std::vector<std::size_t>& order)
    {
        for (const std::size_t before : m_before[item]) {
            if (m_done[before]) { continue; }
            need(before, order);
            issue(before, order);
        }
    }

    double begin_of(std::size_t i) const
    {
        const auto& item = m_items[i];
        double begin = std::max(m_issued, m_free[static_cast<std::size_t>(item.unit)]);
        const auto wait = [&](const std::map<std::size_t, double>& until, std::size_t tensor) {
            const auto at = until.find(tensor);
            if (at != until.end()) { begin = std::max(begin, at->second); }
        };
        if (item.is_transfer() && !item.is_store() && waits_for_room(item)) { begin = std::max(begin, m_work_until); }
        for (const std::size_t t : item.reads) { wait(m_ready, t); }
        for (const std::size_t t : item.writes) {
            wait(m_ready, t);
            wait(m_read, t);
        }
        return begin;
    }

    void issue(std::size_t i, std::vector<std::size_t>& order)
    {
        const auto& item = m_items[i];
        const double begin = begin_of(i);
        const double until = begin + item.cycles;
        m_issued = begin + 1;
        m_free[static_cast<std::size_t>(item.unit)] = until;
        if (item.is_loop()) { m_issued = m_free[0] = m_free[1] = until; }
        for (const std::size_t t : item.reads) { m_read[t] = std::max(m_read[t], until); }
        for (const std::size_t t : item.writes) { m_ready[t] = until; }
        if (!item.is_transfer()) {
            m_work_until = std::max(m_work_until, until);
            m_issued_work = item.range.last;
        }
        m_done[i] = true;
        for (std::size_t o = item.range.first; o <= item.range.last; ++o) { order.push_back(o); }
    }

    // Whether the place of a load becomes free only when the work before it is done.
    bool waits_for_room(const line_item& load) const
    {
        std::int64_t bytes = 0;
        for (const std::size_t t : load.writes) {
            if (m_wanted[t].first < load.range.first) { return false; } // it has its place already
            bytes += bytes_of(t);
        }
        return m_issued_work && m_occupied[*m_issued_work] + bytes > m_room;
    }

    // A transfer that delays nothing: an earlier one that is still to come, or the first load that finds room.
    std::optional<std::size_t> transfer_for(const std::vector<std::size_t>& moved, std::size_t next, double begin)
    {
        double ahead = 0;
        for (const std::size_t i : moved) {
            if (m_done[i] || begin_of(i) >= begin) { continue; }
            const auto& before = m_before[i];
            if (!std::all_of(before.begin(), before.end(), [&](std::size_t b) { return m_done[b]; })) { continue; }
            if (i < next) { return i; }
            if (m_items[i].is_store()) { continue; }
            // Loads that are needed much later would take room for too long.
            ahead += m_items[i].cycles;
            if (m_work[i] - m_work[next] > m_slack * ahead) { break; }
            if (has_room(i, next)) { return i; }
        }
        return std::nullopt;
    }

    // Whether the tensor of a load finds room from item `from` on; if so, takes it.
    bool has_room(std::size_t load, std::size_t from)
    {
        const std::size_t first = m_items[from].range.first, end = m_items[load].range.first;
        std::int64_t bytes = 0;
        for (const std::size_t t : m_items[load].writes) {
            if (m_wanted[t].first < end) { return true; } // it has its place already
            bytes += bytes_of(t);
        }
        for (std::size_t o = first; o < end; ++o) {
            if (m_occupied[o] + bytes > m_room) { return false; }
        }
        for (std::size_t o = first; o < end; ++o) { m_occupied[o] += bytes; }
        return true;
    }

    const operation_list& m_step;
    const step_device& m_device;
    std::int64_t m_room;
    double m_slack; // most work ahead of which a load is issued, by the cycles of loads
    std::vector<wanted_place> m_wanted;
    std::vector<std::int64_t> m_occupied; // by operation: bytes on chip
    std::vector<line_item> m_items;
    std::vector<std::vector<std::size_t>> m_before;
    std::vector<double> m_work; // by item: cycles of the work before it
    std::vector<bool> m_done;
    std::map<std::size_t, double> m_ready, m_read; // by tensor: until when it is written, read
    std::array<double, 3> m_free{};
    double m_issued = 0;
    double m_work_until = 0;
    std::optional<std::size_t> m_issued_work; // the last operation that was issued, apart from transfers
};

// With its loops: if tensors leave the chip, some of the memory is left free for loads that come early.
std::optional<timed_list> fastest_with_loops(const operation_list& list, const step_device& device)
{
    const auto loops = loops_of(list);
    const bool has_blocks =
        std::any_of(loops.begin(), loops.end(), [](const auto& l) { return l.kind == loop_kind::blocks; });
    std::optional<timed_list> best;
    for (const std::uint64_t percent : {100, 92, 84, 76, 68, 60, 52}) {
        auto made = fitted(list, device, device.limits.memory_bytes() * percent / 100);
        if (!made) { break; }
        const bool stays = made->spills.empty() && made->operations.size() == list.operations.size();
        if (stays && !has_blocks) {
            const auto estimate = estimate_of(*made, places_of(*made, device.limits), device);
            return timed_list{std::move(*made), estimate};
        }
        auto timed = with_hidden_transfers(std::move(*made), device);
        if (!best || timed.estimate.cycles < best->estimate.cycles) { best = std::move(timed); }
        if (stays) { break; }
    }
    return best;
}

} // namespace

timed_list with_hidden_transfers(operation_list list, const step_device& device)
{
    const std::uint64_t bytes = device.limits.memory_bytes();
    timed_list best{std::move(list), {}};
    best.estimate = estimate_of(best.list, places_of(best.list, device.limits), device);
    const auto start = best.list;
    for (const double slack : {2.0, 16.0}) {
        for (const std::uint64_t percent : {100, 90, 80, 65}) {
            auto moved = line_scheduler(start, device, bytes * percent / 100, slack).run();
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

} // namespace tensorloom::workloads
