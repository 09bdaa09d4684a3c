#include <tensorloom/workloads/step_planner/step_estimate.h>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <tensorloom/models/base/values/scratchpad_banks.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/vector/bank_stalls.h>
#include <tensorloom/models/isa/vector/signature.h>
#include <tensorloom/models/isa/vector/vector_schedule.h>
#include <tensorloom/workloads/contraction/block_transfers.h>
#include <tensorloom/workloads/scrambled.h>
#include <tensorloom/workloads/step_planner/program_writer.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

// The unified memory as the vector unit sees it.
base::scratchpad_banks word_banks(const fetta::device_limits& g) { return {sizeof(float), g.engines * g.side}; }

// Stalls of an instruction for the banks. They do not depend on where its operands begin, so instructions of the same
// key have the same; a program has few keys, which every plan asks for again.
using stall_key = std::vector<std::int64_t>;
template <class Add> std::uint64_t stalls_of(stall_key key, std::uint64_t words, const step_device& device, Add add)
{
    thread_local std::map<stall_key, std::uint64_t> known;
    const auto banks = word_banks(device.limits);
    for (const std::uint64_t number :
         {std::uint64_t{banks.banks()}, std::uint64_t{device.lanes}, std::uint64_t{device.bank_broadcast}}) {
        key.push_back(static_cast<std::int64_t>(number));
    }
    auto found = known.find(key);
    if (found == known.end()) {
        std::uint64_t sum = 0;
        isa::vector::bank_stalls stalls(
            banks, device.lanes, device.bank_broadcast ? base::equal_reads::broadcast : base::equal_reads::serial);
        stalls.begin(words);
        add(stalls);
        for (const std::uint64_t of_group : stalls.by_group()) { sum += of_group; }
        found = known.emplace(std::move(key), sum).first;
    }
    return found->second;
}

double vector_cycles(opcode code, std::uint64_t words, std::uint64_t stalls, const step_device& device)
{
    static const auto costs = isa::vector::default_vector_costs();
    const std::vector<std::uint64_t> all{stalls};
    const auto banks = word_banks(device.limits);
    const bool contiguous = code != opcode::repl;
    return static_cast<double>(isa::vector::vector_schedule(words, device.lanes, contiguous ? &banks : nullptr,
                                                            costs[isa::vector::instruction_index(code)], all)
                                   .total());
}

std::uint64_t stalls_of(const copy_operation& work, const step_device& device)
{
    isa::vector::strided_command repl;
    stall_key key{static_cast<std::int64_t>(opcode::repl)};
    for (std::size_t m = 0; m < work.size.size(); ++m) {
        repl.size[m] = static_cast<std::uint32_t>(work.size[m]);
        repl.result.stride[m] = static_cast<std::int32_t>(work.result_stride[m]);
        repl.a.stride[m] = static_cast<std::int32_t>(work.a_stride[m]);
        key.insert(key.end(), {repl.size[m], repl.result.stride[m], repl.a.stride[m]});
    }
    repl.valid = repl.size;
    return stalls_of(std::move(key), repl.elements(), device,
                     [&](auto& stalls) { stalls.add_repl(repl, sizeof(float)); });
}

std::uint64_t stalls_of_sums(const vector_operation& work, const step_device& device)
{
    const std::uint64_t rows = work.length, row_words = work.block;
    const auto row_of = [&](std::uint64_t i) { return work.rows ? (*work.rows)[i] : scrambled(i) % work.table; };
    stall_key key{static_cast<std::int64_t>(opcode::scatter_add), static_cast<std::int64_t>(rows),
                  static_cast<std::int64_t>(row_words), static_cast<std::int64_t>(work.table)};
    if (work.rows) { key.insert(key.end(), work.rows->begin(), work.rows->end()); }
    return stalls_of(std::move(key), rows * row_words, device,
                     [&](auto& stalls) { stalls.add_sums(0, sizeof(float), rows, row_words, row_of); });
}

// Its header comes first.
double fetch_cycles(const operation_list& list, const memory_estimate& memory)
{
    return 2 * memory.transfer_cycles + static_cast<double>(program_bytes_of(list)) / memory.bytes_per_cycle;
}

