// Programs whose instructions hold extreme numbers: a device refuses them as the checks say, or does what the reference
// interpreter does.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/values/byte_layout.h>
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/scalar_signature.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/random_device.h"
#include "models/mmv/random_program.h"
#include "support/mmv_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::error_code;
using arch::refusal;
using arch::mmv::event;

constexpr int seeds = 40;
constexpr unsigned programs_per_seed = 40;
constexpr unsigned instructions = 3;
constexpr unsigned tries = 300;                              // to change an instruction
constexpr std::uint64_t patience_ns = 1'000'000'000'000'000; // of simulated time: the longest CHARGE takes 2^40 cycles
constexpr std::uint64_t most_operations = 1u << 15;          // that the reference is asked for, in an instruction

using program_bytes = std::vector<std::uint8_t>;

/// A command of a program.
struct placed_command {
    std::size_t at = 0; // offset of its header
    std::uint32_t index = 0;
    arch::command_header header;

    std::size_t payload() const { return at + arch::command_header::encoded_bytes; }
    const arch::command_description* what() const
    {
        return header.opcode < static_cast<std::uint8_t>(arch::opcode::first_of_device)
                   ? nullptr
                   : arch::find_command(arch::mmv::description, header.opcode);
    }
    const arch::vector::instruction* vector() const { return arch::vector::find_instruction(header.opcode); }
    const arch::mmv::instruction* other() const { return arch::mmv::find_instruction(header.opcode); }
};

std::vector<placed_command> commands_of(const program_bytes& program)
{
    std::vector<placed_command> all;
    for (std::size_t at = arch::program_header::encoded_bytes; at < program.size();) {
        all.push_back({at, static_cast<std::uint32_t>(all.size()), arch::command_header::decode(program.data() + at)});
        at += all.back().header.length;
    }
    return all;
}

/// Why an instruction is refused: as it stands, or in an iteration of its loops.
std::optional<refusal> refusal_of(const program_bytes& program, const placed_command& c,
                                  const arch::mmv::limits& limits,
                                  const std::optional<arch::loop_indices>& iteration = std::nullopt)
{
    const auto* const payload = program.data() + c.payload();
    const auto of = [&](const auto& command, const auto& checked) {
        return checked(iteration ? command.at(*iteration) : command);
    };
    const auto flags = c.header.flags;
    if (c.what()->payload == &arch::mmv::matmul_layout) {
        return of(arch::mmv::matmul_command::decode(payload), [&](const auto& m) { return check(m, flags, limits); });
    }
    if (c.what()->payload == &arch::vector::vector_layout) {
        return of(arch::vector::vector_command::decode(flags, payload),
                  [&](const auto& v) { return check(c.vector()->code, v, limits); });
    }
    return of(arch::vector::strided_command::decode(payload), [&](const auto& s) {
        return c.vector() != nullptr ? check(c.vector()->code, s, flags, limits)
                                     : check(c.other()->code, s, flags, limits);
    });
}

/// The command that is refused when the program is loaded, with the error.
std::optional<std::pair<std::uint32_t, error_code>> refused_at_load(const program_bytes& program,
                                                                    const arch::mmv::limits& limits)
{
    for (const auto& c : commands_of(program)) {
        if (c.what() == nullptr) { continue; }
        if (const auto r = refusal_of(program, c, limits)) { return std::make_pair(c.index, r->code); }
    }
    return std::nullopt;
}

/// Puts extreme numbers into the fields of instructions.
class number_changer {
public:
    number_changer(std::uint64_t seed, const arch::mmv::limits& limits) : m_engine(seed ^ 0xbad), m_limits(limits) {}

