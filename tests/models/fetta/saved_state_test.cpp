// A FETTA that was saved and restored goes on as it would have; what a debugger sees of it.
#include <gtest/gtest.h>
#include "models/fetta/fetta_program.h"
#include "models/fetta/program_case.h"
#include "models/saved_state.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class fetta_saved_state : public sim_test_with_param<int> {};

TEST_P(fetta_saved_state, goes_on_when_restored)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const fetta_case c(seed, seed + 1000, 2, 3);
    expect_that_it_goes_on_when_restored(c.config(blocks::fidelity::fast, seed % 2 == 0), programs_of(c),
                                         seed % 3 == 0);
}
INSTANTIATE_TEST_SUITE_P(seeds, fetta_saved_state, ::testing::Range(0, 12));

class fetta_debug_test : public sim_test {};

TEST_F(fetta_debug_test, unified_memory_and_accumulators_are_there_for_debuggers)
{
    fetta::config config;
    config.limits.engines = 4;
    config.limits.bank_bytes = 4096;
    config.limits.operand = base::element_type::f32;
    const auto& g = config.limits;
    const std::uint64_t data = fetta_bench::data_at;
    fetta_bench bench("bench", config, [&](auto& b) {
        // Sums that are kept stand in the accumulators: 1 x 1 of 3 x 5.
        const std::vector<float> operands{3, 5};
        b.cpu().preload(data, operands.data(), 8);
        auto product = fetta_program::product(g, 128, 0, 1, 1, 1, 1);
        product.flags = static_cast<std::uint16_t>((product.flags & ~fetta::contract_command::flag_linear_result) |
                                                   fetta::contract_command::flag_keep);
        product.result = {};
        const auto kept = fetta_program(g).load(data, 0, 2).contract(product).bytes();
        EXPECT_TRUE(b.run(kept).result.done);
        const auto& memories = b.device().debug_memories();
        std::vector<float> sums(memories[1].bytes / 4);
        EXPECT_EQ(sums.size(), g.engines * g.accumulator_rows() * g.side);
        memories[1].read(0, reinterpret_cast<unsigned char*>(sums.data()), memories[1].bytes);
        EXPECT_EQ(std::count(sums.begin(), sums.end(), 15.0f), 1);
        EXPECT_EQ(std::count(sums.begin(), sums.end(), 0.0f), static_cast<std::ptrdiff_t>(sums.size()) - 1);

        // Both windows of the unified memory show its bytes, each in its order.
        std::vector<float> words(2);
        EXPECT_EQ(memories[0].bytes, 2 * g.memory_bytes());
        memories[0].read(g.memory_bytes(), reinterpret_cast<unsigned char*>(words.data()), 8);
        EXPECT_EQ(words, operands);
        byte_string across(64), narrow(32), wide(32);
        memories[0].read(g.memory_bytes() - 32, across.data(), 64);
        memories[0].read(g.memory_bytes() - 32, narrow.data(), 32);
        memories[0].read(g.memory_bytes(), wide.data(), 32);
        narrow.insert(narrow.end(), wide.begin(), wide.end());
        EXPECT_EQ(across, narrow);

        expect_debug_access(b, {"unified_memory", "accumulators"});
        expect_what_a_busy_device_allows(b, kept, 1);
    });
    run_to_end(bench);
}

} // namespace