// Elements of a part that an operation uses, all from its first one on; none where that takes more than a look.
std::optional<std::uint64_t> extent_of(const step_operation& operation, const tensor_part& part)
{
    if (const auto* t = std::get_if<transfer_operation>(&operation.work)) {
        return &part == &t->local ? t->elements() : t->modes.front().size;
    }
    if (const auto* r = std::get_if<copy_operation>(&operation.work)) {
        const auto& strides = &part == &r->a ? r->a_stride : r->result_stride;
        std::uint64_t last = 0;
        for (std::size_t m = 0; m < strides.size(); ++m) {
            if (strides[m] < 0) { return std::nullopt; }
            last += (r->size[m] - 1) * static_cast<std::uint64_t>(strides[m]);
        }
        return last + 1;
    }
    const auto* v = std::get_if<vector_operation>(&operation.work);
    if (v == nullptr) { return std::nullopt; }
    if (isa::vector::vector_signature_of(v->code).packed_rows) { return std::nullopt; }
    isa::vector::vector_command command;
    command.length = static_cast<std::uint32_t>(v->length);
    command.block = static_cast<std::uint32_t>(v->block);
    command.table = static_cast<std::uint32_t>(v->table);
    command.bits = v->bits;
    if (v->broadcast_b) { command.flags = isa::vector::vector_command::flag_broadcast_b; }
    const auto lengths = isa::vector::lengths_of(v->code, command);
    const auto is = [&](const std::optional<tensor_part>& operand) { return operand && &part == &*operand; };
    return is(v->a) ? lengths.a : is(v->b) ? lengths.b : is(v->c) ? lengths.c : lengths.result;
}

class timeline {
public:
    timeline(const operation_list& step, const step_places& places, const step_device& device)
        : m_step(step), m_places(places), m_overlaps(device.overlap), m_issued(fetch_cycles(step, device.memory))
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
                operation,
                [&](const tensor_part& part) {
                    parts.push_back({&part, extent_of(operation, part), false});
                },
                [&](const tensor_part& part) {
                    parts.push_back({&part, extent_of(operation, part), true});
                });
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
        double begun = 0, until = 0;
    };

    struct used_part {
        const tensor_part* part;
        std::optional<std::uint64_t> elements; // that it has; none: to the end of its tensor
        bool is_write;
    };

    // Bytes of a part in this iteration.
    bytes_in_use bytes_of(const used_part& used) const
    {
        const auto& part = *used.part;
        const auto& tensor = m_step.tensors[part.tensor];
        const std::uint64_t bytes = base::element_bytes(tensor.type), at = m_places.byte[part.tensor];
        if (!used.elements) {
            const bool advances = part.step != 0 || part.outer_step != 0;
            return {at + (advances ? 0 : part.offset * bytes), at + tensor.elements * bytes, used.is_write};
        }
        const auto first = part.offset + static_cast<std::uint64_t>(part.step * m_iteration[0]) +
                           static_cast<std::uint64_t>(part.outer_step * m_iteration[1]);
        return {at + first * bytes, at + (first + *used.elements) * bytes, used.is_write};
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
        double begin = m_overlaps ? std::max(m_issued, m_free[which]) : now();
        m_now.clear();
        for (const auto& part : m_parts[o]) { m_now.push_back(bytes_of(part)); }
        for (const auto& part : m_now) {
            for (const auto& busy : m_busy) {
                const bool meets = busy.first < part.end && part.first < busy.end;
                if (meets && (busy.is_write || part.is_write)) { begin = std::max(begin, busy.until); }
            }
        }
        m_issued = begin + 1;
        m_begun[which] = begin;
        m_free[which] = begin + m_cycles[o];
        m_busy.erase(std::remove_if(m_busy.begin(), m_busy.end(), [&](const auto& b) { return b.until <= begin; }),
                     m_busy.end());
        for (auto& part : m_now) {
            part.begun = begin;
            part.until = m_free[which];
            m_busy.push_back(part);
        }
        if (m_in_step) {
            (which == 0 ? m_found.engines : which == 1 ? m_found.vector : m_found.transfers) += m_times * m_cycles[o];
        }
    }

    // What has begun since then ends so many cycles later.
    void advance(double since, double cycles)
    {
        m_issued += cycles;
        for (std::size_t u = 0; u < m_free.size(); ++u) { m_free[u] += m_begun[u] >= since ? cycles : 0; }
        for (auto& busy : m_busy) { busy.until += busy.begun >= since ? cycles : 0; }
    }

    void repeat(std::size_t begin, const loop_operation& loop)
    {
        constexpr std::uint64_t followed = 3;
        const bool of_batches = loop.kind == loop_kind::batches;
        const double start = of_batches ? 0 : m_issued; // all work of a step repeats
        double last = m_issued, period = 0;
        const double times = m_times;
        const auto outer = m_iteration;
        m_iteration = {0, outer[0]};
        for (std::uint64_t i = 0; i < std::min(loop.count, followed); ++i) {
            const bool is_last = i + 1 == std::min(loop.count, followed);
            if (of_batches) { m_in_step = is_last; }
            m_times = is_last && !of_batches ? times * static_cast<double>(loop.count - i) : times;
            follow(begin + 1, m_end[begin]);
            period = m_issued - last;
            last = m_issued;
            ++m_iteration[0];
        }
        m_iteration = outer;
        m_times = times;
        if (of_batches) {
            m_in_step = false;
            m_found.step_cycles = period;
        }
        if (loop.count > followed) { advance(start, period * static_cast<double>(loop.count - followed)); }
    }

    const operation_list& m_step;
    const step_places& m_places;
    bool m_overlaps;
    double m_issued;                // the next command
    std::vector<double> m_cycles;   // by operation
    std::vector<std::size_t> m_end; // by operation that begins a loop
    std::vector<std::vector<used_part>> m_parts;
    std::vector<bytes_in_use> m_busy, m_now;   // of commands in progress, of the one that is issued
    std::array<std::int64_t, 2> m_iteration{}; // of the innermost loop, and of the one around it
    std::array<double, 3> m_free{}, m_begun{};
    double m_times = 1;
    bool m_in_step = false;
    step_estimate m_found;
};

