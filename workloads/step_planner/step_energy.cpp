#include <algorithm>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/workloads/step_planner/pass_places.h>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::event;

// What LOADs and STOREs move: bytes, and the rows of the unified memory that each touches.
struct moved_data {
    std::uint64_t bytes = 0, rows = 0;

    void add(std::uint64_t transfer, std::uint64_t times, const fetta::device_limits& g)
    {
        const std::uint64_t row = g.row_bytes(element_type::bf16);
        bytes += times * transfer;
        rows += times * ((transfer + row - 1) / row);
    }
};

struct step_traffic {
    moved_data loaded, stored;
};

// Those behind the passes take pieces where gradients are in memory.
void add_pieces(const step_plan& plan, element_type type, moved_data& to)
{
    const std::uint64_t piece = plan.gradients_in_memory() ? update_piece(plan.limits) : plan.core_elements;
    for (std::uint64_t first = 0; first < plan.core_elements; first += piece) {
        to.add(std::min(piece, plan.core_elements - first) * base::element_bytes(type), 1, plan.limits);
    }
}

// Of the list of samples: a GATHER reads its part of it, wherever that begins.
std::uint64_t list_rows(const step_plan& plan)
{
    const std::uint64_t row = plan.limits.row_bytes(element_type::bf16), part = plan.list_bytes() / plan.blocks;
    std::uint64_t rows = 0;
    for (std::uint64_t b = 0; b < plan.blocks; ++b) {
        const std::uint64_t first = plan.list_by_block() ? 0 : b * part;
        rows += (first + part - 1) / row - first / row + 1;
    }
    return rows;
}

step_traffic traffic_of(const step_plan& plan)
{
    const auto& g = plan.limits;
    const auto cores = [&](element_type type) { return plan.core_elements * base::element_bytes(type); };
    step_traffic t;
    if (!plan.list_by_block()) { t.loaded.add(plan.list_bytes(), 1, g); }
    if (!plan.cores_by_pass) { t.loaded.add(cores(element_type::bf16), 1, g); }
    for (const auto& pass : plan.passes) {
        const std::uint64_t times = pass.slices * plan.blocks;
        for (const std::size_t operand : plan.loaded_first(pass)) { t.loaded.add(plan.operand_bytes(operand), 1, g); }
        bool gathers = false;
        for (const auto& moved : pass.loads) {
            if (plan.is_given_by_sample(moved.tensor)) {
                gathers = true;
                t.stored.rows += pass.slices * list_rows(plan);
            }
            t.loaded.add(plan.loaded_bytes(moved.tensor), times, g);
        }
        if (gathers && plan.list_by_block()) { t.loaded.add(plan.list_bytes() / plan.blocks, times, g); }
        for (const auto& moved : pass.stores) { t.stored.add(plan.bytes_of(moved.tensor), times, g); }
    }
    for (const auto& e : plan.executions()) {
        const std::uint64_t reordered = plan.reordered_bytes[e.contraction];
        if (reordered == 0) { continue; }
        t.stored.add(reordered, e.times * e.slices, g);
        t.loaded.add(reordered, e.times * e.slices, g);
    }
    for (const auto& c : plan.graph.contractions) {
        if (!plan.is_stored_by_slice(c.result)) { continue; }
        t.stored.add(plan.bytes_of(c.result), plan.graph.slices(*plan.graph.maker(c.result)), g);
    }
    if (!plan.settings.training) { return t; }
    if (!plan.gradients_in_memory() && !plan.settings.update) { t.stored.add(cores(element_type::f32), 1, g); }
    if (plan.settings.update) {
        t.loaded.add(sizeof(float), 1, g);             // the rate
        add_pieces(plan, element_type::f32, t.loaded); // masters
        add_pieces(plan, element_type::f32, t.stored);
        if (plan.gradients_in_memory()) { add_pieces(plan, element_type::f32, t.loaded); }
        if (plan.cores_by_pass) {
            add_pieces(plan, element_type::bf16, t.stored);
        } else {
            t.stored.add(cores(element_type::bf16), 1, g);
        }
    }
    return t;
}

void add(fetta::counts& sum, const fetta::counts& more, std::uint64_t times)
{
    for (std::size_t e = 0; e < fetta::event_count; ++e) { sum.data()[e] += times * more.data()[e]; }
}

// An instruction of the vector unit over so many elements; a word is a float32.
void add_vector(fetta::counts& sum, std::uint64_t times, std::uint64_t elements, std::uint64_t words_read,
                std::uint64_t words_written)
{
    sum[event::vector_instruction] += times;
    sum[event::vector_op] += times * elements;
    sum[event::vector_word_read] += times * words_read;
    sum[event::vector_word_write] += times * words_written;
}

// Rounding writes two elements in a word.
std::uint64_t words_of_bf16(std::uint64_t elements) { return (elements + 1) / 2; }

