// Who listens to a read hears of every burst that succeeds, and when it is done.
#include <algorithm>
#include <vector>
#include <gtest/gtest.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_transport;

constexpr unsigned heard_bursts = 6, burst_bytes = 16;

struct heard_burst {
    std::uint64_t first;
    unsigned bytes;
    sc_core::sc_time done;
};

class dma_listener_test : public sim_test {
protected:
    template <class Bench> auto listening_read()
    {
        return [this](Bench& b) {
            b.result =
                b.dma.read(0, b.inside.data(), heard_bursts * burst_bytes, b.stop, [this](const bus::dma_burst& burst) {
                    heard.push_back({burst.first, burst.bytes, burst.done});
                });
        };
    }
    void expect_done(const std::vector<double>& at_ns)
    {
        std::sort(heard.begin(), heard.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        ASSERT_EQ(heard.size(), at_ns.size());
        for (std::size_t k = 0; k < heard.size(); ++k) {
            EXPECT_EQ(heard[k].first, k * burst_bytes);
            EXPECT_EQ(heard[k].bytes, burst_bytes);
            EXPECT_EQ(heard[k].done, ns(at_ns[k])) << k;
        }
    }

    std::vector<heard_burst> heard;
};

// Three in flight: the fourth is issued when the first is done.
TEST_F(dma_listener_test, blocking_bursts_are_done_when_their_answers_are_due)
{
    dma_bench<> bench("bench", several_of(3, burst_bytes), listening_read<dma_bench<>>());
    bench.target.annotated = ns(30);
    sc_core::sc_start();
    expect_done({30, 34, 38, 60, 64, 68});
    EXPECT_EQ(bench.end, ns(68));
}

TEST_F(dma_listener_test, no_burst_is_done_before_its_beats_have_passed)
{
    dma_bench<> bench("bench", several_of(3, burst_bytes), listening_read<dma_bench<>>());
    sc_core::sc_start();
    expect_done({beats_ns, 2 * beats_ns, 3 * beats_ns, 4 * beats_ns, 5 * beats_ns, 6 * beats_ns});
}

TEST_F(dma_listener_test, answers_may_come_in_any_order)
{
    at_dma_bench bench("bench", several_of(heard_bursts, burst_bytes, dma_transport::non_blocking),
                       listening_read<at_dma_bench>());
    bench.target.plan = [](const auto& request) {
        at_answer a;
        a.respond = ns(request.get_address() == 0 ? 100 : 20);
        return a;
    };
    sc_core::sc_start();
    ASSERT_EQ(heard.size(), heard_bursts);
    EXPECT_EQ(heard.back().first, 0u);
    expect_done({100, 24, 28, 32, 36, 40});
}

TEST_F(dma_listener_test, hears_nothing_of_failures_nor_of_the_next_read)
{
    dma_bench<> bench("bench", several_of(3, burst_bytes), [this](dma_bench<>& b) {
        listening_read<dma_bench<>>()(b);
        b.read(0, burst_bytes);
    });
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        if (t.get_address() == 2 * burst_bytes) { t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); }
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    for (const auto& burst : heard) { EXPECT_NE(burst.first, 2 * burst_bytes); }
    EXPECT_EQ(std::count_if(heard.begin(), heard.end(), [](const auto& h) { return h.first == 0; }), 1);
}

} // namespace
} // namespace tensorloom::test
