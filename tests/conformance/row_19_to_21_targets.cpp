// Rows 19 to 21 on memories and routers: reset, byte order, several instances.
#include <cstring>
#include <tlm_core/tlm_2/tlm_generic_payload/tlm_endian_conv.h>
#include "conformance/phases_row.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom::test;

TEST_P(target_row, row_19_reset_ends_what_is_under_way_and_loses_nothing)
{
    target_options options;
    options.with_queue = true;
    options.queue_depth = 4;
    build(options);
    auto& queue = *bench().queue;
    queue.requests = random_requests(bench(), 19, 400, 0, target_bench::bytes);
    end_responses_in_turn(queue);
    bench().rst.write(true); // from time 0 on
    run([&](target_bench& b) {
        unsigned pulses = 0;
        while (!queue.finished()) {
            wait(ns(13 + pulses++ % 40));
            b.rst.write(pulses % 2 == 0);
            ASSERT_LT(pulses, 10'000u);
        }
        EXPECT_GT(pulses, 10u);
        b.rst.write(false);
        wait(ns(1));
        model.bytes = b.contents(); // whichever writes were done
        payload write(tlm::TLM_WRITE_COMMAND, b.base, {1, 2, 3, 4});
        expect_as_in_model(write, "afterwards");
        payload read(tlm::TLM_READ_COMMAND, b.base, {0, 0, 0, 0});
        expect_as_in_model(read, "afterwards");
    });
    EXPECT_TRUE(queue.errors.empty()) << queue.errors.front();
    EXPECT_EQ(queue.pool.taken, queue.pool.freed);
    unsigned ended_by_reset = 0;
    for (const auto& [number, answer] : queue.answers) {
        if (answer.status == tlm::TLM_GENERIC_ERROR_RESPONSE) {
            ++ended_by_reset;
        } else {
            EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE) << number;
        }
    }
    EXPECT_GT(ended_by_reset, 0u);
    EXPECT_LT(ended_by_reset, 400u);
}

TEST_P(target_row, row_20_bytes_and_words_of_the_host_are_the_same_memory)
{
    run([this](target_bench& b) {
        const std::uint32_t word = 0x01020304;
        unsigned char bytes[4];
        std::memcpy(bytes, &word, 4); // as this host keeps it
        auto write = writing(b.base + 8, {bytes, bytes + 4});
        expect_as_in_model(write, "a word");
        for (unsigned i = 0; i < 4; ++i) {
            auto read = reading(b.base + 8 + i, 1);
            b.send(read);
            EXPECT_EQ(read.data[0], bytes[i]);
        }
        for (unsigned i = 0; i < 4; ++i) {
            auto one = writing(b.base + 16 + i, {bytes[i]});
            expect_as_in_model(one, "a byte");
        }
        auto read = reading(b.base + 16, 4);
        b.send(read);
        std::uint32_t value = 0;
        std::memcpy(&value, read.data.data(), 4);
        EXPECT_EQ(value, word);
    });
}

TEST_P(target_row, row_20_initiator_of_the_other_byte_order_gets_back_what_it_wrote)
{
    run([](target_bench& b) {
        const unsigned lanes = b.subject.width / 8;
        // The initiator's bytes, in its own order of addresses; the conversion mirrors them within a word of the bus.
        // The functions of SystemC 2.3.4 lose address bits 32 and up, so they get addresses from 0.
        const auto send = [&b, lanes](payload& t) {
            tlm::tlm_to_hostendian_generic<std::uint8_t>(&t, lanes);
            t.set_address(t.get_address() + b.base);
            b.send(t);
            t.set_address(t.get_address() - b.base);
            tlm::tlm_from_hostendian_generic<std::uint8_t>(&t, lanes);
            EXPECT_TRUE(t.is_response_ok());
        };
        const std::vector<unsigned char> own = pattern(3 * lanes, 20);
        auto write = writing(0x400, own);
        send(write);
        const auto inside = b.contents(0x400, own.size());
        for (std::size_t i = 0; i < own.size(); ++i) { EXPECT_EQ(inside[i ^ (lanes - 1)], own[i]) << i; }
        // part of a word: byte enables and an aligned access come out of the conversion
        auto read = reading(0x400 + 1, 2 * lanes);
        send(read);
        EXPECT_EQ(read.data, std::vector<unsigned char>(own.begin() + 1, own.begin() + 1 + 2 * lanes));
    });
}

TEST_P(phases_row, row_21_instances_do_not_know_of_each_other)
{
    // Alone in its part of the simulated time, and beside two others: the same data, times and counts.
    target_options shallow;
    shallow.queue_depth = 1;
    shallow.phases = 2;
    const auto fill = [](target_bench& b, unsigned seed, double from_ns) {
        b.queue->requests = random_requests(b, seed, 200, 0, target_bench::bytes);
        for (auto& r : b.queue->requests) { r.not_before = ns(from_ns); }
        end_responses_in_turn(*b.queue);
    };
    target_options quiet; // no refresh: the same at every time that is a whole number of clock periods
    quiet.refresh = false;
    auto& alone = add("alone", quiet);
    auto& beside = add("beside", quiet);
    auto& other = add("other", shallow);
    fill(alone, 21, 0);
    fill(beside, 21, 1'000'000);
    fill(other, 22, 1'000'000);
    simulate();
    const auto& a = alone.queue->answers;
    for (const auto& [number, answer] : beside.queue->answers) {
        EXPECT_EQ(answer.data, a.at(number).data);
        EXPECT_EQ(answer.begin_response, a.at(number).begin_response + ns(1'000'000));
    }
    EXPECT_EQ(alone.counts(), beside.counts());
    EXPECT_NE(alone.counts(), other.counts());
}

} // namespace
