// Rows 8 and 9 on memories and routers: non-blocking transport, alone and together with blocking calls.
#include <algorithm>
#include <vector>
#include <map>
#include "conformance/phases_row.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom::test;
using sc_core::sc_time;

TLM_DECLARE_EXTENDED_PHASE(phase_of_somebody_else);

TEST_P(phases_row, row_08_targets_of_4_2_and_1_phases_with_every_end_of_a_response)
{
    for (unsigned phases : {4u, 2u, 1u}) {
        for (unsigned depth : {1u, 3u, 16u}) {
            target_options options;
            options.phases = phases;
            options.queue_depth = depth;
            auto& b = add("phases_" + std::to_string(phases) + "_depth_" + std::to_string(depth), options);
            b.queue->requests = random_requests(b, phases + depth, 200, 0, target_bench::bytes);
            end_responses_in_turn(*b.queue);
        }
    }
    simulate();
}

TEST_P(phases_row, row_08_back_pressure_of_a_slow_end_of_response)
{
    target_options options;
    options.queue_depth = 2;
    auto& b = add("slow", options);
    b.queue->requests = random_requests(b, 8, 12, 0, 4096);
    b.queue->how = [] { return at_initiator_body::ends_response::by_call; };
    b.queue->response_delay = [] { return ns(1000); };
    simulate();
    std::vector<sc_core::sc_time> responses; // in the order of time: a DRAM's channels answer in any order
    for (const auto& answer : b.queue->answers) { responses.push_back(answer.second.begin_response); }
    std::sort(responses.begin(), responses.end());
    for (unsigned i = 1; i < 12; ++i) { EXPECT_GE(responses[i], responses[i - 1] + ns(1000)); }
    if (!b.subject.is_routed()) {
        // two are inside: the request after them is taken when the first has ended
        for (unsigned i = 2; i < 12; ++i) { EXPECT_GE(b.queue->answers[i].end_request, responses[i - 2] + ns(1000)); }
    }
}

TEST_P(phases_row, row_08_a_hundred_transactions_under_way)
{
    target_options options;
    options.queue_depth = 128;
    auto& b = add("deep", options);
    b.queue->requests = random_requests(b, 100, 300, 0, target_bench::bytes);
    b.queue->how = [] { return at_initiator_body::ends_response::by_call; };
    std::size_t most = 0;
    b.queue->response_delay = [&] {
        most = std::max(most, b.queue_checker->live());
        return ns(b.queue->order.size() == 1 ? 2000 : 0); // the first is held back
    };
    simulate();
    EXPECT_GE(most, 100u);
}

TEST_P(phases_row, row_08_a_request_per_interval_not_per_latency)
{
    target_options options;
    options.queue_depth = 128;
    auto& b = add("stream", options);
    const unsigned n = 2000;
    for (unsigned i = 0; i < n; ++i) {
        b.queue->requests.push_back(
            {tlm::TLM_READ_COMMAND, b.base + i * 16, std::vector<unsigned char>(16, untouched), {}, {}});
    }
    simulate();
    const sc_time span = b.queue->answers[n - 1].begin_response - b.queue->answers[0].begin_request;
    EXPECT_LE(span, b.latency + n * b.interval);
}

TEST_P(target_row, row_08_next_request_in_the_delta_of_the_end_of_the_one_before)
{
    std::vector<std::unique_ptr<managed_payload>> payloads;
    run([&](target_bench& b) {
        phase_walker walker(*b.prober);
        for (unsigned i = 0; i < 20; ++i) {
            payloads.push_back(std::make_unique<managed_payload>(
                i % 2 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, b.base + i / 2 * 4));
        }
        unsigned next = 1;
        walker.on_end_request = [&](const sc_time& delay) {
            if (next < payloads.size()) { walker.begin(*payloads[next++], delay); }
        };
        walker.begin(*payloads[0]);
        for (auto& p : payloads) { walker.await(*p); }
        for (unsigned i = 0; i < payloads.size(); ++i) {
            EXPECT_TRUE(payloads[i]->is_response_ok());
            EXPECT_EQ(payloads[i]->data, std::vector<unsigned char>(4, untouched));
            EXPECT_EQ(payloads[i]->get_ref_count(), 1) << "the test's own";
        }
    });
}

TEST_P(target_row, row_08_phases_of_somebody_else_are_ignored)
{
    managed_payload first(tlm::TLM_READ_COMMAND, 0);
    managed_payload second(tlm::TLM_READ_COMMAND, 0);
    run([&](target_bench& b) {
        first.set_address(b.base + 4);
        second.set_address(b.base + 8);
        phase_walker walker(*b.prober);
        const auto send_unknown = [&](tlm::tlm_generic_payload& t) {
            tlm::tlm_phase phase = phase_of_somebody_else;
            sc_time delay;
            EXPECT_EQ(b.target().nb_transport_fw(t, phase, delay), tlm::TLM_ACCEPTED);
            EXPECT_EQ(phase, phase_of_somebody_else);
            EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        };
        walker.begin(first);
        send_unknown(first); // before its response
        walker.await(first);
        walker.begin(second);
        walker.await(second);
        EXPECT_TRUE(first.is_response_ok());
        EXPECT_TRUE(second.is_response_ok());
        EXPECT_TRUE(std::equal(first.data.begin(), first.data.end(), model.bytes.begin() + 4));
        EXPECT_TRUE(std::equal(second.data.begin(), second.data.end(), model.bytes.begin() + 8));
        EXPECT_EQ(first.get_ref_count(), 1);
    });
}

TEST_P(target_row, row_09_blocking_and_non_blocking_transactions_at_once)
{
    target_options options;
    options.with_queue = true;
    build(options);
    auto& queue = *bench().queue;
    constexpr std::uint64_t half = target_bench::bytes / 2;
    queue.requests = random_requests(bench(), 9, 1000, 0, half);
    for (auto& r : queue.requests) { r.not_before = ns(1); } // after the preload
    end_responses_in_turn(queue);
    const auto blocking = random_requests(bench(), 90, 1000, half, half);
    run([&](target_bench& b) {
        wait(ns(1));
        unsigned while_queue_ran = 0;
        sc_time ahead;
        for (const auto& r : blocking) {
            payload t(r.command, r.address, r.data);
            const auto expected = model.apply(t, b.base);
            ahead = b.send(t, ahead);
            EXPECT_TRUE(t.is_response_ok());
            EXPECT_EQ(t.data, expected);
            while_queue_ran += queue.finished() ? 0 : 1;
            if (ahead > ns(30)) {
                wait(ahead);
                ahead = sc_core::SC_ZERO_TIME;
            }
        }
        EXPECT_GT(while_queue_ran, 50u);
    });
    expect_answers_as_in_model(bench(), model);
    expect_contents_as_in_model();
    std::uint64_t sent = 0;
    for (auto* checker : bench().checkers) { sent += checker->transactions(); }
    // at the initiators, and once more at the memory behind a router
    EXPECT_EQ(sent, (GetParam().is_routed() ? 2u : 1u) * 2000u);
}

} // namespace
