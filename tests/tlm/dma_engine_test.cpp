// What the DMA engine sends, what it does with answers, and when it is ready.
#include <algorithm>
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_result;
using testing::ElementsAre;

class dma_engine_test : public sim_test {
protected:
    // What the strictest target asks for; a breach is a failure of the test.
    static void expect_strict(const tlm::tlm_generic_payload& t, unsigned largest)
    {
        const unsigned n = t.get_data_length();
        EXPECT_EQ(t.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        EXPECT_TRUE(t.is_read() || t.is_write());
        EXPECT_NE(t.get_data_ptr(), nullptr);
        EXPECT_TRUE(n > 0 && (n & (n - 1)) == 0 && n <= largest) << n;
        EXPECT_EQ(t.get_address() % n, 0u);
        EXPECT_EQ(t.get_streaming_width(), n);
        EXPECT_EQ(t.get_byte_enable_ptr(), nullptr);
        EXPECT_EQ(t.get_byte_enable_length(), 0u);
        EXPECT_FALSE(t.is_dmi_allowed());
    }
};

TEST_F(dma_engine_test, every_request_is_legal_for_the_strictest_target)
{
    dma_bench<> bench("bench", burst_of(64), [](dma_bench<>& b) {
        for (std::uint64_t from = 0; from < 70; from += 3) {
            for (std::uint64_t bytes : {1u, 2u, 7u, 63u, 64u, 65u, 300u}) {
                b.read(from, bytes);
                b.write(from, bytes);
            }
        }
    });
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        expect_strict(t, 64);
        t.set_dmi_allowed(true); // the hint may not come back in the next request
    };
    sc_core::sc_start();
}

TEST_F(dma_engine_test, bursts_are_as_large_as_alignment_and_length_allow)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(3, 44); });
    sc_core::sc_start();
    EXPECT_THAT(bench.target.addresses(), ElementsAre(3, 4, 8, 16, 32, 40, 44, 46));
}

TEST_F(dma_engine_test, burst_of_4_bytes_sends_nothing_larger)
{
    dma_bench<> bench("bench", burst_of(4), [](dma_bench<>& b) { b.read(0, 64); });
    sc_core::sc_start();
    EXPECT_EQ(bench.target.log.size(), 16u);
}

TEST_F(dma_engine_test, reads_bring_the_bytes_and_no_others)
{
    std::vector<unsigned char> expected;
    dma_bench<> bench("bench", burst_of(32), [&](dma_bench<>& b) {
        b.read(13, 117);
        expected = b.read_of(13, 117);
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, expected);
    EXPECT_TRUE(bench.result.ok());
}

TEST_F(dma_engine_test, writes_bring_the_bytes_and_no_others)
{
    dma_bench<> bench("bench", burst_of(32), [](dma_bench<>& b) { b.write(13, 117); });
    auto expected = bench.target.bytes;
    for (std::size_t i = 0; i < bench.inside.size(); ++i) { bench.inside[i] = static_cast<unsigned char>(255 - i); }
    std::copy(bench.inside.begin(), bench.inside.begin() + 117, expected.begin() + 13);
    sc_core::sc_start();
    EXPECT_EQ(bench.target.bytes, expected);
}

TEST_F(dma_engine_test, nothing_to_move_takes_no_transaction_and_no_time)
{
    dma_bench<> bench("bench", burst_of(32), [](dma_bench<>& b) { b.read(5, 0); });
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_TRUE(bench.target.log.empty());
    EXPECT_EQ(bench.end, sc_core::SC_ZERO_TIME);
}

TEST_F(dma_engine_test, transfer_may_end_at_the_last_address)
{
    dma_bench<> bench("bench", burst_of(4096), [](dma_bench<>& b) {
        b.target.base = UINT64_MAX - 4095;
        b.read(UINT64_MAX - 99, 100);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(UINT64_MAX - 99, 100));
}

TEST_F(dma_engine_test, transactions_and_bytes_are_counted)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) {
        b.read(0, 40);
        b.write(8, 8);
    });
    sc_core::sc_start();
    const auto* c = bench.dma.counts();
    EXPECT_THAT(std::vector<std::uint64_t>(c, c + 4), ElementsAre(3, 1, 40, 8));
}

// ---- answers ----

class dma_error_test : public sim_test_with_param<tlm::tlm_response_status> {};

TEST_P(dma_error_test, ends_the_transfer_with_address_and_status)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(0, 64); });
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        if (t.get_address() == 32) { t.set_response_status(GetParam()); }
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
    EXPECT_EQ(bench.result.address, 32u);
    EXPECT_EQ(bench.result.status, GetParam());
    EXPECT_EQ(bench.target.log.size(), 3u);
    EXPECT_EQ(bench.inside[31], bench.pattern(31));
    EXPECT_EQ(bench.inside[48], untouched);
}

TEST_P(dma_error_test, is_not_counted_as_moved)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.write(0, 64); });
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) { t.set_response_status(GetParam()); };
    sc_core::sc_start();
    const auto* c = bench.dma.counts();
    EXPECT_THAT(std::vector<std::uint64_t>(c, c + 4), ElementsAre(0, 0, 0, 0));
}

TEST_P(dma_error_test, is_forgotten_by_the_next_transfer)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) {
        b.read(0, 16);
        b.target.intercept = {};
        b.read(0, 16);
    });
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) { t.set_response_status(GetParam()); };
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(0, 16));
}

std::string status_name(const testing::TestParamInfo<tlm::tlm_response_status>& tested)
{
    const char* const names[] = {"generic", "address", "command", "burst", "byte_enable"};
    return names[-static_cast<int>(tested.param) - 1];
}
INSTANTIATE_TEST_SUITE_P(status, dma_error_test,
                         testing::Values(tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                         tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE,
                                         tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE),
                         status_name);

