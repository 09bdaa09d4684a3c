// Random programs: the device in both fidelities, with and without overlap, does what the reference interpreter does.
#include <algorithm>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/schedule.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/random_contraction.h"
#include "support/fetta_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::fetta::event;

constexpr int seeds = 48;
constexpr unsigned programs_per_seed = 2;
constexpr unsigned contractions = 10;

/// What a seed stands for.
struct random_case {
    explicit random_case(int seed)
        : geometry(random_geometry(static_cast<std::uint64_t>(seed))),
          maker(static_cast<std::uint64_t>(seed), geometry, fetta_bench::data_at), data(maker.data())
    {
        for (unsigned p = 0; p < programs_per_seed; ++p) { programs.push_back(maker.program(contractions)); }
    }
    fetta::config config(blocks::fidelity model, bool overlap) const
    {
        fetta::config c;
        c.geometry = geometry;
        c.fidelity = model;
        c.overlap = overlap;
        return c;
    }

    arch::fetta::geometry geometry;
    contraction_maker maker;
    std::vector<std::uint8_t> data;
    std::vector<std::vector<std::uint8_t>> programs;
};

struct reference_run {
    arch::fetta::counts counts;
    fetta_reference_cycles cycles;
    std::vector<std::uint8_t> memory; // with a dump of the unified memory
};

std::vector<reference_run> run_on_reference(const random_case& c)
{
    std::vector<reference_run> all;
    fetta_reference reference(c.geometry, {fetta_bench::data_at, c.maker.memory_bytes()});
    reference.write(fetta_bench::data_at, c.data.data(), c.data.size());
    for (const auto& program : c.programs) {
        reference_run run;
        run.counts = reference.run(program).counts;
        run.cycles = reference.cycles();
        reference.run(c.maker.dump());
        run.memory = reference.memory();
        all.push_back(run);
    }
    return all;
}

struct device_run {
    std::vector<fetta_outcome> outcomes;
    std::vector<std::vector<std::uint8_t>> memory; // with a dump of the unified memory
};

fetta_bench::program_type running(const random_case& c, device_run& run)
{
    return [&c, &run](fetta_bench& b) {
        b.cpu().preload(fetta_bench::data_at, c.data.data(), c.data.size());
        for (const auto& program : c.programs) {
            run.outcomes.push_back(b.run(program));
            EXPECT_TRUE(b.run(c.maker.dump()).result.done);
            run.memory.push_back(b.read(fetta_bench::data_at, c.maker.memory_bytes()));
        }
    };
}

std::string difference(const arch::fetta::counts& found, const arch::fetta::counts& expected)
{
    std::string text;
    for (std::size_t e = 0; e < arch::fetta::event_count; ++e) {
        if (found.data()[e] != expected.data()[e]) {
            text += std::string(arch::fetta::events.events[e].name) + " " + std::to_string(found.data()[e]) +
                    ", expected " + std::to_string(expected.data()[e]) + "; ";
        }
    }
    return text;
}

// The first byte that differs, as an offset in the memory.
std::string difference(const std::vector<std::uint8_t>& found, const std::vector<std::uint8_t>& expected)
{
    const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    return at.first == found.end() ? "" : "byte " + std::to_string(at.first - found.begin());
}

// How the hardware does it is not the reference's business.
arch::fetta::counts counted_by_both(arch::fetta::counts counts)
{
    counts[event::vector_word_read] = counts[event::vector_word_write] = 0;
    return counts;
}

class random_programs : public sim_test_with_param<int> {};

