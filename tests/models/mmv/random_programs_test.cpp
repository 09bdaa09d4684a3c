// Random programs: the device in both fidelities, with and without overlap, does what the reference interpreter does.
#include <set>
#include <utility>
#include <gtest/gtest.h>
#include "models/mmv/program_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr int seeds = 90;
constexpr unsigned programs_per_seed = 4;

mmv_case case_of(int seed)
{
    const auto s = static_cast<std::uint64_t>(seed);
    return {s, s, programs_per_seed, 14};
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
INSTANTIATE_TEST_SUITE_P(seeds, random_programs, ::testing::Range(0, seeds));

// What the cases above are worth: every instruction of every format runs to its end in one of them, and all kinds of
// errors occur.
TEST(random_program_coverage, every_instruction_of_every_format_and_every_error)
{
    std::set<std::pair<base::element_type, std::uint8_t>> ran;
    std::set<isa::error_code> errors;
    unsigned complete = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        const auto c = case_of(seed);
        const auto all = run_on_reference(c);
        for (std::size_t p = 0; p < all.size(); ++p) {
            errors.insert(all[p].error);
            complete += all[p].error == isa::error_code::none ? 1 : 0;
            for (const auto& command : commands_of(c.programs[p])) {
                if (all[p].error == isa::error_code::none || command.index < all[p].command) {
                    ran.insert({c.settings.format, command.header.opcode});
                }
            }
        }
    }
    for (const auto format : base::systolic_formats) {
        const auto expect_run = [&](const auto& i) {
            EXPECT_EQ(ran.count({format, static_cast<std::uint8_t>(i.code)}),
                      exists_in_format(i.code, base::accumulator_type(format)) ? 1u : 0u)
                << i.name << " in " << base::element_type_name(format);
        };
        std::for_each(std::begin(mmv::instructions), std::end(mmv::instructions), expect_run);
        std::for_each(std::begin(isa::vector::instructions), std::end(isa::vector::instructions), expect_run);
    }
    for (auto error :
         {isa::error_code::accumulator_overflow, isa::error_code::arithmetic_overflow, isa::error_code::bad_index}) {
        EXPECT_EQ(errors.count(error), 1u) << isa::error_text(error);
    }
    EXPECT_GT(complete, seeds * programs_per_seed * 3 / 4);
}

} // namespace
