// Programs whose CONTRACTs hold extreme numbers: a device refuses them as the checks say, or does what the reference
// interpreter does.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/schedule.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/random_contraction.h"
#include "support/fetta_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::error_code;
using arch::fetta::contract_command;
using arch::fetta::geometry;

constexpr int seeds = 24;
constexpr unsigned programs_per_seed = 20;
constexpr std::uint64_t most_cycles = 600; // of a CONTRACT, for the reference's sake

using program_bytes = std::vector<std::uint8_t>;

/// A CONTRACT in a program.
struct placed_command {
    std::size_t payload = 0; // offset
    std::uint32_t index = 0;
    std::uint16_t flags = 0;

    contract_command decode(const program_bytes& program) const
    {
        return contract_command::decode(flags, program.data() + payload);
    }
};

std::vector<placed_command> contracts_of(const program_bytes& program)
{
    std::vector<placed_command> all;
    std::uint32_t index = 0;
    for (std::size_t at = arch::program_header::encoded_bytes; at < program.size(); ++index) {
        const auto header = arch::command_header::decode(program.data() + at);
        if (header.opcode == static_cast<std::uint8_t>(arch::fetta::opcode::contract)) {
            all.push_back({at + arch::command_header::encoded_bytes, index, header.flags});
        }
        at += header.length;
    }
    return all;
}

/// The command that is refused when the program is loaded, with the error.
std::optional<std::pair<std::uint32_t, error_code>> refused_at_load(const program_bytes& program, const geometry& g)
{
    for (const auto& c : contracts_of(program)) {
        if (const auto r = arch::fetta::check(c.decode(program), g)) { return std::make_pair(c.index, r->code); }
    }
    return std::nullopt;
}

/// Puts extreme numbers into the fields of CONTRACTs; none works long. Every other program is one that can be loaded.
program_bytes changed(const program_bytes& fine, const geometry& g, std::mt19937_64& random)
{
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    const bool loads = below(2) == 0;
    program_bytes program = fine;
    for (auto c : contracts_of(fine)) {
        const program_bytes before = program;
        unsigned left = 300;
        bool takes = false;
        do {
            program = before;
            const auto& layout = arch::fetta::contract_layout;
            for (unsigned changes = 1 + below(2); changes != 0; --changes) {
                const auto& to = *std::next(layout.begin(), below(layout.size));
                const std::uint32_t extremes[] = {0,
                                                  1,
                                                  2,
                                                  3,
                                                  5,
                                                  g.side,
                                                  g.engines - 1,
                                                  g.engines,
                                                  g.accumulator_rows(),
                                                  g.bank_rows(g.operand) - 1,
                                                  g.bank_rows(g.operand),
                                                  0x7fffffff,
                                                  0x80000000,
                                                  0xffffffff,
                                                  static_cast<std::uint32_t>(random())};
                const std::uint32_t value = extremes[below(std::size(extremes))];
                const std::size_t place = c.payload + to.offset + to.bytes * below(to.count);
                for (std::uint32_t i = 0; i < std::min(4u, to.bytes); ++i) {
                    program[place + i] = static_cast<std::uint8_t>(value >> (8 * i));
                }
            }
            const auto command = c.decode(program);
            takes = !arch::fetta::check(command, g);
            if (takes && ideal_cycles(command, g).total() > most_cycles) { continue; }
            if (takes || !loads) { break; }
        } while (--left != 0);
        if (left == 0 || (takes && ideal_cycles(c.decode(program), g).total() > most_cycles)) { program = before; }
    }
    return program;
}

class hostile_programs : public sim_test_with_param<int> {};

TEST_P(hostile_programs, are_refused_as_the_checks_say_or_done_as_the_reference_does)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const geometry g = random_geometry(seed);
    contraction_maker maker(seed + 1000, g, fetta_bench::data_at);
    std::mt19937_64 random(seed);
    const auto data = maker.data();
    std::vector<program_bytes> programs;
    for (unsigned p = 0; p < programs_per_seed; ++p) { programs.push_back(changed(maker.program(2), g, random)); }

    unsigned refused = 0, done = 0;
    std::vector<program_bytes> memories[2];
    std::vector<fetta_outcome> outcomes[2];
    const auto run = [&](unsigned which) {
        return [&, which](fetta_bench& b) {
            for (const auto& program : programs) {
                b.cpu().preload(fetta_bench::data_at, data.data(), data.size());
                outcomes[which].push_back(b.run(program));
                EXPECT_TRUE(b.run(maker.dump()).result.done);
                memories[which].push_back(b.read(fetta_bench::data_at, maker.memory_bytes()));
            }
        };
    };
    fetta::config config;
    config.geometry = g;
    config.overlap = false;
    fetta_bench fast("fast", config, run(0));
    config.fidelity = blocks::fidelity::detailed;
    fetta_bench detailed("detailed", config, run(1));
    sc_core::sc_start();
    ASSERT_TRUE(fast.finished() && detailed.finished());

    for (std::size_t p = 0; p < programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& result = outcomes[0][p].result;
        EXPECT_EQ(result.done, result.error == error_code::none);
        EXPECT_TRUE(outcomes[0][p].rows == outcomes[1][p].rows);
        EXPECT_EQ(outcomes[1][p].result.error, result.error);
        EXPECT_EQ(outcomes[1][p].result.error_command, result.error_command);
        EXPECT_TRUE(memories[0][p] == memories[1][p]);
        if (const auto expected = refused_at_load(programs[p], g)) {
            EXPECT_STREQ(arch::error_text(result.error), arch::error_text(expected->second));
            EXPECT_EQ(result.error_command, expected->first);
            ++refused;
        } else if (result.done) {
            fetta_reference reference(g, {fetta_bench::data_at, maker.memory_bytes()});
            reference.write(fetta_bench::data_at, data.data(), data.size());
            auto counts = outcomes[0][p].counts; // how the hardware does it is not the reference's business
            counts[arch::fetta::event::vector_word_read] = counts[arch::fetta::event::vector_word_write] = 0;
            EXPECT_TRUE(reference.run(programs[p]).counts == counts);
            reference.run(maker.dump());
            EXPECT_TRUE(memories[0][p] == reference.memory());
            ++done;
        } else {
            // Fine when it was loaded: in one of its iterations (loops of random programs take 3 at most) it is not.
            const auto all = contracts_of(programs[p]);
            const auto it =
                std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.index == result.error_command; });
            ASSERT_NE(it, all.end());
            std::set<error_code> errors;
            for (std::uint32_t i = 0; i < 3; ++i) {
                if (const auto r = arch::fetta::check(it->decode(programs[p]).at({i, 0}), g)) {
                    errors.insert(r->code);
                }
            }
            EXPECT_EQ(errors.count(result.error), 1u);
        }
    }
    EXPECT_GT(refused, 0u);
    EXPECT_GT(done, 0u);
}

INSTANTIATE_TEST_SUITE_P(seeds, hostile_programs, ::testing::Range(0, seeds));

} // namespace
