// The same bytes and the same counts, whatever the size of bursts, their number in flight, the transport, and the moods
// of the target.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_transport;
using testing::IsEmpty;

constexpr std::uint64_t read_at = 1021; // nothing is aligned
constexpr std::uint64_t read_bytes = 2049;
constexpr std::uint64_t write_at = 7;
constexpr std::uint64_t write_bytes = 1003;

// How many aligned blocks of at most `largest` bytes cover [first, last): blocks are halved until they lie inside or
// outside.
std::uint64_t blocks(std::uint64_t first, std::uint64_t last, std::uint64_t largest, std::uint64_t at = 0,
                     std::uint64_t size = 4096)
{
    if (at + size <= first || at >= last) { return 0; }
    if (at >= first && at + size <= last && size <= largest) { return 1; }
    return blocks(first, last, largest, at, size / 2) + blocks(first, last, largest, at + size / 2, size / 2);
}

template <class Bench> void read_and_write(Bench& b)
{
    b.read(read_at, read_bytes);
    EXPECT_TRUE(b.result.ok());
    EXPECT_EQ(b.inside, b.read_of(read_at, read_bytes));
    for (std::size_t i = 0; i < b.inside.size(); ++i) { b.inside[i] = static_cast<unsigned char>(i * 31 + 5); }
    const auto inside = b.inside;
    auto expected = b.target.bytes;
    std::copy_n(b.inside.begin(), write_bytes, expected.begin() + write_at);
    b.write(write_at, write_bytes);
    EXPECT_TRUE(b.result.ok());
    EXPECT_EQ(b.target.bytes, expected);
    EXPECT_EQ(b.inside, inside);
}

template <class Bench> void expect_counts(const Bench& b, unsigned largest)
{
    EXPECT_EQ(b.count(dma_event::read_transaction), blocks(read_at, read_at + read_bytes, largest));
    EXPECT_EQ(b.count(dma_event::write_transaction), blocks(write_at, write_at + write_bytes, largest));
    EXPECT_EQ(b.count(dma_event::read_byte), read_bytes);
    EXPECT_EQ(b.count(dma_event::write_byte), write_bytes);
    EXPECT_EQ(b.count(dma_event::dmi_byte), 0u);
    EXPECT_EQ(b.count(dma_event::incomplete_response), 0u);
}

at_answer random_answer(std::mt19937& random)
{
    using way = at_answer::way;
    constexpr way ways[] = {way::four_phases, way::end_returned, way::no_end, way::begin_returned, way::completed};
    at_answer a;
    a.how = ways[random() % 5];
    a.accept = ns(random() % 4);
    a.respond = a.accept + ns(random() % 3 == 0 ? random() % 40 : random() % 4);
    a.annotated = random() % 2 == 0;
    return a;
}

// A bench for every size of burst, in one simulation.
template <class Bench> std::vector<std::unique_ptr<Bench>> benches_of(unsigned outstanding, dma_transport transport)
{
    std::vector<std::unique_ptr<Bench>> benches;
    for (unsigned largest = 4; largest <= 4096; largest *= 2) {
        const std::string name = "burst_" + std::to_string(largest);
        benches.push_back(
            std::make_unique<Bench>(name.c_str(), several_of(outstanding, largest, transport), read_and_write<Bench>));
    }
    return benches;
}

template <class Bench> void expect_all_done(const std::vector<std::unique_ptr<Bench>>& benches)
{
    for (std::size_t i = 0; i < benches.size(); ++i) {
        SCOPED_TRACE(benches[i]->name());
        EXPECT_TRUE(benches[i]->finished);
        expect_counts(*benches[i], 4u << i);
    }
}

class dma_transfer_test : public sim_test_with_param<unsigned> {};

TEST_P(dma_transfer_test, blocking_bytes_and_counts_do_not_depend_on_the_target)
{
    std::mt19937 random(GetParam());
    tlm::tlm_global_quantum::instance().set(ns(100));
    const auto benches = benches_of<dma_bench<>>(GetParam(), dma_transport::blocking);
    for (const auto& b : benches) {
        b->target.intercept = [&random](tlm::tlm_generic_payload&, sc_core::sc_time& delay) {
            if (random() % 4 == 0) { delay += ns(random() % 50); }
            if (random() % 8 == 0) { sc_core::wait(ns(random() % 50)); }
        };
    }
    sc_core::sc_start();
    expect_all_done(benches);
}

TEST_P(dma_transfer_test, non_blocking_bytes_and_counts_do_not_depend_on_the_target)
{
    std::mt19937 random(GetParam());
    const auto benches = benches_of<at_dma_bench>(GetParam(), dma_transport::non_blocking);
    for (const auto& b : benches) {
        b->target.plan = [&random](const auto&) { return random_answer(random); };
        b->target.gossips = true;
    }
    sc_core::sc_start();
    expect_all_done(benches);
    for (const auto& b : benches) {
        EXPECT_THAT(b->target.violations, IsEmpty());
        EXPECT_LE(b->target.most_in_flight, GetParam());
        EXPECT_EQ(b->target.freed, b->target.log.size());
    }
}

// Takes single words only, and says why when it does not.
tlm::tlm_response_status strictest_answer(const tlm::tlm_generic_payload& t)
{
    if (t.get_byte_enable_ptr() != nullptr) { return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE; }
    if (t.get_data_length() > 4 || t.get_streaming_width() != t.get_data_length()) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (t.get_address() % t.get_data_length() != 0) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; }
    return tlm::TLM_OK_RESPONSE;
}

TEST_P(dma_transfer_test, memory_that_takes_nothing_but_words_is_served)
{
    dma_bench<> bench("bench", several_of(GetParam(), 4), read_and_write<dma_bench<>>);
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        const auto answer = strictest_answer(t);
        if (answer != tlm::TLM_OK_RESPONSE) { t.set_response_status(answer); }
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    expect_counts(bench, 4);
}

TEST_P(dma_transfer_test, non_blocking_memory_that_takes_nothing_but_words_is_served)
{
    at_dma_bench bench("bench", several_of(GetParam(), 4, dma_transport::non_blocking), read_and_write<at_dma_bench>);
    bench.target.plan = [](const auto& t) {
        at_answer a;
        a.status = strictest_answer(t);
        return a;
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    expect_counts(bench, 4);
}

INSTANTIATE_TEST_SUITE_P(outstanding, dma_transfer_test, testing::Values(1u, 2u, 3u, 16u, 64u),
                         testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
