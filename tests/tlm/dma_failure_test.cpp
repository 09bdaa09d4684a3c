// A burst of several in flight fails, or a stop comes: what is in flight finishes, the first failure is told, the next
// transfer is clean.
#include <algorithm>
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_result;
using bus::dma_transport;
using testing::ElementsAre;
using testing::IsEmpty;

const std::pair<tlm::tlm_response_status, const char*> failures[] = {
    {tlm::TLM_INCOMPLETE_RESPONSE, "incomplete"}, {tlm::TLM_GENERIC_ERROR_RESPONSE, "generic"},
    {tlm::TLM_ADDRESS_ERROR_RESPONSE, "address"}, {tlm::TLM_COMMAND_ERROR_RESPONSE, "command"},
    {tlm::TLM_BURST_ERROR_RESPONSE, "burst"},     {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "enable"}};

class dma_failure_test : public sim_test_with_param<std::pair<tlm::tlm_response_status, const char*>> {
protected:
    // Bursts 0, 1, 2, ... are issued at 0, 4, 8, ... ns and answered after 10 ns; burst 2 fails, known at 18 ns. Bursts
    // 3 and 4 are in flight then (issued at 12 and 16 ns), the next would be issued at 20 ns.
    template <class Bench> static void expect_end(const Bench& bench)
    {
        EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
        EXPECT_EQ(bench.result.address, 32u);
        EXPECT_EQ(bench.result.status, GetParam().first);
        EXPECT_THAT(bench.target.addresses(), ElementsAre(0, 16, 32, 48, 64));
        EXPECT_EQ(bench.end, ns(26));
        EXPECT_EQ(bench.count(dma_event::read_transaction), 4u);
        EXPECT_EQ(bench.count(dma_event::read_byte), 64u);
        EXPECT_EQ(bench.inside[79], bench.pattern(79));
        EXPECT_EQ(bench.inside[80], untouched);
        EXPECT_EQ(bench.count(dma_event::incomplete_response), GetParam().first == tlm::TLM_INCOMPLETE_RESPONSE);
    }
    template <class Bench> static void again(Bench& b)
    {
        std::fill(b.inside.begin(), b.inside.end(), untouched);
        b.read(0, 256);
        EXPECT_TRUE(b.result.ok());
        EXPECT_EQ(b.inside, b.read_of(0, 256));
    }
};

// The memory of the blocking tests leaves the answer to the test for good only when it is not INCOMPLETE; this one
// never sets it then.
class failing_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<failing_target, 32> in;
    std::vector<unsigned char> bytes;
    std::uint64_t base = 0;
    std::uint64_t fails_at = 32;
    std::vector<std::uint64_t> log;

    failing_target(sc_core::sc_module_name name, std::size_t size) : sc_core::sc_module(name), in("in"), bytes(size)
    {
        in.register_b_transport(this, &failing_target::b_transport);
    }
    std::vector<std::uint64_t> addresses() const { return log; }
    tlm::tlm_response_status status = tlm::TLM_GENERIC_ERROR_RESPONSE;

private:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        log.push_back(t.get_address());
        delay += ns(10);
        std::memcpy(t.get_data_ptr(), bytes.data() + t.get_address(), t.get_data_length());
        t.set_response_status(t.get_address() == fails_at ? status : tlm::TLM_OK_RESPONSE);
    }
};

TEST_P(dma_failure_test, blocking_ends_when_the_bursts_in_flight_have)
{
    tlm::tlm_global_quantum::instance().set(ns(1000));
    dma_bench<32, failing_target> bench("bench", several_of(8, 16), [](auto& b) { b.read(0, 256); });
    bench.target.status = GetParam().first;
    sc_core::sc_start();
    expect_end(bench);
}

