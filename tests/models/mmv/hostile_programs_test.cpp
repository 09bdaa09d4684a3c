// Programs whose instructions hold extreme numbers: a device refuses them as the checks say, or does what the reference
// interpreter does.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/instruction_set.h>
#include "models/hostile_programs.h"
#include "models/mmv/program_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::error_code;

constexpr int seeds = 40;
constexpr unsigned programs_per_seed = 40;
constexpr std::uint64_t most_operations = 1u << 15; // that the reference is asked for, in an instruction

struct hostile_case : mmv_case {
    static constexpr std::uint32_t flag_bits = 7;

    explicit hostile_case(std::uint64_t seed) : mmv_case(seed, seed + 1000, programs_per_seed, 3) {}

    static const arch::command_description* what(const arch::command_header& header)
    {
        return header.opcode < static_cast<std::uint8_t>(arch::opcode::first_of_device)
                   ? nullptr
                   : arch::find_command(arch::mmv::description, header.opcode);
    }
    static const arch::byte_layout* layout_of(const arch::command_header& header)
    {
        return what(header) == nullptr ? nullptr : what(header)->payload;
    }
    std::optional<arch::refusal> refusal_of(const program_bytes& program, const placed_command& c,
                                            const std::optional<arch::loop_indices>& iteration) const
    {
        const auto* const payload = program.data() + c.payload();
        const auto of = [&](const auto& command, const auto& checked) {
            return checked(iteration ? command.at(*iteration) : command);
        };
        const auto flags = c.header.flags;
        if (layout_of(c.header) == &arch::mmv::matmul_layout) {
            return of(arch::mmv::matmul_command::decode(payload),
                      [&](const auto& m) { return check(m, flags, limits); });
        }
        const auto* const vector = arch::vector::find_instruction(c.header.opcode);
        if (layout_of(c.header) == &arch::vector::vector_layout) {
            return of(arch::vector::vector_command::decode(flags, payload),
                      [&](const auto& v) { return check(vector->code, v, limits); });
        }
        return of(arch::vector::strided_command::decode(payload), [&](const auto& s) {
            return vector != nullptr ? check(vector->code, s, flags, limits)
                                     : check(arch::mmv::find_instruction(c.header.opcode)->code, s, flags, limits);
        });
    }
    bool works_long(const program_bytes& program, const placed_command& c) const
    {
        const auto* const i = arch::mmv::find_instruction(c.header.opcode);
        if (i == nullptr || !is_scalar(i->code) || i->code == arch::mmv::opcode::charge) { return false; }
        const auto s = arch::vector::strided_command::decode(program.data() + c.payload());
        return scalar_operations(i->code, s) > most_operations;
    }
    std::vector<std::uint64_t> extremes() const
    {
        const std::uint64_t bytes = limits.scratchpad_bytes, word = limits.word_bytes(),
                            words = limits.scratchpad_words(), one = 1;
        return {0,
                1,
                2,
                3,
                limits.side,
                limits.side + 1,
                word,
                words - 1,
                words,
                words + 1,
                bytes - word,
                bytes,
                bytes + word,
                bytes - 1,
                bytes + 1,
                0xffff,
                0x10000,
                0x7fffffff,
                0x80000000,
                0xfffffff8,
                0xffffffff,
                0 - word,
                one << 32,
                one << 40,
                (one << 40) + 1,
                one << 61,
                ~std::uint64_t{0}};
    }
};

hostile_case case_of(int seed)
{
    const auto s = static_cast<std::uint64_t>(seed);
    return made_hostile(hostile_case(s), s);
}

class hostile_programs : public sim_test_with_param<int> {};

TEST_P(hostile_programs, are_refused_as_the_checks_say_or_done_as_the_reference_does)
{
    expect_refused_or_as_on_the_reference(case_of(GetParam()), programs_per_seed / 4 + 1, programs_per_seed / 5 + 1);
}
INSTANTIATE_TEST_SUITE_P(seeds, hostile_programs, ::testing::Range(0, seeds));

// What the cases above are worth: every instruction is refused in one of them, and most run with an extreme number in
// them.
TEST(hostile_program_coverage, instructions_are_refused_for_each_reason_and_taken)
{
    std::set<std::string> refused, taken;
    std::set<error_code> errors;
    for (int seed = 0; seed < seeds; ++seed) {
        const auto c = case_of(seed);
        for (const auto& program : c.programs) {
            const auto first = refused_at_load(c, program);
            for (const auto& command : commands_of(program)) {
                const auto* const what = hostile_case::what(command.header);
                if (what == nullptr) { continue; }
                const auto r = c.refusal_of(program, command, std::nullopt);
                if (r) { errors.insert(r->code); }
                if (r) { refused.insert(what->opcode.name); }
                if (!first) { taken.insert(what->opcode.name); }
            }
        }
    }
    const auto exists = [](const auto& i) { // not of words that no pair has
        return std::any_of(arch::systolic_formats, std::end(arch::systolic_formats),
                           [&](arch::element_type format) { return exists_in_format(i.code, format); });
    };
    const auto all = static_cast<std::size_t>(
        std::count_if(std::begin(arch::vector::instructions), std::end(arch::vector::instructions), exists) +
        std::count_if(std::begin(arch::mmv::instructions), std::end(arch::mmv::instructions), exists));
    EXPECT_EQ(refused.size(), all);
    EXPECT_EQ(taken.size(), all);
    for (const auto e : {error_code::bad_command, error_code::bad_field, error_code::too_large}) {
        EXPECT_EQ(errors.count(e), 1u) << arch::error_text(e);
    }
}

} // namespace
