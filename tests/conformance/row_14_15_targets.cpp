// Rows 14 and 15 on memories and routers: debug transport, widths.
#include <limits>
#include <type_traits>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/router.h>
#include "conformance/phases_row.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

static_assert(std::is_same_v<memory::sram<>, memory::sram<32>>);
static_assert(std::is_same_v<memory::dram<>, memory::dram<32>>);
static_assert(std::is_same_v<bus::router<>, bus::router<32>>);
static_assert(std::is_same_v<bus::protocol_checker<>, bus::protocol_checker<32>>);

TEST_P(target_row, row_14_debug_works_before_the_simulation_starts)
{
    build();
    bench().before_start = [this](target_bench& b) {
        auto write = writing(b.base + 0xff00, pattern(256, 14));
        EXPECT_EQ(b.target().transport_dbg(write), 256u);
        EXPECT_EQ(b.contents(0xff00, 256), pattern(256, 14));
        model.bytes = b.contents();
    };
    run([this](target_bench&) { expect_contents_as_in_model(); });
}

TEST_P(target_row, row_14_debug_takes_no_time_and_leaves_no_trace)
{
    run([this](target_bench& b) {
        wait(ns(100));
        const auto counts = b.counts();
        const auto now = sc_core::sc_time_stamp();
        const auto delta = sc_core::sc_delta_count();
        const bool pending = sc_core::sc_pending_activity();
        const auto next = sc_core::sc_time_to_pending_activity();
        for (std::uint64_t offset : {0u, 1u, 0x7ffeu, 0xfff0u}) {
            auto write = writing(b.base + offset, pattern(16, 2));
            EXPECT_EQ(b.target().transport_dbg(write), 16u);
            model.apply(write, b.base);
            auto read = reading(b.base + offset, 16);
            read.enable({0x00}); // debug transport knows no byte enables
            EXPECT_EQ(b.target().transport_dbg(read), 16u);
            EXPECT_EQ(read.data, pattern(16, 2));
        }
        EXPECT_EQ(sc_core::sc_time_stamp(), now);
        EXPECT_EQ(sc_core::sc_delta_count(), delta);
        EXPECT_EQ(sc_core::sc_pending_activity(), pending);
        EXPECT_EQ(sc_core::sc_time_to_pending_activity(), next);
        EXPECT_EQ(b.counts(), counts);
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_14_debug_returns_how_many_bytes_there_are)
{
    run([this](target_bench& b) {
        const auto debug = [&b](tlm::tlm_command command, std::uint64_t at, std::size_t size) {
            payload t(command, at, std::vector<unsigned char>(size, untouched));
            const unsigned done = b.target().transport_dbg(t);
            EXPECT_EQ(t.get_data_length(), size);
            for (std::size_t i = done; i < size; ++i) { EXPECT_EQ(t.data[i], untouched); }
            return done;
        };
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.last() - 3, 4), 4u);
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.last() - 3, 5), 4u);
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.last() - 3, 4096), 4u);
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.last(), 64), 1u);
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, b.last() + 1, 4), 0u);
        EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, std::numeric_limits<std::uint64_t>::max() - 3, 8), 0u);
        EXPECT_EQ(debug(tlm::TLM_IGNORE_COMMAND, b.base, 4), 0u);
        expect_contents_as_in_model();
        EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, b.last() - 1, 8), 2u);
        model.bytes[target_bench::bytes - 2] = model.bytes[target_bench::bytes - 1] = untouched;
        EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, b.last() + 1, 8), 0u);
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_14_debug_while_transactions_are_under_way)
{
    managed_payload write(tlm::TLM_WRITE_COMMAND, 0);
    run([&](target_bench& b) {
        phase_walker walker(*b.prober);
        write.set_address(b.base + 100);
        walker.begin(write);
        EXPECT_FALSE(walker.done(write));
        EXPECT_EQ(b.contents(0, 100), std::vector<unsigned char>(model.bytes.begin(), model.bytes.begin() + 100));
        EXPECT_EQ(b.contents(104, 100),
                  std::vector<unsigned char>(model.bytes.begin() + 104, model.bytes.begin() + 204));
        walker.await(write);
        EXPECT_EQ(b.contents(100, 4), std::vector<unsigned char>(4, untouched));
    });
}

TEST_P(phases_row, row_15_initiators_of_32_bits_behind_width_adapters_see_the_same_data_and_times)
{
    target_options adapted;
    adapted.from_32_bits = true;
    std::vector<target_bench*> benches = {&add("of_the_width", {}), &add("of_32_bits", adapted)};
    for (auto* b : benches) {
        b->queue->requests = random_requests(*b, 15, 300, 0, target_bench::bytes);
        end_responses_in_turn(*b->queue);
    }
    simulate();
    for (unsigned i = 0; i < 300; ++i) {
        const auto& native = benches[0]->queue->answers[i];
        const auto& narrow = benches[1]->queue->answers[i];
        EXPECT_EQ(native.data, narrow.data);
        EXPECT_EQ(native.end_request, narrow.end_request);
        EXPECT_EQ(native.begin_response, narrow.begin_response);
    }
    EXPECT_EQ(benches[0]->counts(), benches[1]->counts());
}

} // namespace