TEST_P(dma_failure_test, blocking_leaves_nothing_to_the_next_transfer)
{
    dma_bench<32, failing_target> bench("bench", several_of(8, 16), [](auto& b) {
        b.read(0, 256);
        b.target.fails_at = 4096;
        again(b);
    });
    bench.target.status = GetParam().first;
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

TEST_P(dma_failure_test, non_blocking_ends_when_the_bursts_in_flight_have)
{
    at_dma_bench bench("bench", several_of(8, 16, dma_transport::non_blocking), [](auto& b) { b.read(0, 256); });
    bench.target.plan = [](const auto& t) {
        return answer_after(10, t.get_address() == 32 ? GetParam().first : tlm::TLM_OK_RESPONSE);
    };
    sc_core::sc_start();
    expect_end(bench);
    EXPECT_EQ(bench.target.freed, 5u);
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

TEST_P(dma_failure_test, non_blocking_leaves_nothing_to_the_next_transfer)
{
    at_dma_bench bench("bench", several_of(8, 16, dma_transport::non_blocking), [](auto& b) {
        b.read(0, 256);
        b.target.plan = [](const auto&) { return answer_after(3); };
        again(b);
    });
    bench.target.plan = [](const auto& t) {
        return answer_after(10, t.get_address() == 32 ? GetParam().first : tlm::TLM_OK_RESPONSE);
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    EXPECT_EQ(bench.target.in_flight(), 0u);
}

INSTANTIATE_TEST_SUITE_P(status, dma_failure_test, testing::ValuesIn(failures),
                         [](const auto& tested) { return std::string(tested.param.second); });

class dma_several_failures_test : public sim_test {};

TEST_F(dma_several_failures_test, first_by_order_of_issue_is_told_though_it_fails_last)
{
    at_dma_bench bench("bench", several_of(8, 16, dma_transport::non_blocking), [](auto& b) { b.read(0, 1024); });
    bench.target.plan = [](const auto& t) {
        if (t.get_address() == 16) { return answer_after(90, tlm::TLM_COMMAND_ERROR_RESPONSE); }
        if (t.get_address() == 48) { return answer_after(10, tlm::TLM_BURST_ERROR_RESPONSE); }
        return answer_after(20);
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.result.address, 16u);
    EXPECT_EQ(bench.result.status, tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(bench.end, ns(94));
    EXPECT_EQ(bench.target.log.size(), 6u); // burst 3 has failed at 22 ns
}

class dma_failure_order_test : public sim_test_with_param<dma_transport> {};

TEST_P(dma_failure_order_test, earliest_failure_ends_the_issue_of_bursts)
{
    tlm::tlm_global_quantum::instance().set(ns(1000));
    at_dma_bench bench("bench", several_of(8, 16, GetParam()), [](auto& b) { b.read(0, 1024); });
    bench.target.plan = [](const auto& t) {
        if (t.get_address() == 16) { return answer_after(10, tlm::TLM_COMMAND_ERROR_RESPONSE); } // known at 14 ns
        if (t.get_address() == 32) { return answer_after(90, tlm::TLM_BURST_ERROR_RESPONSE); }
        return answer_after(20);
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.result.address, 16u);
    EXPECT_EQ(bench.target.log.size(), 4u);
    EXPECT_EQ(bench.end, ns(98));
}

INSTANTIATE_TEST_SUITE_P(transport, dma_failure_order_test,
                         testing::Values(dma_transport::blocking, dma_transport::non_blocking), [](const auto& tested) {
                             return tested.param == dma_transport::blocking ? "blocking" : "non_blocking";
                         });

// ---- a target that sets no response ----

TEST_F(dma_several_failures_test, answer_left_incomplete_is_taken_as_ok_if_so_configured)
{
    auto config = several_of(4, 16);
    config.accept_incomplete = true;
    dma_bench<32, failing_target> bench("bench", config, [](auto& b) { b.read(0, 256); });
    bench.target.status = tlm::TLM_INCOMPLETE_RESPONSE;
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(0, 256));
    EXPECT_EQ(bench.count(dma_event::incomplete_response), 1u);
    EXPECT_EQ(bench.count(dma_event::read_transaction), 16u);
}

TEST_F(dma_several_failures_test, tolerance_is_for_missing_answers_only)
{
    auto config = several_of(4, 16);
    config.accept_incomplete = true;
    dma_bench<32, failing_target> bench("bench", config, [](auto& b) { b.read(0, 256); });
    bench.target.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
    EXPECT_EQ(bench.count(dma_event::incomplete_response), 0u);
}

// ---- stops ----

struct stop_case {
    dma_transport transport;
    double at_ns;
    std::uint64_t sent; // bursts; issued at 0, 4, 8, 12 ns, then in rounds of 30 ns
};
void PrintTo(const stop_case& c, std::ostream* out)
{
    *out << (c.transport == dma_transport::blocking ? "blocking_" : "non_blocking_") << c.at_ns;
}

class dma_stop_in_flight_test : public sim_test_with_param<stop_case> {
protected:
    template <class Bench> static void stop_and_go_on(Bench& b)
    {
        b.stop.request(ns(GetParam().at_ns));
        b.read(0, 256);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::stopped);
        EXPECT_EQ(b.result.address, GetParam().sent * 16);
        EXPECT_EQ(b.inside, b.read_of(0, GetParam().sent * 16));
        const double last = (GetParam().sent - 1) / 4 * 30.0 + (GetParam().sent - 1) % 4 * 4.0;
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(last + 30));
        b.stop.clear();
        b.read(512, 256);
        EXPECT_TRUE(b.result.ok());
        EXPECT_EQ(b.inside, b.read_of(512, 256));
    }
};

TEST_P(dma_stop_in_flight_test, lets_the_bursts_in_flight_finish_and_sends_no_more)
{
    if (GetParam().transport == dma_transport::blocking) {
        dma_bench<> bench("bench", several_of(4, 16), [](auto& b) { stop_and_go_on(b); });
        bench.target.annotated = ns(30);
        sc_core::sc_start();
        EXPECT_TRUE(bench.finished);
    } else {
        at_dma_bench bench("bench", several_of(4, 16, dma_transport::non_blocking), [](auto& b) { stop_and_go_on(b); });
        bench.target.plan = [](const auto&) { return answer_after(30); };
        sc_core::sc_start();
        EXPECT_TRUE(bench.finished);
        EXPECT_EQ(bench.target.in_flight(), 0u);
        EXPECT_EQ(bench.target.freed, bench.target.log.size());
        EXPECT_THAT(bench.target.violations, IsEmpty());
    }
}

std::vector<stop_case> stop_cases()
{
    std::vector<stop_case> all;
    for (auto transport : {dma_transport::blocking, dma_transport::non_blocking}) {
        all.push_back({transport, 0, 1});
        all.push_back({transport, 7, 2});
        all.push_back({transport, 8, 3}); // as a burst is issued: it is
        all.push_back({transport, 13, 4});
        all.push_back({transport, 29, 4});
        all.push_back({transport, 35, 6});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(at, dma_stop_in_flight_test, testing::ValuesIn(stop_cases()),
                         testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
