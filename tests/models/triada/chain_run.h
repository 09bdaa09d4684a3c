#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include "models/saved_state.h"
#include "models/triada/chain_case.h"
#include "models/triada/triada_bench.h"

namespace tensorloom::test {

template <class T> using chain = std::vector<chain_step<T>>;

/// A command of a chain and the places of its results.
struct chain_command {
    isa::command_code code{triada::opcode::gemt};
    std::uint16_t flags = 0;
    std::vector<std::uint8_t> payload;
    std::uint64_t y = 0, previous = 0;

    chain_command(const triada::gemt_command& c)
        : code(triada::opcode::gemt), flags(c.flags), payload(c.encode()), y(c.y.base), previous(c.previous_y().base)
    {}
    chain_command(const isa::pointwise_command& c)
        : code(triada::opcode::pointwise), flags(c.flags), payload(c.encode()), y(c.y.base)
    {}
};

inline std::vector<std::uint8_t> program_of(const std::vector<chain_command>& commands)
{
    isa::program_builder program;
    for (const auto& c : commands) { program.add(c.code, c.flags, 0, c.payload); }
    return program.bytes();
}

inline std::vector<std::uint32_t> sizes_of(const shape3& shape) { return {shape.begin(), shape.end()}; }

/// A place in memory for elements or sums.
template <class T> isa::tensor_descriptor place_stored(triada_bench& bench, const shape3& shape, bool sums)
{
    const std::size_t elements = std::size_t{shape[0]} * shape[1] * shape[2];
    return isa::dense_descriptor(bench.reserve(elements * sizeof(sum_of<T>)),
                                 sums ? base::element_type_of<sum_of<T>> : base::element_type_of<T>, sizes_of(shape));
}
/// Y's descriptor: a place in memory, or none of a result that stays in the cells.
template <class T> isa::tensor_descriptor place_result(triada_bench& bench, const chain_step<T>& step)
{
    if (!step.hold) { return place_stored<T>(bench, step.result_shape(), step.sums_wanted()); }
    return isa::dense_descriptor(0, base::element_type_of<T>, sizes_of(step.result_shape()));
}

template <class T> triada::gemt_command place_product(triada_bench& bench, const chain_step<T>& step)
{
    using gemt = triada::gemt_command;
    auto c = bench.place_next(step.product);
    if (step.from != tensor_place::memory) {
        c.flags |= step.from == tensor_place::held ? gemt::flag_keep_tensor : gemt::flag_take_next;
        c.x.base = 0;
    }
    if (step.hold) { c.flags |= gemt::flag_hold_result; }
    c.y = place_result(bench, step);
    if (step.next) {
        c.flags |= gemt::flag_load_next;
        c.workspace =
            isa::dense_descriptor(bench.store(step.next->x), base::element_type_of<T>, sizes_of(step.next->shape));
    }
    if (step.previous) {
        c.flags |= gemt::flag_store_previous;
        c.initial_y = place_stored<T>(bench, step.previous->shape, step.previous->sums_wanted);
    }
    return c;
}

template <class T> isa::pointwise_command place_pointwise(triada_bench& bench, const chain_step<T>& step)
{
    using command = isa::pointwise_command;
    const auto& p = *step.pointwise;
    const auto type = base::element_type_of<T>;
    command c;
    const auto flag = [&c](bool set, std::uint16_t bit) {
        c.flags = static_cast<std::uint16_t>(c.flags | (set ? bit : 0));
    };
    flag(p.esop, command::flag_esop);
    flag(step.from == tensor_place::held, command::flag_keep_tensor);
    flag(step.hold, command::flag_hold_result);
    flag(p.keeps_operand(), command::flag_keep_operand);
    flag(p.hold_operand, command::flag_hold_operand);
    c.operation = static_cast<isa::pointwise_operation>(p.work);
    c.shift = static_cast<std::uint8_t>(p.shift);
    c.value = {p.value.real(), p.value.imag()};
    c.x = isa::dense_descriptor(step.from == tensor_place::held ? 0 : bench.store(p.x), type, sizes_of(p.shape));
    c.y = place_result(bench, step);
    if (p.takes_operand()) {
        c.operand = isa::dense_descriptor(p.keeps_operand() ? 0 : bench.store(p.operand), type, sizes_of(p.shape));
    }
    return c;
}

template <class T> chain_command place_step(triada_bench& bench, const chain_step<T>& step)
{
    if (step.pointwise) { return place_pointwise(bench, step); }
    return place_product(bench, step);
}

/// What a step left behind: the program that it was in, its place there, and what it stored.
template <class T> struct step_outcome {
    std::size_t program = 0;
    std::uint32_t command = 0;
    std::uint64_t y_at = 0, previous_at = 0;
    std::vector<T> y, previous;
    std::vector<sum_of<T>> sums, previous_sums;
};
template <class T> struct chain_outcome {
    std::vector<bench_outcome<triada::counts>> programs;
    std::vector<step_outcome<T>> steps;
    byte_string registers; ///< of all cells after it, when a debugger looked
};

template <class T>
void fetch_stored(triada_bench& bench, std::uint64_t at, const shape3& shape, bool sums_wanted,
                  std::vector<T>& elements, std::vector<sum_of<T>>& sums)
{
    const std::size_t count = std::size_t{shape[0]} * shape[1] * shape[2];
    if (sums_wanted) {
        sums.resize(count);
        bench.cpu().read_block(at, sums.data(), count * sizeof(sum_of<T>));
    } else {
        elements.resize(count);
        bench.cpu().read_block(at, elements.data(), count * sizeof(T));
    }
}

/// Places and runs a chain, program by program.
template <class T> chain_outcome<T> run_chain(triada_bench& bench, const chain<T>& steps, bool debug)
{
    chain_outcome<T> outcome;
    std::vector<std::vector<chain_command>> programs;
    bench.restart();
    for (const auto& step : steps) {
        if (programs.empty() || step.begins_program) { programs.emplace_back(); }
        const auto& placed = programs.back().emplace_back(place_step(bench, step));
        auto& s = outcome.steps.emplace_back();
        s.program = programs.size() - 1;
        s.command = static_cast<std::uint32_t>(programs.back().size() - 1);
        s.y_at = placed.y;
        s.previous_at = placed.previous;
    }
    for (const auto& commands : programs) { outcome.programs.push_back(bench.run(program_of(commands))); }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& step = steps[i];
        auto& s = outcome.steps[i];
        if (!step.hold) { fetch_stored(bench, s.y_at, step.result_shape(), step.sums_wanted(), s.y, s.sums); }
        if (step.previous) {
            fetch_stored(bench, s.previous_at, step.previous->shape, step.previous->sums_wanted, s.previous,
                         s.previous_sums);
        }
    }
    if (debug) { outcome.registers = debug_bytes(bench.device()).front(); }
    return outcome;
}

} // namespace tensorloom::test
