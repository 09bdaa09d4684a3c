#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::isa::vector {

/// Cycles of an instruction of the vector unit with `lanes` lanes and n elements of its longest operand or result:
///
///     cycles = ceil(n / lanes) x cycles_per_group + depth
///
/// Bank conflicts of the scratchpad are added. No paper gives these figures: all are estimates, for comparisons.
struct vector_cost {
    unsigned depth = 1;            ///< cycles from the last operands to the last result
    unsigned cycles_per_group = 1; ///< for one word per lane
};

/// One cost per entry of `instructions`.
using costs = std::array<vector_cost, instruction_count>;

constexpr costs default_vector_costs()
{
    costs values{};
    for (std::size_t i = 0; i < instruction_count; ++i) {
        switch (instructions[i].work) {
        case lane_work::logic: values[i] = {1, 1}; break;
        case lane_work::move: values[i] = {2, 1}; break;
        case lane_work::add: values[i] = {2, 1}; break;
        case lane_work::multiply: values[i] = {4, 1}; break;
        case lane_work::multiply_add: values[i] = {4, 1}; break;
        case lane_work::function: values[i] = {16, 1}; break; // a pipeline of a dozen operations
        case lane_work::revspec: values[i] = {6, 1}; break;
        case lane_work::compact: values[i] = {8, 2}; break;
        case lane_work::revert: values[i] = {8, 2}; break;
        }
        switch (instructions[i].code) {                      // words move between lanes
        case opcode::sum_block: values[i].depth = 14; break; // six levels of a tree over 64 lanes, after the lanes
        case opcode::max_block: values[i].depth = 7; break;
        case opcode::scatter_add: values[i].depth = 4; break; // a move to a bank, and a sum there
        case opcode::pack_bf16:
        case opcode::unpack_bf16:
        case opcode::pack_f16:
        case opcode::unpack_f16:
        case opcode::pack_int8:
        case opcode::unpack_int8: values[i].depth = 4; break; // an exchange of rows, or of neighbours
        default: break;
        }
    }
    return values;
}

/// The costs in the parameter table of a device: "default", or those that differ from the default, each as
/// NAME:DEPTH:CYCLES_PER_GROUP with commas between them. Setting them starts from the default.
base::config_field costs_field(costs& at);

/// The first error of the costs: at most a million cycles each, at least 1 per group.
std::optional<std::string> validate(const costs& costs);

/// Index of an instruction in the table, or instruction_count.
constexpr std::size_t instruction_index(opcode code)
{
    for (std::size_t i = 0; i < instruction_count; ++i) {
        if (instructions[i].code == code) { return i; }
    }
    return instruction_count;
}

/// Configuration of a vector unit: its lanes, and whether lanes that read the same word at the same time share the
/// access.
base::config_fields unit_fields(unsigned& lanes, bool& bank_broadcast);

// Contributions of an instruction to the meters of the MMV-RAM model and to the counts of lanes: functions of the
// command alone, modulo 2^64. The command must have passed check().

/// Event vector_element, for vector instructions: the longest operand or result, including tables of indexed ones; for
/// gather_last and scatter_last the words moved, ceil(n/s); for scatter_add the words added, n s; for random_mask n. An
/// all-zero operand has length 0, a broadcast one 1.
std::uint64_t vector_elements(opcode code, const vector_command& command);
/// Likewise for repl: elements of the result.
std::uint64_t vector_elements(const strided_command& repl);

/// Words handled by the lanes, which take time (events lane_*, revspec_op, compact_op, revert_op): vector_elements(),
/// but n for scatter_last where z is not a, since it copies a.
std::uint64_t vector_words(opcode code, const vector_command& command);

/// Event vector_circuit: gates of the instruction's circuit for words of `word_bits` bits B, the leading term with
/// constant 1.
///
///     add, sub, mul, mul_add, sum_block,
///     sigmoid, tanh, exp, log, div, sqrt,
///     random_mask                         n B^2
///     and, or, not, or_block, bit         n
///     mask, is_zero, fill_first,
///     max, min, relu, relu_gradient,
///     max_block, pack_bf16, unpack_bf16   n B
///     gather_last, scatter_last           ceil(n/s) B
///     revspec                             n s B + n B^2
///     compact                             n^2 B
///     revert                              n^2 B + n B^2
///     gather_idx, gather_prev, flags      n x table x B
///     scatter_add                         n s table x B + n s B^2
///     expand                              n s x 2 bits, of its operands
///     repl                                n B, n elements of the result
///
/// Source: MMV-RAM (arXiv 2506.23906), table A.2; docs/mmv.md names the circuit of each instruction with its depth and
/// fan-in. mul is not AC0 there; it gets the size of an adder's row per bit, and so do the real-number instructions,
/// which are our additions, as is bit. flags scatters: a decoder of each position for each element; scatter_add does
/// the same with rows, and adds.
std::uint64_t circuit_size(opcode code, const vector_command& command, std::uint64_t word_bits);
std::uint64_t circuit_size(const strided_command& repl, std::uint64_t word_bits);

} // namespace tensorloom::isa::vector
