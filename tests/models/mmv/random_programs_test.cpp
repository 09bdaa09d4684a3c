// Random programs: the device in both fidelities, with and without overlap, does what the reference interpreter does.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/random_device.h"
#include "models/mmv/random_program.h"
#include "support/mmv_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::mmv::event;

constexpr int seeds = 90;
constexpr unsigned programs_per_seed = 4;
constexpr unsigned instructions = 14;

/// What a seed stands for.
struct random_case {
    explicit random_case(int seed)
        : config(random_device(static_cast<std::uint64_t>(seed))),
          maker(static_cast<std::uint64_t>(seed), mmv::limits_of(config), mmv_bench::data_at), data(maker.data())
    {
        for (unsigned p = 0; p < programs_per_seed; ++p) { programs.push_back(maker.program(instructions)); }
    }

    mmv::config config;
    program_maker maker;
    std::vector<std::uint8_t> data;
    std::vector<std::vector<std::uint8_t>> programs;
};

/// How a program ended, and what it left in memory and in the scratchpad.
struct ended_program {
    arch::error_code error = arch::error_code::none;
    std::uint32_t command = 0;
    arch::mmv::counts counts;
    std::vector<std::uint8_t> memory; // with a dump of the scratchpad
};

std::vector<ended_program> run_on_reference(const random_case& c)
{
    std::vector<ended_program> all;
    mmv_reference reference(mmv::limits_of(c.config),
                            {mmv_bench::data_at, c.maker.memory().bytes(), c.config.word_bits});
    reference.write(mmv_bench::data_at, c.data.data(), c.data.size());
    for (const auto& program : c.programs) {
        ended_program ended;
        try {
            reference.run(program);
        } catch (const workloads::mmv_error& e) {
            ended.error = e.code();
            ended.command = e.command();
        }
        ended.counts = reference.counted();
        reference.run(c.maker.dump());
        ended.memory = reference.memory();
        all.push_back(ended);
    }
    return all;
}

/// The same on a device, with the log.
struct device_run {
    std::vector<ended_program> ended;
    std::vector<mmv_outcome> outcomes;
};

mmv_bench::program_type running(const random_case& c, device_run& run)
{
    return [&c, &run](mmv_bench& b) {
        b.cpu().preload(mmv_bench::data_at, c.data.data(), c.data.size());
        for (const auto& program : c.programs) {
            run.outcomes.push_back(b.run(program));
            const auto& o = run.outcomes.back();
            const auto dumped = b.run(c.maker.dump());
            EXPECT_TRUE(dumped.result.done);
            run.ended.push_back({o.result.error, o.result.error_command, o.counts,
                                 b.read(mmv_bench::data_at, c.maker.memory().bytes())});
        }
    };
}

// How the hardware does it is not the reference's business.
arch::mmv::counts counted_by_both(arch::mmv::counts counts)
{
    for (auto e : {event::scratchpad_read, event::scratchpad_write, event::overlapped_cycle}) { counts[e] = 0; }
    return counts;
}

