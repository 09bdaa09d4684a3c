#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/blocks/fidelity.h>
#include "models/device_bench.h"

namespace tensorloom::test {

using program_bytes = std::vector<std::uint8_t>;
using cycles_by_cause = std::map<std::string, std::uint64_t>;

/// A command as it stands in a program.
struct placed_command {
    std::size_t at = 0; ///< offset of its header
    std::uint32_t index = 0;
    isa::command_header header;

    std::size_t payload() const { return at + isa::command_header::encoded_bytes; }
};

inline std::vector<placed_command> commands_of(const program_bytes& program)
{
    std::vector<placed_command> all;
    for (std::size_t at = isa::program_header::encoded_bytes; at < program.size();) {
        all.push_back({at, static_cast<std::uint32_t>(all.size()), isa::command_header::decode(program.data() + at)});
        at += all.back().header.length;
    }
    return all;
}

/// How a program ended on the reference interpreter, and what it left behind.
template <class Counts> struct reference_end {
    isa::error_code error = isa::error_code::none;
    std::uint32_t command = 0;
    Counts counts;
    cycles_by_cause cycles; ///< those that the reference knows
    program_bytes memory;   ///< with a dump of all that the device holds
};

/// Programs, one after the other, on a bench.
template <class Bench> struct device_end {
    std::vector<typename Bench::outcome_type> outcomes;
    std::vector<program_bytes> memory; ///< behind each, with a dump
};

// ---- Suites over device kinds: what a device does with programs that a seed stands for.
//
// Case has the types bench, reference and error (what the reference throws), and of an object
//   data, programs           what memory holds at first, and what runs on it
//   config(fidelity, overlap)
//   memory_bytes(), dump()   a memory with room for a dump, and the program that makes it
//   make_reference()         with the data in its memory
// and of the kind
//   fails_on_data            programs that are fine may end in an error of their data
//   events                   the device's event table
//   counted_by_both(counts)  without those that say how the hardware does it, which is not the reference's business
//   cycles_of(reference), cycles_of(outcome)  of the causes whose cycles the reference knows

template <class Case>
reference_end<typename Case::counts> run_on_reference(const Case& c, typename Case::reference& reference,
                                                      const program_bytes& program)
{
    reference_end<typename Case::counts> end;
    try {
        reference.run(program);
    } catch (const typename Case::error& e) {
        end.error = e.code();
        end.command = e.command();
    }
    end.counts = reference.counted();
    end.cycles = Case::cycles_of(reference);
    reference.run(c.dump());
    end.memory = reference.memory();
    return end;
}

/// The first program runs on the data, the next on what it left behind.
template <class Case> std::vector<reference_end<typename Case::counts>> run_on_reference(const Case& c)
{
    std::vector<reference_end<typename Case::counts>> all;
    const auto reference = c.make_reference();
    for (const auto& program : c.programs) { all.push_back(run_on_reference(c, *reference, program)); }
    return all;
}

/// The same on a device, or each program `afresh` on the data.
template <class Case>
typename Case::bench::program_type running(const Case& c, device_end<typename Case::bench>& end, bool afresh = false,
                                           std::uint64_t patience_ns = Case::bench::timeout_ns)
{
    using bench = typename Case::bench;
    return [&c, &end, afresh, patience_ns](bench& b) {
        for (const auto& program : c.programs) {
            if (afresh || end.outcomes.empty()) { b.cpu().preload(bench::data_at, c.data.data(), c.data.size()); }
            typename bench::outcome_type outcome;
            auto driver = b.driver();
            outcome.result = driver.run(program, bench::program_at, patience_ns);
            b.collect(outcome, driver);
            end.outcomes.push_back(outcome);
            EXPECT_TRUE(b.run(c.dump()).result.done);
            end.memory.push_back(b.read(bench::data_at, c.memory_bytes()));
        }
    };
}

template <class Case> std::string difference(const typename Case::counts& found, const typename Case::counts& expected)
{
    std::string text;
    for (std::size_t e = 0; e < Case::events().size; ++e) {
        if (found.data()[e] != expected.data()[e]) {
            text += std::string(Case::events().events[e].name) + " " + std::to_string(found.data()[e]) + ", expected " +
                    std::to_string(expected.data()[e]) + "; ";
        }
    }
    return text;
}

/// The first byte that differs, as an offset in the memory.
inline std::string difference(const program_bytes& found, const program_bytes& expected)
{
    const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    return at.first == found.end() ? "" : "byte " + std::to_string(at.first - found.begin());
}

/// The device in both fidelities does what the reference interpreter does.
template <class Case> void expect_as_on_the_reference(const Case& c)
{
    using bench = typename Case::bench;
    const auto expected = run_on_reference(c);
    device_end<bench> fast, detailed;
    bench a("fast", c.config(blocks::fidelity::fast, false), running(c, fast));
    bench b("detailed", c.config(blocks::fidelity::detailed, false), running(c, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());

    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        for (const auto* end : {&fast, &detailed}) {
            const auto& o = end->outcomes[p];
            EXPECT_STREQ(isa::error_text(o.result.error), isa::error_text(expected[p].error));
            EXPECT_EQ(o.result.error_command, expected[p].command);
            EXPECT_TRUE(o.result.done || Case::fails_on_data);
            EXPECT_EQ(difference<Case>(Case::counted_by_both(o.counts), expected[p].counts), "");
            EXPECT_EQ(difference<Case>(o.window, o.counts), "");
            EXPECT_EQ(Case::cycles_of(o), expected[p].cycles);
            EXPECT_EQ(o.logged_cycles(), o.result.cycles);
            EXPECT_EQ(difference(end->memory[p], expected[p].memory), "");
        }
        EXPECT_TRUE(fast.outcomes[p].rows == detailed.outcomes[p].rows);
        EXPECT_EQ(fast.outcomes[p].result.cycles, detailed.outcomes[p].result.cycles);
    }
}

/// Units that overlap give the same values in less time, at the same time in both fidelities.
template <class Case> void expect_same_values_when_units_overlap(const Case& c)
{
    using bench = typename Case::bench;
    device_end<bench> sequential, fast, detailed;
    bench s("sequential", c.config(blocks::fidelity::fast, false), running(c, sequential));
    bench a("fast", c.config(blocks::fidelity::fast, true), running(c, fast));
    bench b("detailed", c.config(blocks::fidelity::detailed, true), running(c, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(s.finished() && a.finished() && b.finished());

    for (std::size_t p = 0; p < c.programs.size(); ++p) {
        SCOPED_TRACE("program " + std::to_string(p));
        const auto& one = sequential.outcomes[p];
        const auto& f = fast.outcomes[p];
        EXPECT_EQ(f.result.error, one.result.error);
        EXPECT_EQ(f.result.error_command, one.result.error_command);
        EXPECT_TRUE(f.rows == detailed.outcomes[p].rows);
        EXPECT_EQ(f.logged_cycles(), f.result.cycles);
        // Commands behind one that fails may have begun.
        if (one.result.error != isa::error_code::none) { break; }
        EXPECT_EQ(difference(fast.memory[p], sequential.memory[p]), "");
        EXPECT_EQ(difference(detailed.memory[p], sequential.memory[p]), "");
        EXPECT_LE(f.result.cycles, one.result.cycles);
        auto counts = f.counts;
        counts[Case::overlapped_cycle] = 0;
        EXPECT_EQ(difference<Case>(counts, one.counts), "");
    }
}

} // namespace tensorloom::test