    /// A program with some of its instructions changed; none works long. Every other program is one that can be loaded.
    program_bytes changed(const program_bytes& fine)
    {
        const bool loads = below(2) == 0;
        program_bytes program = fine;
        for (const auto& c : commands_of(fine)) {
            if (c.what() == nullptr || below(4) == 0) { continue; }
            const program_bytes before = program;
            unsigned left = tries;
            do {
                program = before;
                change(program, c);
            } while (--left != 0 && (loads ? refused(program, c) || works_long(program, c) : works_long(program, c)));
            if (left == 0) { program = before; }
        }
        return program;
    }

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_engine() % n); }

    std::uint64_t number()
    {
        const std::uint64_t bytes = m_limits.scratchpad_bytes, word = m_limits.word_bytes(),
                            words = m_limits.scratchpad_words();
        const std::uint64_t extremes[] = {0,
                                          1,
                                          2,
                                          3,
                                          m_limits.side,
                                          m_limits.side + 1,
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
                                          std::uint64_t{0} - word,
                                          std::uint64_t{1} << 32,
                                          std::uint64_t{1} << 40,
                                          (std::uint64_t{1} << 40) + 1,
                                          std::uint64_t{1} << 61,
                                          ~std::uint64_t{0}};
        return below(8) == 0 ? m_engine() : extremes[below(std::size(extremes))];
    }

    // One to three numbers of the payload, some of them those of other fields: addresses that are equal.
    void change(program_bytes& program, const placed_command& c)
    {
        const auto& layout = *c.what()->payload;
        for (unsigned changes = 1 + below(3); changes != 0; --changes) {
            const auto& to = *std::next(layout.begin(), below(static_cast<std::uint32_t>(layout.size)));
            const auto& from = *std::next(layout.begin(), below(static_cast<std::uint32_t>(layout.size)));
            std::uint8_t* const payload = program.data() + c.payload();
            std::uint8_t* const place = payload + to.offset + to.bytes * below(to.count);
            if (below(4) == 0 && from.bytes == to.bytes) {
                std::copy_n(payload + from.offset, to.bytes, place);
                continue;
            }
            const std::uint64_t value = number();
            for (std::uint32_t i = 0; i < to.bytes; ++i) { place[i] = static_cast<std::uint8_t>(value >> (8 * i)); }
        }
        if (below(10) == 0) {
            program[c.at + arch::command_fields::flags.offset] ^= static_cast<std::uint8_t>(below(8));
        }
    }

    bool refused(const program_bytes& program, placed_command c) const
    {
        c.header = arch::command_header::decode(program.data() + c.at);
        return refusal_of(program, c, m_limits).has_value();
    }
    bool works_long(const program_bytes& program, const placed_command& c) const
    {
        const bool scalar = c.other() != nullptr && is_scalar(c.other()->code);
        if (!scalar || c.other()->code == arch::mmv::opcode::charge || refused(program, c)) { return false; }
        const auto s = arch::vector::strided_command::decode(program.data() + c.payload());
        return scalar_operations(c.other()->code, s) > most_operations;
    }

    std::mt19937_64 m_engine;
    arch::mmv::limits m_limits;
};

/// A device that a seed stands for, and its programs.
struct hostile_case {
    explicit hostile_case(int seed)
        : config(random_device(static_cast<std::uint64_t>(seed))), limits(mmv::limits_of(config)),
          maker(static_cast<std::uint64_t>(seed) + 1000, limits, mmv_bench::data_at), data(maker.data())
    {
        number_changer changer(static_cast<std::uint64_t>(seed), limits);
        for (unsigned p = 0; p < programs_per_seed; ++p) {
            programs.push_back(changer.changed(maker.program(instructions)));
        }
    }

    mmv::config config;
    arch::mmv::limits limits;
    program_maker maker;
    program_bytes data;
    std::vector<program_bytes> programs;
};

bool fails_on_data(error_code e)
{
    return e == error_code::bad_index || e == error_code::accumulator_overflow || e == error_code::arithmetic_overflow;
}

arch::mmv::counts without_accesses(arch::mmv::counts counts)
{
    counts[event::scratchpad_read] = counts[event::scratchpad_write] = 0;
    return counts;
}

