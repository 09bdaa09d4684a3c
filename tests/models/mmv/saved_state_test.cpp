// A pair that was saved and restored goes on as it would have; what a debugger sees of it.
#include <gtest/gtest.h>
#include "models/mmv/mmv_program.h"
#include "models/mmv/program_case.h"
#include "models/saved_state.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class mmv_saved_state : public sim_test_with_param<int> {};

// Random programs, the second on what the first left in the scratchpad.
TEST_P(mmv_saved_state, goes_on_when_restored)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const mmv_case c(seed, seed + 1000, 2, 14);
    expect_that_it_goes_on_when_restored(c.config(blocks::fidelity::fast, seed % 2 == 0), programs_of(c),
                                         seed % 3 == 0);
}
INSTANTIATE_TEST_SUITE_P(seeds, mmv_saved_state, ::testing::Range(0, 12));

class mmv_debug_test : public sim_test {};

TEST_F(mmv_debug_test, scratchpad_is_there_for_debuggers)
{
    mmv::config config;
    config.scratchpad_bytes = 4096;
    config.side = 4;
    const std::uint64_t data = mmv_bench::data_at;
    mmv_bench bench("bench", config, [&](auto& b) {
        const auto load = mmv_program(mmv::limits_of(config)).load(data, 8, 16).bytes();
        b.cpu().preload(data, "what a LOAD brings, a debugger sees", 36);
        EXPECT_TRUE(b.run(load).result.done);
        const auto bytes = debug_bytes(b.device()).front();
        EXPECT_EQ(std::string(bytes.begin() + 8, bytes.begin() + 24), "what a LOAD brin");
        expect_debug_access(b, {"scratchpad"});
        expect_what_a_busy_device_allows(b, mmv_program(mmv::limits_of(config)).charge(1000).bytes(), 1);

        // What a debugger writes, a STORE takes.
        const byte_string text{'n', 'e', 'w'};
        EXPECT_EQ(b.device().debug_memories()[0].write(64, text.data(), 3), 3u);
        EXPECT_TRUE(b.run(mmv_program(mmv::limits_of(config)).store(64, data + 256, 1).bytes()).result.done);
        EXPECT_EQ(b.read(data + 256, 3), text);
    });
    run_to_end(bench);
}

// Weights stay in the array as long as nobody writes where they came from.
TEST_F(mmv_debug_test, matmul_sees_weights_that_a_debugger_wrote)
{
    mmv::config config;
    config.side = 2;
    config.scratchpad_bytes = 1024;
    mmv_bench bench("bench", config, [&](auto& b) {
        auto p = mmv_program(mmv::limits_of(config)).matmul(256, 0, 64, 4).charge(1000).matmul(256, 0, 64, 4).bytes();
        const std::vector<std::int64_t> operand{1, 0, 0, 1}, weights{5, 6, 7, 8}, others{2, 3, 4, 9};
        const auto& pad = b.device().debug_memories()[0];
        const auto put = [&](std::uint64_t at, const std::vector<std::int64_t>& words) {
            pad.write(at, reinterpret_cast<const unsigned char*>(words.data()), 8 * words.size());
        };
        put(0, operand);
        put(64, weights);
        b.cpu().preload(mmv_bench::program_at, p.data(), p.size());
        auto driver = b.driver();
        driver.start(mmv_bench::program_at);
        sc_core::wait(ns(500)); // the first MATMUL is over
        std::vector<std::int64_t> found(4);
        pad.read(256, reinterpret_cast<unsigned char*>(found.data()), 32);
        EXPECT_EQ(found, weights);
        put(64, others);
        EXPECT_TRUE(driver.finish(mmv_bench::timeout_ns).done);
        pad.read(256, reinterpret_cast<unsigned char*>(found.data()), 32);
        EXPECT_EQ(found, others);
        EXPECT_EQ(driver.counter(static_cast<std::uint32_t>(mmv::event::weight_load)), 2u);
    });
    run_to_end(bench);
}

} // namespace
