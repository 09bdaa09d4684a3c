// Abort and reset act at the next cycle, burst or command: at the same time and with the same memory in both
// fidelities. The next program is as on a fresh device.
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "models/stopped_programs.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::vector::opcode;

constexpr std::uint32_t words = 256; // of each operand
constexpr std::uint32_t x_at = 0, r_at = 8 * words, z_at = 16 * words, y_at = 24 * words;

mmv::config stopped_device()
{
    mmv::config c;
    c.side = 4;
    c.lanes = 3;
    c.banks = 4;
    c.call_latency = 5;
    c.scratchpad_bytes = 32 * words;
    return c;
}

// Loads, calls, vector and scalar instructions in a loop, and a store.
stopped_job job()
{
    const auto limits = mmv::limits_of(stopped_device());
    std::vector<std::int64_t> numbers(2 * words);
    for (std::size_t i = 0; i < numbers.size(); ++i) { numbers[i] = static_cast<std::int64_t>(i * i % 23) - 11; }
    program_bytes data(8 * numbers.size());
    std::memcpy(data.data(), numbers.data(), data.size());
    auto scatter = mmv_program::vector_command(z_at, z_at, y_at, 60);
    scatter.block = 4;
    mmv_program p(limits);
    p.load(mmv_bench::data_at, x_at, words).load(mmv_bench::data_at + 8 * words, r_at, 16);
    p.loop(2);
    p.matmul(z_at, x_at, r_at, 62)
        .vector(opcode::add, y_at, z_at, x_at, 40)
        .add(opcode::scatter_last, scatter)
        .charge(17);
    p.end();
    p.store(z_at, mmv_bench::data_at + 0x2000, words);
    return {data,
            p.bytes(),
            {mmv_bench::data_at + 0x2000, 8 * words},
            mmv_program(limits).store(0, mmv_bench::data_at + 0x4000, 4 * words).bytes(),
            {mmv_bench::data_at + 0x4000, 32 * words}};
}

class stop_test : public sim_test_with_param<std::tuple<how, int>> {};

TEST_P(stop_test, same_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, number] = GetParam();
    // Cycle boundaries, and times between them.
    const auto after_ps = static_cast<std::uint64_t>(10 * number + 5) * 1000 + (number % 2 == 0 ? 0 : 250);
    const auto j = job();
    stopped_program<mmv_bench> fast, detailed, fresh;
    mmv::config config = stopped_device();
    mmv_bench a("fast", config, stopping(j, stop, after_ps, fast));
    mmv_bench f("fresh", config, stopping(j, stop, std::nullopt, fresh));
    config.fidelity = blocks::fidelity::detailed;
    mmv_bench d("detailed", config, stopping(j, stop, after_ps, detailed));
    run_to_end(a, d, f);
    expect_same_stop(stop, fast, detailed, fresh);
    EXPECT_TRUE(fast.local == detailed.local);
}

// The whole takes about 310 cycles.
INSTANTIATE_TEST_SUITE_P(times, stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Range(0, 30)));

} // namespace