// Of a LOAD or STORE: of one run by latency and bandwidth, of several by their bursts.
double transfer_cycles(const isa::tensor_descriptor& tensor, const memory_estimate& memory, bool store)
{
    const isa::descriptor_runs runs(tensor);
    const std::uint64_t bytes =
        runs.runs() * runs.run_elements() * base::element_bytes(static_cast<base::element_type>(tensor.type));
    if (runs.runs() == 1) { return memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle; }
    return memory.cycles(bytes, accesses_of(tensor, memory, store));
}

} // namespace

double gather_cycles(std::uint64_t slices, std::uint64_t bytes, std::uint64_t pitch, std::uint64_t table_slices,
                     const memory_estimate& memory)
{
    return memory.cycles(slices * bytes, accesses_of_slices(slices, bytes, pitch, table_slices, memory));
}

double cycles_of(const operation_list& list, const step_operation& operation, const step_device& device)
{
    const auto& work = operation.work;
    if (const auto* c = std::get_if<contract_operation>(&work)) { return c->cycles; }
    if (const auto* v = std::get_if<vector_operation>(&work)) {
        const bool adds_rows = v->code == opcode::scatter_add;
        return vector_cycles(v->code, v->length * (adds_rows ? v->block : 1),
                             adds_rows ? stalls_of_sums(*v, device) : 0, device);
    }
    if (const auto* r = std::get_if<copy_operation>(&work)) {
        return vector_cycles(opcode::repl, r->size[0] * r->size[1] * r->size[2], stalls_of(*r, device), device);
    }
    if (const auto* t = std::get_if<transfer_operation>(&work)) {
        const auto type = list.tensors[t->local.tensor].type;
        if (t->kind != transfer_kind::gather) {
            return transfer_cycles(t->descriptor(0, type), device.memory, t->kind == transfer_kind::store);
        }
        const std::uint64_t slices = t->modes.front().size, element = base::element_bytes(type);
        return gather_cycles(slices, t->elements() / slices * element,
                             static_cast<std::uint64_t>(t->modes.front().stride) * element, t->table_slices,
                             device.memory);
    }
    return 0;
}

step_estimate estimate_of(const operation_list& list, const step_places& places, const step_device& device)
{
    return timeline(list, places, device).run();
}

} // namespace tensorloom::workloads
