// Random programs: the device in both fidelities, with and without overlap, does what the reference interpreter does.
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include "models/fetta/program_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr int seeds = 48;

fetta_case case_of(int seed)
{
    const auto s = static_cast<std::uint64_t>(seed);
    return {s, s, 2, 10};
}

class random_programs : public sim_test_with_param<int> {};

TEST_P(random_programs, do_on_the_device_what_they_do_on_the_reference)
{
    expect_as_on_the_reference(case_of(GetParam()));
}
TEST_P(random_programs, give_the_same_values_when_units_overlap)
{
    expect_same_values_when_units_overlap(case_of(GetParam()));
}

// ... and a device that fetches its programs while they run: in pieces of any size, and in one piece, which is never
// slower than the whole program first.
struct fetching_case : fetta_case {
    fetching_case(const fetta_case& c, std::uint32_t piece_bytes) : fetta_case(c), piece(piece_bytes) {}

    fetta::config config(blocks::fidelity model, bool overlap) const
    {
        auto c = fetta_case::config(model, overlap);
        c.program_prefetch = piece;
        return c;
    }
    std::uint32_t piece;
};
TEST_P(random_programs, do_what_they_do_on_the_reference_while_they_are_fetched)
{
    expect_as_on_the_reference(fetching_case(case_of(GetParam()), 16u << GetParam() % 9));
}
TEST_P(random_programs, give_the_same_values_when_units_and_fetch_overlap)
{
    expect_same_values_when_units_overlap(fetching_case(case_of(GetParam()), 1u << 20));
}
INSTANTIATE_TEST_SUITE_P(seeds, random_programs, ::testing::Range(0, seeds));

// What the cases above are worth: every mapping with every flag, conflicts, several pieces of a stream, no errors, and
// more than 500 CONTRACTs.
TEST(random_program_coverage, every_mapping_with_every_flag)
{
    unsigned contracts = 0, pieces = 0;
    unsigned seen[fetta::mapping_count][9] = {};
    for (int seed = 0; seed < seeds; ++seed) {
        const auto c = case_of(seed);
        for (const auto& program : c.programs) {
            for (const auto& placed : commands_of(program)) {
                if (placed.header.opcode != static_cast<std::uint8_t>(fetta::opcode::contract)) { continue; }
                const auto command =
                    fetta::contract_command::decode(placed.header.flags, program.data() + placed.payload());
                ++contracts;
                pieces += fetta::loops_of(command, c.limits).pieces.size() > 1 ? 1 : 0;
                for (unsigned f = 0; f < 9; ++f) { seen[command.mapping][f] += command.flags >> f & 1u; }
            }
        }
    }
    EXPECT_GT(contracts, 500u);
    EXPECT_GT(pieces, 0u);
    for (const auto& flags : seen) {
        for (const unsigned n : flags) { EXPECT_GT(n, 0u); }
    }
    std::uint64_t conflicts = 0;
    for (const auto& run : run_on_reference(case_of(0))) { conflicts += run.cycles.at("conflict"); }
    EXPECT_GT(conflicts, 0u);
}

} // namespace
