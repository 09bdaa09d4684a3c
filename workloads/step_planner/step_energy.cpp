#include <variant>
#include <vector>
#include <tensorloom/workloads/step_planner/plan_operations.h>
#include <tensorloom/workloads/step_planner/program_writer.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::event;

// Rows of the unified memory from a byte on.
std::uint64_t rows_of(std::uint64_t byte, std::uint64_t bytes, const fetta::device_limits& g)
{
    const std::uint64_t row = g.row_bytes(element_type::bf16);
    return (byte + bytes + row - 1) / row - byte / row;
}

void add(fetta::counts& sum, const fetta::counts& more, std::uint64_t times)
{
    for (std::size_t e = 0; e < fetta::event_count; ++e) { sum.data()[e] += times * more.data()[e]; }
}

// A word is a float32 or two elements of bf16; an operand beside those of all elements is one word.
void add_vector(fetta::counts& sum, const vector_operation& work, std::uint64_t times)
{
    const auto words = [&](isa::vector::opcode narrow) {
        return work.code == narrow ? (work.length + 1) / 2 : work.length;
    };
    const std::uint64_t factor = work.c ? 1 : 0;
    sum[event::vector_instruction] += times;
    sum[event::vector_op] += times * work.length;
    sum[event::vector_word_read] +=
        times * ((work.a ? words(isa::vector::opcode::unpack_bf16) : 0) + (work.b ? work.length : 0) + factor);
    sum[event::vector_word_write] += times * words(isa::vector::opcode::pack_bf16);
}

// A GATHER reads its part of the list of samples from chip, in every iteration.
std::uint64_t rows_of_lists(const step_plan& plan, const transfer_operation& gather, std::uint64_t times)
{
    const std::uint64_t bytes = gather.modes.front().size * sizeof(float);
    std::uint64_t rows = 0;
    for (std::uint64_t i = 0; i < times; ++i) {
        const auto first =
            static_cast<std::int64_t>(gather.list->offset) + static_cast<std::int64_t>(i) * gather.list->step;
        rows += rows_of(static_cast<std::uint64_t>(first) * sizeof(float), bytes, plan.limits);
    }
    return rows;
}

} // namespace

double step_cost::by(mapping_objective objective) const
{
    switch (objective) {
    case mapping_objective::energy: return pj;
    case mapping_objective::edp: return pj * static_cast<double>(cycles);
    default: return static_cast<double>(cycles);
    }
}

step_plan::operation_totals totals_of(const step_plan& plan, const operation_list& list)
{
    step_plan::operation_totals sum;
    sum.program_bytes = program_bytes_of(list);
    std::vector<std::uint64_t> times{1};
    for (const auto& operation : list.operations) {
        if (const auto* loop = std::get_if<loop_operation>(&operation.work)) {
            times.push_back(times.back() * loop->count);
        } else if (std::holds_alternative<end_operation>(operation.work)) {
            times.pop_back();
        } else if (const auto* v = std::get_if<vector_operation>(&operation.work)) {
            add_vector(sum.counts, *v, times.back());
        } else if (const auto* t = std::get_if<transfer_operation>(&operation.work)) {
            const std::uint64_t bytes = t->elements() * base::element_bytes(list.tensors[t->local.tensor].type);
            const bool stores = t->kind == transfer_kind::store;
            (stores ? sum.stored_bytes : sum.loaded_bytes) += times.back() * bytes;
            sum.counts[stores ? event::store_row : event::load_row] += times.back() * rows_of(0, bytes, plan.limits);
            if (t->list) { sum.counts[event::store_row] += rows_of_lists(plan, *t, times.back()); }
        }
    }
    return sum;
}

fetta::counts step_plan::estimated_counts() const
{
    fetta::counts sum = totals.counts;
    for (const auto& e : executions()) {
        add(sum, counts[e.contraction], e.slices * (e.times - 1));
        add(sum, last_counts[e.contraction], e.slices);
        const std::uint64_t rows = rows_of(0, reordered_bytes[e.contraction], limits);
        sum[event::load_row] += e.times * e.slices * rows;
        sum[event::store_row] += e.times * e.slices * rows;
    }
    return sum;
}

std::uint64_t step_plan::loaded_bytes(std::size_t tensor) const
{
    if (!is_given_by_sample(tensor)) { return bytes_of(tensor); }
    return block_graph.modes[graph.batch].size * sample_elements(tensor) * base::element_bytes(type_of(tensor));
}

step_plan::moved_bytes step_plan::estimated_traffic() const
{
    std::uint64_t reordered = 0;
    for (const auto& e : executions()) { reordered += e.times * e.slices * reordered_bytes[e.contraction]; }
    return {totals.loaded_bytes + reordered + totals.program_bytes, totals.stored_bytes + reordered};
}

step_cost step_plan::estimated_cost() const
{
    const auto& memory = settings.memory;
    const auto traffic = estimated_traffic();
    step_cost cost{estimated_cycles(), 0, residency};
    cost.pj = settings.costs.pj(estimated_counts(), cost.cycles) +
              memory.pj_per_cycle * static_cast<double>(cost.cycles) +
              memory.read_pj_per_byte * static_cast<double>(traffic.read) +
              memory.write_pj_per_byte * static_cast<double>(traffic.written);
    return cost;
}

} // namespace tensorloom::workloads