TEST_P(random_programs, do_on_the_device_what_they_do_on_the_reference)
{
    const random_case c(GetParam());
    const auto expected = run_on_reference(c);
    device_run fast, detailed;
    fetta_bench a("fast", c.config(blocks::fidelity::fast, false), running(c, fast));
    fetta_bench b("detailed", c.config(blocks::fidelity::detailed, false), running(c, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished());
    ASSERT_TRUE(b.finished());

    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& f = fast.outcomes[p];
        const auto& d = detailed.outcomes[p];
        ASSERT_EQ(f.result.error, arch::error_code::none) << "command " << f.result.error_command;
        EXPECT_EQ(difference(counted_by_both(f.counts), expected[p].counts), "");
        EXPECT_EQ(difference(counted_by_both(d.counts), expected[p].counts), "");
        EXPECT_EQ(difference(f.window, f.counts), "");
        EXPECT_EQ(difference(d.window, d.counts), "");
        EXPECT_EQ(f.cycles_of("fill"), expected[p].cycles.fill);
        EXPECT_EQ(f.cycles_of("compute"), expected[p].cycles.compute);
        EXPECT_EQ(f.cycles_of("reload"), expected[p].cycles.reload);
        EXPECT_EQ(f.cycles_of("psum"), expected[p].cycles.psum);
        std::uint64_t conflicts = 0; // those of the vector unit aside
        for (const auto& r : f.rows) { conflicts += r.phase == "contract" && r.cause == "conflict" ? r.cycles : 0; }
        EXPECT_EQ(conflicts, expected[p].cycles.conflict);
        EXPECT_EQ(f.logged_cycles(), f.result.cycles);
        EXPECT_TRUE(f.rows == d.rows);
        EXPECT_EQ(f.result.cycles, d.result.cycles);
        EXPECT_EQ(difference(fast.memory[p], expected[p].memory), "");
        EXPECT_EQ(difference(detailed.memory[p], expected[p].memory), "");
    }
}

TEST_P(random_programs, give_the_same_values_when_units_overlap)
{
    const random_case c(GetParam());
    device_run sequential, fast, detailed;
    fetta_bench s("sequential", c.config(blocks::fidelity::fast, false), running(c, sequential));
    fetta_bench a("fast", c.config(blocks::fidelity::fast, true), running(c, fast));
    fetta_bench b("detailed", c.config(blocks::fidelity::detailed, true), running(c, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(s.finished() && a.finished() && b.finished());

    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& f = fast.outcomes[p];
        EXPECT_TRUE(f.rows == detailed.outcomes[p].rows);
        EXPECT_EQ(f.logged_cycles(), f.result.cycles);
        EXPECT_EQ(difference(fast.memory[p], sequential.memory[p]), "");
        EXPECT_EQ(difference(detailed.memory[p], sequential.memory[p]), "");
        EXPECT_LE(f.result.cycles, sequential.outcomes[p].result.cycles);
        auto counts = f.counts;
        counts[event::overlapped_cycle] = 0;
        EXPECT_EQ(difference(counts, sequential.outcomes[p].counts), "");
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_programs, ::testing::Range(0, seeds));

// What the cases above are worth: every mapping with every flag, conflicts, several pieces of a stream, and more than
// 500 CONTRACTs.
TEST(random_program_coverage, every_mapping_with_every_flag)
{
    using arch::fetta::contract_command;
    unsigned contracts = 0, pieces = 0;
    unsigned seen[arch::fetta::mapping_count][9] = {};
    for (int seed = 0; seed < seeds; ++seed) {
        const random_case c(seed);
        for (const auto& program : c.programs) {
            for (std::size_t at = arch::program_header::encoded_bytes; at < program.size();) {
                const auto header = arch::command_header::decode(program.data() + at);
                if (header.opcode == static_cast<std::uint8_t>(arch::fetta::opcode::contract)) {
                    const auto command = contract_command::decode(
                        header.flags, program.data() + at + arch::command_header::encoded_bytes);
                    ++contracts;
                    pieces += arch::fetta::loops_of(command, c.geometry).pieces.size() > 1 ? 1 : 0;
                    for (unsigned f = 0; f < 9; ++f) { seen[command.mapping][f] += command.flags >> f & 1u; }
                }
                at += header.length;
            }
        }
    }
    EXPECT_GT(contracts, 500u);
    EXPECT_GT(pieces, 0u);
    for (const auto& flags : seen) {
        for (const unsigned n : flags) { EXPECT_GT(n, 0u); }
    }
    std::uint64_t conflicts = 0;
    for (const auto& run : run_on_reference(random_case(0))) { conflicts += run.cycles.conflict; }
    EXPECT_GT(conflicts, 0u);
}

} // namespace
