// Programs whose instructions hold extreme numbers: a device refuses them as the checks say, or does what the reference
// interpreter does.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include "models/mmv/hostile_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;

constexpr int hostile_seeds = 40;
constexpr unsigned hostile_programs_per_seed = 40;

hostile_mmv_case hostile_case_of(int seed)
{
    const auto s = static_cast<std::uint64_t>(seed);
    return made_hostile(hostile_mmv_case(s, hostile_programs_per_seed), s);
}

class hostile_programs : public sim_test_with_param<int> {};

TEST_P(hostile_programs, are_refused_as_the_checks_say_or_done_as_the_reference_does)
{
    expect_refused_or_as_on_the_reference(hostile_case_of(GetParam()), hostile_programs_per_seed / 4 + 1,
                                          hostile_programs_per_seed / 5 + 1);
}
INSTANTIATE_TEST_SUITE_P(seeds, hostile_programs, ::testing::Range(0, hostile_seeds));

// What the cases above are worth: every instruction is refused in one of them, and most run with an extreme number in
// them.
TEST(hostile_program_coverage, instructions_are_refused_for_each_reason_and_taken)
{
    std::set<std::string> refused, taken;
    std::set<error_code> errors;
    for (int seed = 0; seed < hostile_seeds; ++seed) {
        const auto c = hostile_case_of(seed);
        for (const auto& program : c.programs) {
            const auto first = refused_at_load(c, program);
            for (const auto& command : commands_of(program)) {
                const auto* const what = hostile_mmv_case::what(command.header);
                if (what == nullptr) { continue; }
                const auto r = c.check_error_of(program, command, std::nullopt);
                if (r) { errors.insert(r->code); }
                if (r) { refused.insert(what->opcode.name); }
                if (!first) { taken.insert(what->opcode.name); }
            }
        }
    }
    const auto exists = [](const auto& i) { // not of words that no pair has
        return std::any_of(base::systolic_formats, std::end(base::systolic_formats),
                           [&](base::element_type format) { return exists_in_format(i.code, format); });
    };
    const auto all = static_cast<std::size_t>(
        std::count_if(std::begin(isa::vector::instructions), std::end(isa::vector::instructions), exists) +
        std::count_if(std::begin(mmv::instructions), std::end(mmv::instructions), exists));
    EXPECT_EQ(refused.size(), all);
    EXPECT_EQ(taken.size(), all);
    for (const auto e : {error_code::bad_command, error_code::bad_field, error_code::too_large}) {
        EXPECT_EQ(errors.count(e), 1u) << isa::error_text(e);
    }
}

} // namespace
