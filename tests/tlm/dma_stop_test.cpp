// A stop acts at the first burst that begins later than the request, whatever the order of processes.
#include <memory>
#include <ostream>
#include <gtest/gtest.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_result;

// Requests a stop at a time.
class stopper : public sc_core::sc_module {
public:
    stopper(sc_core::sc_module_name name, sc_core::sc_time at) : sc_core::sc_module(name), m_at(at)
    {
        SC_HAS_PROCESS(stopper);
        SC_THREAD(run);
    }
    bus::stop_request* stop = nullptr;

private:
    void run()
    {
        wait(m_at);
        stop->request();
    }
    sc_core::sc_time m_at;
};

struct stop_between_bursts {
    const char* name;
    double at_ns;
    std::uint64_t address; // of the first burst that is not sent; each takes 5 ns and 16 bytes
    bool stopper_first;
};
void PrintTo(const stop_between_bursts& c, std::ostream* out) { *out << c.name; }

class dma_stop_test : public sim_test_with_param<stop_between_bursts> {};

TEST_P(dma_stop_test, acts_between_bursts)
{
    std::unique_ptr<stopper> first;
    if (GetParam().stopper_first) { first = std::make_unique<stopper>("stopper", ns(GetParam().at_ns)); }
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(0, 256); });
    if (!first) { first = std::make_unique<stopper>("stopper", ns(GetParam().at_ns)); }
    first->stop = &bench.stop;
    bench.target.annotated = ns(5);
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::stopped);
    EXPECT_EQ(bench.result.address, GetParam().address);
    EXPECT_EQ(bench.target.log.size(), GetParam().address / 16);
    EXPECT_EQ(bench.end, ns(5.0 * static_cast<double>(GetParam().address / 16)));
}

INSTANTIATE_TEST_SUITE_P(time, dma_stop_test,
                         testing::Values(stop_between_bursts{"within a burst", 12, 48, false},
                                         stop_between_bursts{"within a burst, other order", 12, 48, true},
                                         stop_between_bursts{"as a burst begins", 10, 48, false},
                                         stop_between_bursts{"as a burst begins, other order", 10, 48, true},
                                         stop_between_bursts{"at the beginning", 0, 16, false},
                                         stop_between_bursts{"at the beginning, other order", 0, 16, true}));

class dma_late_stop_test : public sim_test {};

TEST_F(dma_late_stop_test, request_in_the_last_burst_changes_nothing)
{
    stopper late("stopper", ns(13));
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(0, 48); });
    late.stop = &bench.stop;
    bench.target.annotated = ns(5);
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(0, 48));
}

TEST_F(dma_late_stop_test, cleared_request_is_forgotten)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) {
        b.stop.request();
        sc_core::wait(ns(1));
        b.read(0, 16);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::stopped);
        b.stop.clear();
        b.read(0, 16);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.target.log.size(), 1u);
}

TEST_F(dma_late_stop_test, second_request_does_not_put_the_first_off)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) {
        b.stop.request();
        sc_core::wait(ns(3));
        b.stop.request();
        EXPECT_TRUE(b.stop.acts_at(ns(1)));
        EXPECT_TRUE(b.stop.acts_at(ns(3)));
        EXPECT_FALSE(b.stop.acts_at(sc_core::SC_ZERO_TIME));
    });
    sc_core::sc_start();
}

TEST_F(dma_late_stop_test, request_annotated_to_a_later_time_acts_after_it)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) {
        b.stop.request(ns(12));
        b.read(0, 256);
    });
    bench.target.annotated = ns(5);
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::stopped);
    EXPECT_EQ(bench.result.address, 48u);
}

TEST_F(dma_late_stop_test, earliest_of_several_requests_counts)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) {
        b.stop.request(ns(100));
        b.stop.request(ns(10));
        b.stop.request(ns(50));
        EXPECT_FALSE(b.stop.acts_at(ns(10)));
        EXPECT_TRUE(b.stop.acts_at(ns(11)));
    });
    sc_core::sc_start();
}

} // namespace
} // namespace tensorloom::test
