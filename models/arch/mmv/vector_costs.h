#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <tensorloom/models/arch/mmv/opcode.h>

namespace tensorloom::arch::mmv {

/// What an instruction of the vector unit takes: with `lanes` lanes and n elements of its longest operand or result
///
///     cycles = ceil(n / lanes) x cycles_per_group + depth
///
/// (bank conflicts of the scratchpad come on top). No paper gives these figures: all are estimates, for the sake of
/// comparing.
struct vector_cost {
    unsigned depth = 1;            ///< cycles from the last operands to the last result
    unsigned cycles_per_group = 1; ///< for one word per lane
};

/// One cost per entry of `instructions`; those of other units are not used.
using vector_costs = std::array<vector_cost, instruction_count>;

constexpr vector_costs default_vector_costs()
{
    vector_costs costs{};
    for (std::size_t i = 0; i < instruction_count; ++i) {
        switch (instructions[i].work) {
        case lane_work::none: break;
        case lane_work::logic: costs[i] = {1, 1}; break;
        case lane_work::move: costs[i] = {2, 1}; break;
        case lane_work::add: costs[i] = {2, 1}; break;
        case lane_work::multiply: costs[i] = {4, 1}; break;
        case lane_work::multiply_add: costs[i] = {4, 1}; break;
        case lane_work::function: costs[i] = {16, 1}; break; // a pipeline of a dozen operations
        case lane_work::revspec: costs[i] = {6, 1}; break;
        case lane_work::compact: costs[i] = {8, 2}; break;
        case lane_work::revert: costs[i] = {8, 2}; break;
        }
        switch (instructions[i].code) {                     // where words pass from lane to lane
        case opcode::sum_block: costs[i].depth = 14; break; // six levels of a tree over 64 lanes, behind the lanes
        case opcode::max_block: costs[i].depth = 7; break;
        case opcode::pack_bf16:
        case opcode::unpack_bf16: costs[i].depth = 4; break; // an exchange of rows
        default: break;
        }
    }
    return costs;
}

/// The first thing wrong with costs: at most a million cycles each, at least 1 per group.
std::optional<std::string> complaint(const vector_costs& costs);

/// Position of an instruction in the table, or instruction_count.
constexpr std::size_t instruction_index(opcode code)
{
    for (std::size_t i = 0; i < instruction_count; ++i) {
        if (instructions[i].code == code) { return i; }
    }
    return instruction_count;
}

} // namespace tensorloom::arch::mmv