class hostile_programs : public sim_test_with_param<int> {
protected:
    static void expect_as_reference(const hostile_case& c, const program_bytes& program, const mmv_outcome& found,
                                    const std::vector<std::uint8_t>& memory)
    {
        mmv_reference reference(c.limits, {mmv_bench::data_at, c.maker.memory().bytes(), c.config.word_bits});
        reference.write(mmv_bench::data_at, c.data.data(), c.data.size());
        error_code error = error_code::none;
        std::uint32_t command = 0;
        try {
            reference.run(program);
        } catch (const workloads::mmv_error& e) {
            error = e.code();
            command = e.command();
        }
        EXPECT_STREQ(arch::error_text(found.result.error), arch::error_text(error));
        EXPECT_EQ(found.result.error_command, command);
        EXPECT_TRUE(without_accesses(found.counts) == reference.counted());
        reference.run(c.maker.dump());
        EXPECT_TRUE(memory == reference.memory());
    }

    // A command that was fine when it was loaded: in one of its iterations it is not.
    static bool refused_in_an_iteration(const hostile_case& c, const program_bytes& program,
                                        const arch::program_result& result)
    {
        const auto command = commands_of(program)[result.error_command];
        if (command.what() == nullptr) { return false; }
        for (std::uint32_t i = 0; i < 3; ++i) { // loops of random programs take 3 iterations at most
            for (std::uint32_t j = 0; j < 3; ++j) {
                const auto r = refusal_of(program, command, c.limits, arch::loop_indices{i, j});
                if (r && r->code == result.error) { return true; }
            }
        }
        return false;
    }
};

TEST_P(hostile_programs, are_refused_as_the_checks_say_or_done_as_the_reference_does)
{
    const hostile_case c(GetParam());
    unsigned refused = 0, done = 0;
    mmv_bench bench("bench", c.config, [&](mmv_bench& b) {
        for (std::size_t p = 0; p < c.programs.size(); ++p) {
            SCOPED_TRACE("program " + std::to_string(p));
            const auto& program = c.programs[p];
            b.cpu().preload(mmv_bench::data_at, c.data.data(), c.data.size());
            mmv_outcome outcome;
            auto driver = b.driver();
            outcome.result = driver.run(program, mmv_bench::program_at, patience_ns);
            b.collect(outcome, driver);
            const auto& result = outcome.result;
            EXPECT_EQ(result.done, result.error == error_code::none);

            if (const auto expected = refused_at_load(program, c.limits)) {
                EXPECT_STREQ(arch::error_text(result.error), arch::error_text(expected->second));
                EXPECT_EQ(result.error_command, expected->first);
                EXPECT_TRUE(outcome.counts == arch::mmv::counts{});
                ++refused;
            } else if (result.done || fails_on_data(result.error)) {
                EXPECT_TRUE(b.run(c.maker.dump()).result.done);
                expect_as_reference(c, program, outcome, b.read(mmv_bench::data_at, c.maker.memory().bytes()));
                ++done;
            } else {
                EXPECT_TRUE(refused_in_an_iteration(c, program, result)) << arch::error_text(result.error);
            }
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
    EXPECT_GT(refused, programs_per_seed / 4);
    EXPECT_GT(done, programs_per_seed / 5);
}

INSTANTIATE_TEST_SUITE_P(seeds, hostile_programs, ::testing::Range(0, seeds));

// What the cases above are worth: every instruction is refused in one of them, and most run with an extreme number in
// them.
TEST(hostile_program_coverage, instructions_are_refused_for_each_reason_and_taken)
{
    std::set<std::string> refused, taken;
    std::set<error_code> errors;
    for (int seed = 0; seed < seeds; ++seed) {
        const hostile_case c(seed);
        for (const auto& program : c.programs) {
            const auto first = refused_at_load(program, c.limits);
            for (const auto& command : commands_of(program)) {
                if (command.what() == nullptr) { continue; }
                const auto r = refusal_of(program, command, c.limits);
                if (r) { errors.insert(r->code); }
                if (r) { refused.insert(command.what()->opcode.name); }
                if (!first) { taken.insert(command.what()->opcode.name); }
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
