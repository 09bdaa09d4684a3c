#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include "models/fetta/program_case.h"
#include "models/hostile_programs.h"

namespace tensorloom::test {

/// A FETTA as the suite of hostile programs wants it: what the checks have against a CONTRACT, and which numbers to
/// try.
struct hostile_fetta_case : fetta_case {
    static constexpr std::uint32_t flag_bits = 0;

    static constexpr std::uint64_t most_cycles = 600; ///< of a CONTRACT, for the reference's sake

    hostile_fetta_case(std::uint64_t seed, unsigned count) : fetta_case(seed, seed + 1000, count, 2) {}
    hostile_fetta_case(const fetta::device_limits& g, unsigned count) : fetta_case(g, 1000, count, 2) {}

    static fetta::contract_command decode(const program_bytes& program, const placed_command& c)
    {
        return fetta::contract_command::decode(c.header.flags, program.data() + c.payload());
    }
    static const base::byte_layout* layout_of(const isa::command_header& header)
    {
        const bool contract = header.opcode == static_cast<std::uint8_t>(fetta::opcode::contract);
        return contract ? &fetta::contract_layout : nullptr;
    }
    std::optional<isa::check_error> check_error_of(const program_bytes& program, const placed_command& c,
                                                   const std::optional<isa::loop_indices>& iteration) const
    {
        const auto command = decode(program, c);
        return fetta::check(iteration ? command.at(*iteration) : command, limits);
    }
    bool works_long(const program_bytes& program, const placed_command& c) const
    {
        return ideal_cycles(decode(program, c), limits).total() > most_cycles;
    }
    std::vector<std::uint64_t> extremes() const
    {
        const auto& g = limits;
        const std::uint64_t rows = g.bank_rows(g.operand);
        return {
            0,        1,    2,          3,          5,         g.side, g.engines - 1, g.engines, g.accumulator_rows(),
            rows - 1, rows, 0x7fffffff, 0x80000000, 0xffffffff};
    }
};

} // namespace tensorloom::test
