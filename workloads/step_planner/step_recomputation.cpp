#include <tensorloom/workloads/step_planner/step_recomputation.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace tensorloom::workloads {
namespace {

constexpr double least_gap = 6;       // of a tensor that is idle: times the cycles of its transfer
constexpr double most_cycles = 1.4;   // of the operations that make it again, likewise
constexpr double engine_weight = 1.5; // of cycles of the engines, which have more to do than the vector unit
constexpr unsigned most_depth = 4;    // of operands that are made again

// A straight line of operations, between loops over batches or blocks and their ends.
class line_recomputation {
public:
    line_recomputation(operation_list& step, operation_range line, const std::vector<step_loop>& loops,
                       const step_device& device)
        : m_step(step), m_line(line), m_device(device), m_of(step.tensors.size())
    {
        const std::size_t count = line.last - line.first + 1;
        m_start.assign(count + 1, 0);
        for (std::size_t o = 0; o < step.operations.size(); ++o) {
            const auto& operation = step.operations[o];
            const bool is_in_loop = std::any_of(loops.begin(), loops.end(), [o](const auto& l) {
                return l.kind == loop_kind::inner && l.range.has(o);
            });
            if (line.has(o)) {
                const std::size_t at = o - line.first;
                m_start[at + 1] = m_start[at] + cycles_of(step, operation, device);
            }
            const auto add = [&](std::size_t t, bool is_write) {
                auto& of = m_of[t];
                of.is_given = of.is_given || !line.has(o);
                of.is_moved = of.is_moved || is_in_loop || (is_write && unit_of(operation) == step_unit::transfers);
                if (!line.has(o)) { return; }
                if (of.uses.empty() || of.uses.back() != o) { of.uses.push_back(o); }
                if (is_write && (of.writes.empty() || of.writes.back() != o)) { of.writes.push_back(o); }
            };
            for_each_part(
                operation, [&](const tensor_part& p) { add(p.tensor, false); },
                [&](const tensor_part& p) { add(p.tensor, true); });
        }
    }

    // The operations of the line with the new ones.
    std::vector<step_operation> run()
    {
        std::vector<step_operation> all;
        for (std::size_t o = m_line.first; o <= m_line.last; ++o) {
            auto operation = m_step.operations[o];
            std::vector<std::size_t> used;
            for_each_part(
                operation, [&](const tensor_part& p) { used.push_back(p.tensor); },
                [&](const tensor_part& p) { used.push_back(p.tensor); });
            m_at = o;
            for (const std::size_t t : used) {
                if (!can_be_made(t) || version_at(t, o) == 0 || !is_idle(t)) { continue; }
                for (auto& made : replace(t)) {
                    made.phase = operation.phase;
                    all.push_back(std::move(made));
                }
            }
            for (const std::size_t t : used) {
                const std::size_t name = name_of(t);
                m_content[name] = version_at(t, o + 1);
                m_holders[{t, m_content[name]}] = {name, o};
            }
            const auto rename = [&](tensor_part& p) { p.tensor = name_of(p.tensor); };
            for_each_part(operation, rename, rename);
            all.push_back(std::move(operation));
        }
        return all;
    }

private:
    using value = std::pair<std::size_t, std::size_t>; // tensor, number of the writes before
    // A tensor that holds a value, and the last operation that uses it.
    struct holder {
        std::size_t tensor = 0, used = 0;
    };

    struct line_tensor {
        std::vector<std::size_t> uses, writes; // operations, in order
        bool is_given = false;                 // used outside of the line
        bool is_moved = false;                 // written by a transfer, or used in a loop of a layer
    };

    double transfer_of(std::size_t t) const
    {
        const auto& of = m_step.tensors[t];
        return m_device.memory.transfer_cycles +
               static_cast<double>(of.elements * base::element_bytes(of.type)) / m_device.memory.bytes_per_cycle;
    }

    double cycles_between(std::size_t from, std::size_t to) const
    {
        return m_start[to - m_line.first] - m_start[from - m_line.first];
    }

    std::size_t version_at(std::size_t t, std::size_t o) const
    {
        const auto& writes = m_of[t].writes;
        return static_cast<std::size_t>(std::lower_bound(writes.begin(), writes.end(), o) - writes.begin());
    }

    std::size_t name_of(std::size_t t) const
    {
        const auto now = m_now.find(t);
        return now == m_now.end() ? t : now->second;
    }

    bool can_be_made(std::size_t t) const { return !m_of[t].is_given && !m_of[t].is_moved && !m_of[t].writes.empty(); }

    // Whether a tensor has not been used for a long time.
    bool is_idle(std::size_t t) const
    {
        const auto& uses = m_of[t].uses;
        const auto at = std::lower_bound(uses.begin(), uses.end(), m_at);
        return at != uses.begin() && cycles_between(*(at - 1), m_at) > least_gap * transfer_of(t);
    }

    bool is_used_soon(std::size_t t) const
    {
        const auto& uses = m_of[t].uses;
        const auto at = std::lower_bound(uses.begin(), uses.end(), m_at);
        return at != uses.end() && cycles_between(m_at, *at) <= m_near;
    }

    // The tensor that holds a value.
    std::optional<holder> holder_of(const value& v) const
    {
        const auto found = m_holders.find(v);
        if (found == m_holders.end() || m_content.at(found->second.tensor) != v.second) { return std::nullopt; }
        return found->second;
    }