std::string difference(const arch::mmv::counts& found, const arch::mmv::counts& expected)
{
    std::string text;
    for (std::size_t e = 0; e < arch::mmv::event_count; ++e) {
        if (found.data()[e] != expected.data()[e]) {
            text += std::string(arch::mmv::events.events[e].name) + " " + std::to_string(found.data()[e]) +
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

class random_programs : public sim_test_with_param<int> {};

TEST_P(random_programs, do_on_the_device_what_they_do_on_the_reference)
{
    const random_case c(GetParam());
    const auto expected = run_on_reference(c);
    mmv::config config = c.config;
    device_run fast, detailed;
    mmv_bench a("fast", config, running(c, fast));
    config.fidelity = blocks::fidelity::detailed;
    mmv_bench b("detailed", config, running(c, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished());
    ASSERT_TRUE(b.finished());

    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        EXPECT_EQ(fast.ended[p].error, expected[p].error);
        EXPECT_EQ(fast.ended[p].command, expected[p].command);
        EXPECT_EQ(difference(counted_by_both(fast.ended[p].counts), expected[p].counts), "");
        EXPECT_EQ(difference(fast.ended[p].memory, expected[p].memory), "");

        const auto& f = fast.outcomes[p];
        const auto& d = detailed.outcomes[p];
        EXPECT_EQ(detailed.ended[p].error, expected[p].error);
        EXPECT_EQ(detailed.ended[p].command, expected[p].command);
        EXPECT_EQ(difference(detailed.ended[p].memory, expected[p].memory), "");
        EXPECT_TRUE(f.rows == d.rows);
        EXPECT_EQ(f.result.cycles, d.result.cycles);
        EXPECT_EQ(difference(f.window, f.counts), "");
        EXPECT_EQ(difference(d.window, d.counts), "");
        EXPECT_EQ(f.logged_cycles(), f.result.cycles);
    }
}

TEST_P(random_programs, give_the_same_values_when_units_overlap)
{
    const random_case c(GetParam());
    mmv::config config = c.config;
    device_run sequential, fast, detailed;
    mmv_bench s("sequential", config, running(c, sequential));
    config.overlap = true;
    mmv_bench a("fast", config, running(c, fast));
    config.fidelity = blocks::fidelity::detailed;
    mmv_bench b("detailed", config, running(c, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(s.finished() && a.finished() && b.finished());

    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& one = sequential.outcomes[p];
        const auto& f = fast.outcomes[p];
        const auto& d = detailed.outcomes[p];
        EXPECT_EQ(fast.ended[p].error, sequential.ended[p].error);
        EXPECT_EQ(fast.ended[p].command, sequential.ended[p].command);
        EXPECT_TRUE(f.rows == d.rows);
        EXPECT_EQ(f.logged_cycles(), f.result.cycles);
        // Commands behind one that fails may have begun.
        if (one.result.error != arch::error_code::none) { break; }
        EXPECT_EQ(difference(fast.ended[p].memory, sequential.ended[p].memory), "");
        EXPECT_EQ(difference(detailed.ended[p].memory, sequential.ended[p].memory), "");
        EXPECT_LE(f.result.cycles, one.result.cycles);
        auto counts = f.counts;
        counts[event::overlapped_cycle] = 0;
        EXPECT_EQ(difference(counts, one.counts), "");
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_programs, ::testing::Range(0, seeds));

// What the cases above are worth: every instruction of every format runs to its end in one of them, and all kinds of
// errors occur.
TEST(random_program_coverage, every_instruction_of_every_format_and_every_error)
{
    std::set<std::pair<arch::element_type, std::uint8_t>> ran;
    std::set<arch::error_code> errors;
    unsigned complete = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        const random_case c(seed);
        const auto all = run_on_reference(c);
        for (std::size_t p = 0; p < all.size(); ++p) {
            errors.insert(all[p].error);
            complete += all[p].error == arch::error_code::none ? 1 : 0;
            std::size_t at = arch::program_header::encoded_bytes;
            for (std::uint32_t i = 0; at < c.programs[p].size(); ++i) {
                const auto header = arch::command_header::decode(c.programs[p].data() + at);
                if (all[p].error == arch::error_code::none || i < all[p].command) {
                    ran.insert({c.config.format, header.opcode});
                }
                at += header.length;
            }
        }
    }
    for (const auto format : arch::systolic_formats) {
        const auto expect_run = [&](const auto& i) {
            EXPECT_EQ(ran.count({format, static_cast<std::uint8_t>(i.code)}),
                      exists_in_format(i.code, format) ? 1u : 0u)
                << i.name << " in " << arch::element_type_name(format);
        };
        std::for_each(std::begin(arch::mmv::instructions), std::end(arch::mmv::instructions), expect_run);
        std::for_each(std::begin(arch::vector::instructions), std::end(arch::vector::instructions), expect_run);
    }
    for (auto error :
         {arch::error_code::accumulator_overflow, arch::error_code::arithmetic_overflow, arch::error_code::bad_index}) {
        EXPECT_EQ(errors.count(error), 1u) << arch::error_text(error);
    }
    EXPECT_GT(complete, seeds * programs_per_seed * 3 / 4);
}

} // namespace
