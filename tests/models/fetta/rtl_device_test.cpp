// A FETTA in the fidelity rtl does what a detailed one does: memory, counts, cycles, errors and waveforms of random
// programs, and of programs that are stopped.
#include <cstdint>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/fetta/program_case.h"
#include "models/fetta/traced_fetta.h"
#include "models/rtl/amount.h"
#include "models/stopped_programs.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;

constexpr element_type operands[] = {element_type::f32, element_type::bf16};
constexpr int seeds = 10; // of each type
constexpr unsigned contractions = 3;

fetta::device_limits limits_of(element_type operand, std::uint64_t seed)
{
    fetta::device_limits g;
    g.operand = operand;
    g.bank_bytes = 8192;
    g.accumulator_bank_bytes = 1024;
    g.buffer_cycles = static_cast<std::uint32_t>(seed % 3);
    return g;
}

class rtl_device_test : public sim_test_with_param<int> {
protected:
    static element_type operand() { return operands[GetParam() / seeds]; }
};

TEST_P(rtl_device_test, random_programs_are_those_of_the_detailed_device)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const fetta_case c(limits_of(operand(), seed), seed, static_cast<unsigned>(amount(5, 100)), contractions);
    const bool overlap = seed % 2 != 0;
    device_end<fetta_bench> detailed, rtl;
    const auto config = [&](blocks::fidelity model) { return c.config(model, overlap); };
    fetta_bench a("detailed", config(blocks::fidelity::detailed), running(c, detailed, true));
    fetta_bench b("rtl", config(blocks::fidelity::rtl), running(c, rtl, true));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());
    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& expected = detailed.outcomes[p];
        const auto& found = rtl.outcomes[p];
        EXPECT_EQ(found.result.error, expected.result.error);
        EXPECT_EQ(found.result.error_command, expected.result.error_command);
        EXPECT_EQ(found.result.cycles, expected.result.cycles);
        EXPECT_TRUE(found.rows == expected.rows);
        EXPECT_EQ(difference<fetta_case>(found.counts, expected.counts), "");
        EXPECT_EQ(difference(rtl.memory[p], detailed.memory[p]), "");
    }
}

TEST_P(rtl_device_test, waveforms_are_those_of_the_detailed_device)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const fetta_case c(limits_of(operand(), seed), seed, 1, contractions);
    device_end<fetta_bench> detailed, rtl;
    traced_fetta a("detailed", c.config(blocks::fidelity::detailed, false), traced_fetta::everything(),
                   running(c, detailed));
    traced_fetta b("rtl", c.config(blocks::fidelity::rtl, false), traced_fetta::everything(), running(c, rtl));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());
    EXPECT_GT(a.changes().size(), 10'000u);
    EXPECT_TRUE(a.changes() == b.changes());
}

// What a stop leaves in flight is dropped: the next program is as on the detailed device, and so is its waveform.
TEST_P(rtl_device_test, a_stopped_program_leaves_what_it_leaves_in_the_detailed_device)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const fetta_case c(limits_of(operand(), seed), seed, 1, 4 * contractions);
    const memory_piece all{fetta_bench::data_at, c.memory_bytes()};
    const stopped_job job{c.data, c.programs.front(), all, c.dump(), all};
    const std::uint64_t after_ps = 1000 * (2150 + 37 * seed); // after the load, which takes 2,050 cycles
    stopped_program<fetta_bench> detailed, rtl;
    const auto stop = seed % 4 == 3 ? how::reset : how::abort;
    traced_fetta a("detailed", c.config(blocks::fidelity::detailed, false), traced_fetta::everything(),
                   stopping(job, stop, after_ps, detailed));
    traced_fetta b("rtl", c.config(blocks::fidelity::rtl, false), traced_fetta::everything(),
                   stopping(job, stop, after_ps, rtl));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());
    EXPECT_EQ(rtl.stopped.result.aborted, stop == how::abort);
    EXPECT_EQ(rtl.stopped.result.cycles, detailed.stopped.result.cycles);
    EXPECT_TRUE(rtl.stopped.rows == detailed.stopped.rows);
    EXPECT_EQ(difference(rtl.local, detailed.local), "");
    EXPECT_EQ(rtl.next.result.cycles, detailed.next.result.cycles);
    EXPECT_TRUE(rtl.next.rows == detailed.next.rows);
    EXPECT_EQ(difference(rtl.stored, detailed.stored), "");
    // after a reset the host of one bench goes on before that of the other
    EXPECT_TRUE(stop == how::reset || a.changes() == b.changes());
}

INSTANTIATE_TEST_SUITE_P(seeds, rtl_device_test, ::testing::Range(0, 2 * seeds));

} // namespace
