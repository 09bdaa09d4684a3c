#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include "models/random_programs.h"

namespace tensorloom::test {

// ---- A suite over device kinds: programs whose instructions hold extreme numbers. A device refuses them as the checks
// say, or does what the reference interpreter does.
//
// Case is that of random programs, and has besides
//   extremes()                               numbers to try
//   layout_of(header)                        of the payload of a command that is changed; null: not one
//   check_error_of(program, command, iteration)  what the checks have against it, as it stands or in an iteration
//   works_long(program, command)             accepted, but too long for the reference
//   flag_bits                                of the flags, those that are flipped now and then

/// The command that is refused when the program is loaded, with the error.
template <class Case>
std::optional<std::pair<std::uint32_t, isa::error_code>> refused_at_load(const Case& c, const program_bytes& program)
{
    for (const auto& command : commands_of(program)) {
        if (Case::layout_of(command.header) == nullptr) { continue; }
        if (const auto r = c.check_error_of(program, command, std::nullopt)) {
            return std::make_pair(command.index, r->code);
        }
    }
    return std::nullopt;
}

/// Puts extreme numbers into the fields of instructions.
template <class Case> class number_changer {
public:
    number_changer(std::uint64_t seed, const Case& c) : m_engine(seed ^ 0xbad), m_case(c) {}

    /// A program with some of its instructions changed; none works long. Every other program is one that can be loaded.
    program_bytes changed(const program_bytes& fine)
    {
        const bool loads = below(2u) == 0;
        program_bytes program = fine;
        for (const auto& c : commands_of(fine)) {
            if (Case::layout_of(c.header) == nullptr || below(4u) == 0) { continue; }
            const program_bytes before = program;
            unsigned left = 300;
            bool fits = false;
            for (; left != 0 && !fits; --left) {
                program = before;
                change(program, c);
                auto now = c;
                now.header = isa::command_header::decode(program.data() + c.at);
                const bool refused = m_case.check_error_of(program, now, std::nullopt).has_value();
                fits = refused ? !loads : !m_case.works_long(program, now);
            }
            if (!fits) { program = before; }
        }
        return program;
    }

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_engine() % n); }
    std::uint32_t below(std::size_t n) { return below(static_cast<std::uint32_t>(n)); }

    // One to three numbers of the payload, some of them those of other fields: addresses that are equal.
    void change(program_bytes& program, const placed_command& c)
    {
        const auto& layout = *Case::layout_of(c.header);
        const auto extremes = m_case.extremes();
        for (unsigned changes = 1 + below(3u); changes != 0; --changes) {
            const auto& to = *std::next(layout.begin(), below(layout.size));
            const auto& from = *std::next(layout.begin(), below(layout.size));
            std::uint8_t* const payload = program.data() + c.payload();
            std::uint8_t* const place = payload + to.offset + to.bytes * below(to.count);
            if (below(4u) == 0 && from.bytes == to.bytes) {
                std::copy_n(payload + from.offset, to.bytes, place);
                continue;
            }
            const std::uint64_t value = below(8u) == 0 ? m_engine() : extremes[below(extremes.size())];
            for (std::uint32_t i = 0; i < std::min(8u, to.bytes); ++i) {
                place[i] = static_cast<std::uint8_t>(value >> (8 * i));
            }
        }
        if (below(10u) == 0) {
            program[c.at + isa::command_fields::flags.offset] ^= static_cast<std::uint8_t>(below(8u) & Case::flag_bits);
        }
    }

    std::mt19937_64 m_engine;
    const Case& m_case;
};

/// A case with all its programs changed.
template <class Case> Case made_hostile(Case c, std::uint64_t seed)
{
    number_changer<Case> changer(seed, c);
    for (auto& program : c.programs) { program = changer.changed(program); }
    return c;
}

/// A command that was fine when it was loaded: in one of its iterations it is not.
template <class Case>
bool refused_in_an_iteration(const Case& c, const program_bytes& program, const isa::program_result& result)
{
    const auto command = commands_of(program)[result.error_command];
    if (Case::layout_of(command.header) == nullptr) { return false; }
    for (std::uint32_t i = 0; i < 3; ++i) { // loops of random programs take 3 iterations at most
        for (std::uint32_t j = 0; j < 3; ++j) {
            const auto r = c.check_error_of(program, command, isa::loop_indices{i, j});
            if (r && r->code == result.error) { return true; }
        }
    }
    return false;
}

/// At least so many of the case's programs must be refused when they are loaded, and so many end as on the reference.
template <class Case>
void expect_refused_or_as_on_the_reference(const Case& c, unsigned least_refused, unsigned least_done)
{
    using isa::error_code;
    using bench = typename Case::bench;
    constexpr std::uint64_t patience_ns = 1'000'000'000'000'000; // of simulated time: the longest command, 2^40 cycles
    device_end<bench> fast, detailed;
    bench a("fast", c.config(blocks::fidelity::fast, false), running(c, fast, true, patience_ns));
    bench b("detailed", c.config(blocks::fidelity::detailed, false), running(c, detailed, true, patience_ns));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());

    unsigned refused = 0, done = 0;
    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& program = c.programs[p];
        const auto& result = fast.outcomes[p].result;
        EXPECT_EQ(result.done, result.error == error_code::none);
        EXPECT_TRUE(fast.outcomes[p].rows == detailed.outcomes[p].rows);
        EXPECT_EQ(detailed.outcomes[p].result.error, result.error);
        EXPECT_EQ(detailed.outcomes[p].result.error_command, result.error_command);
        EXPECT_TRUE(fast.memory[p] == detailed.memory[p]);

        const bool of_data = result.error == error_code::bad_index ||
                             result.error == error_code::accumulator_overflow ||
                             result.error == error_code::arithmetic_overflow;
        if (const auto expected = refused_at_load(c, program)) {
            EXPECT_STREQ(isa::error_text(result.error), isa::error_text(expected->second));
            EXPECT_EQ(result.error_command, expected->first);
            EXPECT_EQ(difference<Case>(fast.outcomes[p].counts, {}), "");
            ++refused;
        } else if (result.done || (of_data && Case::fails_on_data)) {
            const auto reference = c.make_reference();
            const auto end = run_on_reference(c, *reference, program);
            EXPECT_STREQ(isa::error_text(result.error), isa::error_text(end.error));
            EXPECT_EQ(result.error_command, end.command);
            EXPECT_EQ(difference<Case>(Case::counted_by_both(fast.outcomes[p].counts), end.counts), "");
            EXPECT_EQ(difference(fast.memory[p], end.memory), "");
            ++done;
        } else {
            EXPECT_TRUE(refused_in_an_iteration(c, program, result)) << isa::error_text(result.error);
        }
    }
    EXPECT_GE(refused, least_refused);
    EXPECT_GE(done, least_done);
}

} // namespace tensorloom::test