    // The operations that make a tensor again; none if there is no need or that takes too long.
    std::vector<step_operation> replace(std::size_t t)
    {
        m_near = least_gap * transfer_of(t);
        const value v{t, version_at(t, m_at)};
        const auto held = holder_of(v);
        if (held && cycles_between(held->used, m_at) <= m_near) { // made again for another operation
            m_now[t] = held->tensor;
            return {};
        }
        m_new.clear();
        m_log.clear();
        m_made.clear();
        m_budget = most_cycles * transfer_of(t);
        const std::size_t tensors = m_step.tensors.size();
        const bool is_made = make(v, 0);
        if (!is_made) {
            undo(0, tensors);
            return {};
        }
        m_now[t] = m_made.at(v);
        return std::move(m_new);
    }

    // Makes a value again in a new tensor.
    bool make(const value& v, unsigned depth)
    {
        const auto& [t, version] = v;
        if (!can_be_made(t) || version == 0 || depth > most_depth) { return false; }
        const std::size_t made = m_step.tensors.size();
        m_step.tensors.push_back(step_tensor(m_step.tensors[t]));
        for (std::size_t w = 0; w < version; ++w) {
            const std::size_t o = m_of[t].writes[w];
            auto operation = m_step.operations[o];
            const bool on_engines = unit_of(operation) == step_unit::engines;
            m_budget -= (on_engines ? engine_weight : 1) * cycles_of(m_step, operation, m_device);
            std::vector<std::size_t> operands;
            const auto add = [&](const tensor_part& p) { operands.push_back(p.tensor); };
            for_each_part(operation, add, add);
            std::map<std::size_t, std::size_t> names{{t, made}};
            for (const std::size_t u : operands) {
                if (names.count(u) != 0) { continue; }
                const value operand{u, version_at(u, o)};
                if (operand.second != version_at(u, o + 1)) { return false; } // another result
                const auto name = operand_in(operand, depth);
                if (!name) { return false; }
                names[u] = *name;
            }
            if (m_budget < 0) { return false; }
            const auto rename = [&](tensor_part& p) { p.tensor = names.at(p.tensor); };
            for_each_part(operation, rename, rename);
            operation.what = "again " + operation.what; // the end names the layer
            m_new.push_back(std::move(operation));
        }
        const auto before = m_holders.find(v);
        m_log.emplace_back(v, before == m_holders.end() ? std::nullopt : std::optional(before->second));
        m_made[v] = made;
        m_holders[v] = {made, m_at};
        m_content[made] = version;
        return true;
    }

    // The tensor with a value that is needed: one that is in use nearby, or a new one.
    std::optional<std::size_t> operand_in(const value& v, unsigned depth)
    {
        const auto& [t, version] = v;
        const auto again = m_made.find(v);
        if (again != m_made.end()) { return again->second; }
        if (m_of[t].is_given) { return version_at(t, m_at) == version ? std::optional(t) : std::nullopt; }
        const auto held = holder_of(v);
        const bool is_small = transfer_of(t) <= 2 * m_device.memory.transfer_cycles;
        if (held && (is_small || cycles_between(held->used, m_at) <= m_near)) { return held->tensor; }
        const std::size_t operations = m_new.size(), log = m_log.size(), tensors = m_step.tensors.size();
        const double budget = m_budget;
        const bool is_needed = version_at(t, m_at) == version && is_used_soon(t);
        if (is_needed) { m_budget += most_cycles * transfer_of(t); } // it spares its own transfers, too
        if (make(v, depth + 1)) { return m_made.at(v); }
        m_new.resize(operations);
        undo(log, tensors);
        m_budget = budget;
        return held && is_needed && held->tensor == name_of(t) ? std::optional(held->tensor) : std::nullopt;
    }

    void undo(std::size_t log, std::size_t tensors)
    {
        for (; m_log.size() > log; m_log.pop_back()) {
            const auto& [v, before] = m_log.back();
            m_made.erase(v);
            if (before) {
                m_holders[v] = *before;
            } else {
                m_holders.erase(v);
            }
        }
        m_step.tensors.resize(tensors);
    }

    operation_list& m_step;
    operation_range m_line;
    const step_device& m_device;
    std::vector<line_tensor> m_of;                // by tensor
    std::vector<double> m_start;                  // by operation of the line: cycles of those before
    std::map<std::size_t, std::size_t> m_now;     // by tensor that was made again: its new one
    std::map<std::size_t, std::size_t> m_content; // by new or old tensor: number of the writes so far
    std::map<value, holder> m_holders;            // of each value
    std::size_t m_at = 0;                         // the operation for which tensors are made again
    // For it: the new operations, values that they make and what held these before, cycles that they may take.
    std::vector<step_operation> m_new;
    std::map<value, std::size_t> m_made;
    std::vector<std::pair<value, std::optional<holder>>> m_log;
    double m_budget = 0;
    double m_near = 0; // cycles
};

} // namespace

operation_list with_recomputation(const operation_list& step, const step_device& device)
{
    auto changed = step;
    std::vector<step_operation> all;
    const auto loops = loops_of(step);
    const auto is_border = [&](std::size_t o) {
        return std::any_of(loops.begin(), loops.end(), [o](const auto& l) {
            return l.kind != loop_kind::inner && (l.range.first == o || l.range.last == o);
        });
    };
    for (std::size_t o = 0; o < step.operations.size(); ++o) {
        if (is_border(o)) {
            all.push_back(step.operations[o]);
            continue;
        }
        std::size_t last = o;
        while (last + 1 < step.operations.size() && !is_border(last + 1)) { ++last; }
        auto line = line_recomputation(changed, {o, last}, loops, device).run();
        std::move(line.begin(), line.end(), std::back_inserter(all));
        o = last;
    }
    changed.operations = std::move(all);
    return changed;
}

} // namespace tensorloom::workloads
