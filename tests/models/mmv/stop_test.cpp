// Abort and reset act at the next cycle, burst or command: at the same time and with the same memory in both
// fidelities. The next program is as on a fresh device.
#include <cstdint>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/program/register_map.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::vector::opcode;

enum class how { abort, reset };

constexpr std::uint32_t words = 256; // of each operand
constexpr std::uint32_t x = 0, r = 8 * words, z = 16 * words, y = 24 * words;

mmv::config device()
{
    mmv::config c;
    c.side = 4;
    c.lanes = 3;
    c.banks = 4;
    c.call_latency = 5;
    c.scratchpad_bytes = 32 * words;
    return c;
}

std::vector<std::uint8_t> long_program()
{
    auto scatter = mmv_program::vector_command(z, z, y, 60);
    scatter.block = 4;
    mmv_program p(mmv::limits_of(device()));
    p.load(mmv_bench::data_at, x, words).load(mmv_bench::data_at + 8 * words, r, 16);
    p.loop(2);
    p.matmul(z, x, r, 62).vector(opcode::add, y, z, x, 40).add(opcode::scatter_last, scatter).charge(17);
    p.end();
    return p.store(z, mmv_bench::data_at + 0x2000, words).bytes();
}

struct stopped_program {
    mmv_outcome stopped;
    std::uint32_t status_after = 0;
    std::vector<std::uint8_t> scratchpad; // after the stop
    mmv_outcome next;                     // the same program, run again afterwards
    std::vector<std::uint8_t> stored;     // by it
};

// Starts the program, asks for the stop some picoseconds after START, and runs the program again. 0: no stop.
mmv_bench::program_type stopping(how stop, std::uint64_t after_ps, stopped_program& s)
{
    return [stop, after_ps, &s](mmv_bench& b) {
        std::vector<std::int64_t> numbers(2 * words);
        for (std::size_t i = 0; i < numbers.size(); ++i) { numbers[i] = static_cast<std::int64_t>(i * i % 23) - 11; }
        b.cpu().preload(mmv_bench::data_at, numbers.data(), 8 * numbers.size());
        const auto program = long_program();
        if (after_ps != 0) {
            auto driver = b.driver();
            b.cpu().write_block(mmv_bench::program_at, program.data(), program.size());
            driver.start(mmv_bench::program_at);
            wait(sc_core::sc_time(static_cast<double>(after_ps), sc_core::SC_PS));
            if (stop == how::abort) {
                driver.abort();
                s.stopped.result = driver.finish(mmv_bench::timeout_ns);
                b.collect(s.stopped, driver);
            } else {
                driver.reset();
            }
            s.status_after = driver.read(arch::reg::status);
            b.run(mmv_program(mmv::limits_of(device())).store(0, mmv_bench::data_at + 0x4000, 4 * words).bytes());
            s.scratchpad = b.read(mmv_bench::data_at + 0x4000, 32 * words);
        }
        s.next = b.run(program);
        s.stored = b.read(mmv_bench::data_at + 0x2000, 8 * words);
    };
}

class stop_test : public sim_test_with_param<std::tuple<how, int>> {};

TEST_P(stop_test, same_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, number] = GetParam();
    // Cycle boundaries, and times between them.
    const auto after_ps = static_cast<std::uint64_t>(11 * number + 5) * 1000 + (number % 2 == 0 ? 0 : 250);
    stopped_program fast, detailed, fresh;
    mmv::config config = device();
    mmv_bench a("fast", config, stopping(stop, after_ps, fast));
    mmv_bench f("fresh", config, stopping(stop, 0, fresh));
    config.fidelity = blocks::fidelity::detailed;
    mmv_bench d("detailed", config, stopping(stop, after_ps, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && d.finished() && f.finished());

    EXPECT_EQ(fast.stopped.result.aborted, stop == how::abort);
    EXPECT_EQ(fast.status_after, stop == how::abort ? arch::status_error | arch::status_aborted : 0u);
    EXPECT_EQ(detailed.status_after, fast.status_after);
    EXPECT_EQ(fast.stopped.result.cycles, detailed.stopped.result.cycles);
    EXPECT_TRUE(fast.stopped.rows == detailed.stopped.rows);
    EXPECT_EQ(fast.stopped.logged_cycles(), fast.stopped.result.cycles);
    EXPECT_TRUE(fast.scratchpad == detailed.scratchpad);
    if (stop == how::reset) { EXPECT_TRUE(fast.scratchpad == std::vector<std::uint8_t>(32 * words)); }

    EXPECT_TRUE(fast.next.rows == fresh.next.rows);
    EXPECT_TRUE(detailed.next.rows == fresh.next.rows);
    EXPECT_EQ(fast.next.result.cycles, fresh.next.result.cycles);
    EXPECT_TRUE(fast.stored == fresh.stored);
    EXPECT_TRUE(detailed.stored == fresh.stored);
}

// The whole takes about 345 cycles.
INSTANTIATE_TEST_SUITE_P(times, stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Range(0, 30)));

} // namespace