fetta::counts counts_of_vector_unit(const step_plan& plan)
{
    fetta::counts sum;
    for (const auto& pass : plan.passes) {
        for (const std::size_t c : pass.body) {
            if (!plan.added[c]) { continue; }
            const std::size_t t = plan.graph.contractions[c].result;
            const std::uint64_t n = plan.layouts.layout[t].span / pass.slices;
            add_vector(sum, pass.slices, n, n, n); // clear
            add_vector(sum, pass.slices * plan.blocks, n, 2 * n, n);
            if (plan.type_of(t) == element_type::bf16) { add_vector(sum, pass.slices, n, n, words_of_bf16(n)); }
        }
    }
    if (plan.settings.training && plan.settings.update) {
        const std::uint64_t n = plan.core_elements;
        const std::uint64_t pieces =
            plan.gradients_in_memory() ? (n + update_piece(plan.limits) - 1) / update_piece(plan.limits) : 1;
        add_vector(sum, 1, n, 2 * n + pieces, n); // masters, gradients, the rate
        add_vector(sum, 1, n, n, words_of_bf16(n));
        sum[event::vector_instruction] += 2 * (pieces - 1);
    }
    return sum;
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

std::uint64_t step_plan::program_bytes() const
{
    constexpr std::uint64_t header = isa::command_header::encoded_bytes;
    constexpr std::uint64_t contract = header + fetta::contract_command::payload_bytes;
    constexpr std::uint64_t transfer = header + isa::transfer_command::payload_bytes;
    constexpr std::uint64_t gather = header + isa::gather_command::payload_bytes;
    constexpr std::uint64_t vector = header + isa::vector::vector_command::payload_bytes;
    constexpr std::uint64_t loops = 2 * (header + isa::loop_command::payload_bytes) + 2 * header;
    const std::uint64_t first = residency == step_residency::spill && blocks > 1 ? 1 : 0; // a block by itself
    const std::uint64_t looped = (blocks - 1 - first) / 2 * 2;
    const std::uint64_t copies = blocks - looped + (looped != 0 ? 1 : 0); // of a body
    std::uint64_t bytes = isa::program_header::encoded_bytes;
    bytes += ((cores_by_pass ? 0 : 1) + (list_by_block() ? 0 : 1)) * transfer;
    for (const auto& pass : passes) {
        std::uint64_t sums = 0, rounded = 0, gathers = 0;
        for (const std::size_t c : pass.body) {
            sums += added[c] ? 1 : 0;
            rounded += added[c] && type_of(graph.contractions[c].result) == element_type::bf16 ? 1 : 0;
        }
        for (const auto& moved : pass.loads) { gathers += is_given_by_sample(moved.tensor) ? 1 : 0; }
        const std::uint64_t lists = gathers != 0 && list_by_block() ? 1 : 0;
        const std::uint64_t transfers = pass.loads.size() - gathers + lists + pass.stores.size();
        std::uint64_t way = copies * pass.body.size() * contract;
        way += copies * (transfers * transfer + gathers * gather); // the last block's LOADs stand ahead
        way += (sums + copies * sums + rounded) * vector + (looped != 0 ? loops : 0);
        if (pass.body.empty()) { way = 0; }
        bytes += (pass.slices * pass.before.size() + pass.after.size()) * contract + pass.slices * way;
        bytes += loaded_first(pass).size() * transfer;
    }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        if (is_stored_by_slice(graph.contractions[c].result)) { bytes += graph.slices(c) * transfer; }
    }
    if (!settings.training) { return bytes; }
    const std::uint64_t pieces =
        gradients_in_memory() ? (core_elements + update_piece(limits) - 1) / update_piece(limits) : 1;
    if (!settings.update) { return bytes + (gradients_in_memory() ? 0 : transfer); }
    const std::uint64_t of_piece = (gradients_in_memory() ? 3 : 2) + (cores_by_pass ? 1 : 0);
    return bytes + (cores_by_pass ? 1 : 2) * transfer + pieces * (of_piece * transfer + 2 * vector);
}

fetta::counts step_plan::estimated_counts() const
{
    fetta::counts sum = counts_of_vector_unit(*this);
    for (const auto& e : executions()) {
        add(sum, counts[e.contraction], e.slices * (e.times - 1));
        add(sum, last_counts[e.contraction], e.slices);
    }
    const auto traffic = traffic_of(*this);
    sum[event::load_row] = traffic.loaded.rows;
    sum[event::store_row] = traffic.stored.rows;
    return sum;
}

std::uint64_t step_plan::loaded_bytes(std::size_t tensor) const
{
    if (!is_given_by_sample(tensor)) { return bytes_of(tensor); }
    return block_graph.modes[graph.batch].size * sample_elements(tensor) * base::element_bytes(type_of(tensor));
}

step_plan::moved_bytes step_plan::estimated_traffic() const
{
    const auto traffic = traffic_of(*this);
    return {traffic.loaded.bytes + program_bytes(), traffic.stored.bytes};
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