// The target with its own notion of an answer: none at all.
class silent_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<silent_target, 32> in;
    explicit silent_target(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
    {
        in.register_b_transport(this, &silent_target::b_transport);
    }

private:
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) {}
};

class dma_and_silent_target : public sc_core::sc_module {
public:
    bus::dma_socket<32> port;
    silent_target target;
    bus::dma_engine dma;
    dma_result result;

    explicit dma_and_silent_target(sc_core::sc_module_name name)
        : sc_core::sc_module(name), port("port"), target("target"), dma(burst_of(16))
    {
        SC_HAS_PROCESS(dma_and_silent_target);
        port.bind(target.in);
        dma.bind(port);
        SC_THREAD(run);
    }

private:
    void run()
    {
        unsigned char data[4];
        result = dma.read(0, data, 4, bus::stop_request());
    }
};

TEST_F(dma_engine_test, answer_left_incomplete_is_a_failure)
{
    dma_and_silent_target bench("bench");
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
    EXPECT_EQ(bench.result.status, tlm::TLM_INCOMPLETE_RESPONSE);
}

// ---- time ----

TEST_F(dma_engine_test, beats_take_a_clock_period_each)
{
    dma_bench<> bench("bench", burst_of(64, ns(3)), [](dma_bench<>& b) { b.read(0, 100); });
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(3 * (16 + 8 + 1)));
}

TEST_F(dma_engine_test, part_of_a_beat_takes_a_whole_one)
{
    dma_bench<> bench("bench", burst_of(64, ns(3)), [](dma_bench<>& b) { b.read(1, 3); });
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(6));
}

TEST_F(dma_engine_test, annotated_time_counts_when_it_is_longer_than_the_beats)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(0, 48); });
    bench.target.annotated = ns(10);
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(30));
}

TEST_F(dma_engine_test, target_that_waits_takes_the_same_time)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(0, 48); });
    bench.target.intercept = [](tlm::tlm_generic_payload&, sc_core::sc_time& delay) {
        sc_core::wait(delay + ns(10));
        delay = sc_core::SC_ZERO_TIME;
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(30));
    EXPECT_EQ(bench.inside, bench.read_of(0, 48));
}

TEST_F(dma_engine_test, target_that_waits_and_annotates_takes_both)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(0, 48); });
    bench.target.annotated = ns(4);
    bench.target.intercept = [](tlm::tlm_generic_payload&, sc_core::sc_time&) { sc_core::wait(ns(6)); };
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(30));
}

TEST_F(dma_engine_test, failed_burst_takes_its_time_too)
{
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(8192, 16); });
    bench.target.annotated = ns(25);
    sc_core::sc_start();
    EXPECT_FALSE(bench.result.ok());
    EXPECT_EQ(bench.end, ns(25));
}

struct quantum_case {
    double quantum_ns;
    bool waits;
};
void PrintTo(const quantum_case& c, std::ostream* out)
{
    *out << c.quantum_ns << " ns, " << (c.waits ? "waits" : "annotates");
}

class dma_quantum_test : public sim_test_with_param<quantum_case> {};

TEST_P(dma_quantum_test, data_counts_and_time_are_the_same)
{
    tlm::tlm_global_quantum::instance().set(ns(GetParam().quantum_ns));
    dma_bench<> bench("bench", burst_of(16), [](dma_bench<>& b) { b.read(4, 2000); });
    bench.target.annotated = ns(5);
    if (GetParam().waits) {
        bench.target.annotated = sc_core::SC_ZERO_TIME;
        bench.target.intercept = [](tlm::tlm_generic_payload&, sc_core::sc_time&) { sc_core::wait(ns(5)); };
    }
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(4, 2000));
    // 4, 8, then 124 of 16 bytes, then 4
    EXPECT_EQ(bench.dma.counts()[0], 127u);
    EXPECT_EQ(bench.end, ns(127 * 5));
}

INSTANTIATE_TEST_SUITE_P(quantum, dma_quantum_test,
                         testing::Values(quantum_case{0, false}, quantum_case{1, false}, quantum_case{7, false},
                                         quantum_case{1000, false}, quantum_case{1e6, false}, quantum_case{0, true},
                                         quantum_case{1000, true}));

TEST_F(dma_engine_test, runs_ahead_no_further_than_the_quantum)
{
    tlm::tlm_global_quantum::instance().set(ns(20));
    dma_bench<> bench("bench", burst_of(4), [](dma_bench<>& b) { b.read(0, 400); });
    bench.target.annotated = ns(3);
    sc_core::sc_time furthest;
    bench.target.intercept = [&](tlm::tlm_generic_payload&, sc_core::sc_time& delay) {
        furthest = std::max(furthest, delay);
    };
    sc_core::sc_start();
    EXPECT_LE(furthest, ns(20));
    EXPECT_GE(furthest, ns(15));
}

// ---- configuration ----

TEST_F(dma_engine_test, bursts_that_are_no_power_of_two_from_4_to_1_mib_are_refused)
{
    for (unsigned bytes : {0u, 1u, 2u, 3u, 5u, 48u, (1u << 20) + 4, 1u << 21, 0xffffffffu}) {
        EXPECT_TRUE(validate(burst_of(bytes))) << bytes;
    }
    for (unsigned bytes : {4u, 64u, 1u << 20}) { EXPECT_FALSE(validate(burst_of(bytes))) << bytes; }
}

TEST_F(dma_engine_test, clock_period_of_zero_is_refused) { EXPECT_TRUE(validate(burst_of(64, sc_core::SC_ZERO_TIME))); }

} // namespace
} // namespace tensorloom::test
