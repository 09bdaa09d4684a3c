// Waits of whole clock periods, also of more than simulated time can hold.
#include <cstdint>
#include <gtest/gtest.h>
#include <tensorloom/tlm/stop_request.h>
#include "models/blocks/vector_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class cycle_wait_test : public sim_test {};

const sc_core::sc_time period(1, sc_core::SC_NS);

TEST_F(cycle_wait_test, takes_its_periods)
{
    bus::stop_request stop;
    bench_thread thread("thread", [&] {
        EXPECT_EQ(bus::wait_cycles(7, period, stop), 7u);
        EXPECT_EQ(sc_core::sc_time_stamp(), 7 * period);
        EXPECT_EQ(bus::wait_cycles(0, period, stop), 0u);
        EXPECT_EQ(sc_core::sc_time_stamp(), 7 * period);
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

// 2^61 periods of 1000 units of time are 0 in 64 bits, and 2^62 / 125 + 1 are few.
TEST_F(cycle_wait_test, wait_beyond_the_end_of_time_lasts_until_it_is_stopped)
{
    bus::stop_request stop;
    bench_thread thread("thread", [&] {
        for (const std::uint64_t cycles :
             {std::uint64_t{1} << 61, (std::uint64_t{1} << 62) / 125 + 1, ~std::uint64_t{0}}) {
            const auto start = sc_core::sc_time_stamp();
            stop.request(1000.5 * period);
            EXPECT_EQ(bus::wait_cycles(cycles, period, stop), 1001u) << cycles;
            EXPECT_EQ(sc_core::sc_time_stamp() - start, 1001 * period);
            stop.clear();
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

} // namespace
