#pragma once
#include <cstdint>
#include <functional>
#include <ostream>
#include <tensorloom/models/isa/program/program.h>
#include "models/device_bench.h"

namespace tensorloom::test {

/// A program that a device refuses: when it is loaded, or in a loop, when commands before it did run.
template <class Program> struct refused_program {
    const char* name;
    std::function<void(Program&)> program;
    isa::error_code code;
    std::uint32_t command; ///< index of the command that is named
    bool runs = false;     ///< commands before it do
};
template <class Program> void PrintTo(const refused_program<Program>& r, std::ostream* out) { *out << r.name; }

/// Runs it, and then one that is fine: the device works on. The outcomes of both.
template <class Bench, class Config, class Program>
std::pair<typename Bench::outcome_type, typename Bench::outcome_type>
run_refused(const Config& config, const refused_program<Program>& r, const Program& empty, const Program& fine)
{
    std::pair<typename Bench::outcome_type, typename Bench::outcome_type> outcomes;
    Bench bench("bench", config, [&](Bench& b) {
        Program p = empty;
        r.program(p);
        outcomes.first = b.run(p.bytes());
        outcomes.second = b.run(fine.bytes());
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
    const auto& result = outcomes.first.result;
    EXPECT_FALSE(result.done);
    EXPECT_STREQ(isa::error_text(result.error), isa::error_text(r.code));
    EXPECT_EQ(result.error_command, r.command);
    EXPECT_TRUE(outcomes.second.result.done);
    return outcomes;
}

} // namespace tensorloom::test
