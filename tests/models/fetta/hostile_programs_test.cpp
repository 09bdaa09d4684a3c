// Programs whose CONTRACTs hold extreme numbers: a device refuses them as the checks say, or does what the reference
// interpreter does.
#include <cstdint>
#include <optional>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/fetta/schedule.h>
#include "models/fetta/program_case.h"
#include "models/hostile_programs.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::fetta::contract_command;

constexpr int seeds = 24;
constexpr std::uint64_t most_cycles = 600; // of a CONTRACT, for the reference's sake

struct hostile_case : fetta_case {
    static constexpr std::uint32_t flag_bits = 0;

    explicit hostile_case(std::uint64_t seed) : fetta_case(seed, seed + 1000, 20, 2) {}

    static contract_command decode(const program_bytes& program, const placed_command& c)
    {
        return contract_command::decode(c.header.flags, program.data() + c.payload());
    }
    static const arch::byte_layout* layout_of(const arch::command_header& header)
    {
        const bool contract = header.opcode == static_cast<std::uint8_t>(arch::fetta::opcode::contract);
        return contract ? &arch::fetta::contract_layout : nullptr;
    }
    std::optional<arch::refusal> refusal_of(const program_bytes& program, const placed_command& c,
                                            const std::optional<arch::loop_indices>& iteration) const
    {
        const auto command = decode(program, c);
        return arch::fetta::check(iteration ? command.at(*iteration) : command, geometry);
    }
    bool works_long(const program_bytes& program, const placed_command& c) const
    {
        return ideal_cycles(decode(program, c), geometry).total() > most_cycles;
    }
    std::vector<std::uint64_t> extremes() const
    {
        const auto& g = geometry;
        const std::uint64_t rows = g.bank_rows(g.operand);
        return {
            0,        1,    2,          3,          5,         g.side, g.engines - 1, g.engines, g.accumulator_rows(),
            rows - 1, rows, 0x7fffffff, 0x80000000, 0xffffffff};
    }
};

class hostile_programs : public sim_test_with_param<int> {};

TEST_P(hostile_programs, are_refused_as_the_checks_say_or_done_as_the_reference_does)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    expect_refused_or_as_on_the_reference(made_hostile(hostile_case(seed), seed), 1, 1);
}
INSTANTIATE_TEST_SUITE_P(seeds, hostile_programs, ::testing::Range(0, seeds));

} // namespace
