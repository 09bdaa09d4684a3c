#include <tensorloom/workloads/step_planner/step_estimate.h>
#include <algorithm>
#include <array>
#include <tensorloom/models/isa/vector/costs.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

const isa::vector::vector_cost& cost_of(opcode code)
{
    static const auto costs = isa::vector::default_vector_costs();
    std::size_t i = 0;
    while (isa::vector::instructions[i].code != code) { ++i; }
    return costs[i];
}

double vector_cycles(opcode code, std::uint64_t elements, unsigned lanes)
{
    const auto& cost = cost_of(code);
    return static_cast<double>((elements + lanes - 1) / lanes * cost.cycles_per_group + cost.depth);
}

double transfer_cycles(std::uint64_t bytes, const memory_estimate& memory)
{
    return memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle;
}

// Cycles of slices at arbitrary places of a table, with several bursts in flight. In a table that a DRAM's open rows
// hold a slice takes a burst; in a larger one it opens a row, of which some are in banks that are busy.
double gather_cycles(std::uint64_t slices, std::uint64_t bytes, std::uint64_t table_bytes,
                     const memory_estimate& memory)
{
    constexpr std::uint64_t open_bytes = 16 << 10;
    const double bursts_of_slice = table_bytes != 0 && table_bytes <= open_bytes ? 1 : 4;
    const double apart = bursts_of_slice * memory.burst_cycles / memory.outstanding;
    const double each = std::max(apart, static_cast<double>(bytes) / memory.bytes_per_cycle);
    return memory.transfer_cycles + static_cast<double>(slices) * each;
}

class timeline {
public:
    timeline(const operation_list& step, const step_places& places, const step_device& device)
        : m_step(step), m_places(places)
    {
        std::vector<std::size_t> open;
        m_end.resize(step.operations.size());
        for (std::size_t o = 0; o < step.operations.size(); ++o) {
            const auto& operation = step.operations[o];
            m_cycles.push_back(cycles_of(step, operation, device));
            if (std::holds_alternative<loop_operation>(operation.work)) { open.push_back(o); }
            if (std::holds_alternative<end_operation>(operation.work)) {
                m_end[open.back()] = o;
                open.pop_back();
            }
            auto& parts = m_parts.emplace_back();
            for_each_part(
                operation, [&](const tensor_part& part) { parts.push_back(used(part, false)); },
                [&](const tensor_part& part) { parts.push_back(used(part, true)); });
        }
    }

    step_estimate run()
    {
        follow(0, m_step.operations.size());
        m_found.cycles = now();
        return m_found;
    }

private:
    struct bytes_in_use {
        std::uint64_t first = 0, end = 0;
        bool is_write = false;
        double until = 0;
    };

    bytes_in_use used(const tensor_part& part, bool is_write) const
    {
        const auto& tensor = m_step.tensors[part.tensor];
        const std::uint64_t bytes = base::element_bytes(tensor.type), at = m_places.byte[part.tensor];
        // Parts that advance in loops count as the whole tensor.
        const std::uint64_t first = part.step == 0 ? part.offset * bytes : 0;
        return {at + first, at + tensor.elements * bytes, is_write, 0};
    }

    double now() const { return std::max({m_issued, m_free[0], m_free[1], m_free[2]}); }

    void follow(std::size_t first, std::size_t end)
    {
        for (std::size_t o = first; o < end; ++o) {
            if (const auto* loop = std::get_if<loop_operation>(&m_step.operations[o].work)) {
                repeat(o, *loop);
                o = m_end[o];
                continue;
            }
            const auto which = unit_of(m_step.operations[o]);
            if (which == step_unit::none) { continue; }
            issue(o, static_cast<std::size_t>(which));
        }
    }

    void issue(std::size_t o, std::size_t which)
    {
        double begin = std::max(m_issued, m_free[which]);
        for (const auto& part : m_parts[o]) {
            for (const auto& busy : m_busy) {
                const bool meets = busy.first < part.end && part.first < busy.end;
                if (meets && (busy.is_write || part.is_write)) { begin = std::max(begin, busy.until); }
            }
        }
        m_issued = begin + 1;
        m_free[which] = begin + m_cycles[o];
        m_busy.erase(std::remove_if(m_busy.begin(), m_busy.end(), [&](const auto& b) { return b.until <= begin; }),
                     m_busy.end());
        for (auto part : m_parts[o]) {
            part.until = m_free[which];
            m_busy.push_back(part);
        }
        if (m_in_step) {
            (which == 0 ? m_found.engines : which == 1 ? m_found.vector : m_found.transfers) += m_times * m_cycles[o];
        }
    }

    void advance(double cycles)
    {
        m_issued += cycles;
        for (double& free : m_free) { free += cycles; }
        for (auto& busy : m_busy) { busy.until += cycles; }
    }

    void repeat(std::size_t begin, const loop_operation& loop)
    {
        constexpr std::uint64_t followed = 3;
        const bool of_batches = loop.kind == loop_kind::batches;
        double last = m_issued, period = 0;
        const double times = m_times;
        for (std::uint64_t i = 0; i < std::min(loop.count, followed); ++i) {
            const bool is_last = i + 1 == std::min(loop.count, followed);
            if (of_batches) { m_in_step = is_last; }
            m_times = is_last && !of_batches ? times * static_cast<double>(loop.count - i) : times;
            follow(begin + 1, m_end[begin]);
            period = m_issued - last;
            last = m_issued;
        }
        m_times = times;
        if (of_batches) {
            m_in_step = false;
            m_found.step_cycles = period;
        }
        if (loop.count > followed) { advance(period * static_cast<double>(loop.count - followed)); }
    }

    const operation_list& m_step;
    const step_places& m_places;
    std::vector<double> m_cycles;   // by operation
    std::vector<std::size_t> m_end; // by operation that begins a loop
    std::vector<std::vector<bytes_in_use>> m_parts;
    std::vector<bytes_in_use> m_busy;
    std::array<double, 3> m_free{};
    double m_issued = 0, m_times = 1;
    bool m_in_step = false;
    step_estimate m_found;
};

} // namespace

double cycles_of(const operation_list& list, const step_operation& operation, const step_device& device)
{
    const auto& work = operation.work;
    if (const auto* c = std::get_if<contract_operation>(&work)) { return c->cycles; }
    if (const auto* v = std::get_if<vector_operation>(&work)) {
        const std::uint64_t rows = v->code == opcode::scatter_add ? v->block : 1;
        return vector_cycles(v->code, v->length * rows, device.lanes);
    }
    if (const auto* r = std::get_if<copy_operation>(&work)) {
        return vector_cycles(opcode::repl, r->size[0] * r->size[1] * r->size[2], device.lanes);
    }
    if (const auto* t = std::get_if<transfer_operation>(&work)) {
        const std::uint64_t bytes = t->elements() * base::element_bytes(list.tensors[t->local.tensor].type);
        if (t->kind != transfer_kind::gather) { return transfer_cycles(bytes, device.memory); }
        const std::uint64_t slices = t->modes.front().size;
        return gather_cycles(slices, bytes / slices, t->table_bytes, device.memory);
    }
    return 0;
}

step_estimate estimate_of(const operation_list& list, const step_places& places, const step_device& device)
{
    return timeline(list, places, device).run();
}

} // namespace tensorloom::workloads
