// What the options of an SRAM change: streaming bursts, tolerances, contents at the start, read-only.
#include <gmock/gmock.h>
#include <random>
#include "models/memory/sram_fixture.h"

namespace tensorloom::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using bytes = std::vector<unsigned char>;

class sram_option_test : public sram_fixture {
protected:
    static tlm::tlm_response_status send_to(memory::sram_body& memory, payload& p)
    {
        memory.serve(p, ns(0));
        return p.get_response_status();
    }
    static bytes all_of(memory::sram_body& memory)
    {
        auto p = reading(0, memory.size());
        EXPECT_EQ(memory.transport_dbg(p), memory.size());
        return p.data;
    }
};

TEST_F(sram_option_test, streaming_read_repeats_the_bytes_of_its_width)
{
    auto p = reading(16, 10);
    p.set_streaming_width(4);
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(p.data, ElementsAre(16, 17, 18, 19, 16, 17, 18, 19, 16, 17));
}

TEST_F(sram_option_test, streaming_write_leaves_the_last_bytes_written)
{
    auto p = writing(16, {1, 2, 3, 4, 5, 6, 7});
    p.set_streaming_width(3);
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    const auto all = contents();
    EXPECT_THAT(bytes(all.begin() + 15, all.begin() + 20), ElementsAre(15, 7, 5, 6, 19));
}

TEST_F(sram_option_test, streaming_needs_only_its_width_of_memory)
{
    auto inside = reading(size - 4, 100);
    inside.set_streaming_width(4);
    EXPECT_EQ(send(inside), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(inside.data.back(), 255);
    auto outside = reading(size - 3, 100);
    outside.set_streaming_width(4);
    EXPECT_EQ(send(outside), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(sram_option_test, streaming_takes_the_time_of_its_length_and_touches_the_words_of_every_turn)
{
    auto p = reading(6, 20); // 5 ns and 3 clocks of 2 ns for 20 bytes at 8 a clock
    p.set_streaming_width(8);
    send(p);
    EXPECT_EQ(delay, ns(11));
    EXPECT_EQ(body.counts()[0], 2u + 2u + 2u); // 6..13, 6..13, 6..9
}

TEST_F(sram_option_test, streaming_of_whole_turns_touches_the_words_of_each)
{
    auto p = reading(4, 8);
    p.set_streaming_width(4);
    send(p);
    EXPECT_EQ(body.counts()[0], 2u); // 4..7, 4..7
}

TEST_F(sram_option_test, random_bursts_do_to_the_bytes_what_a_loop_over_them_does)
{
    std::mt19937 random(5);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    auto expected = contents();
    for (int i = 0; i < 5000; ++i) {
        const unsigned length = 1 + below(300);
        const bool reads = below(2) == 0;
        payload p(reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, below(260), bytes(length));
        for (auto& b : p.data) { b = static_cast<unsigned char>(below(256)); }
        const unsigned width = below(3) == 0 ? 1 + below(length + 20) : length;
        p.set_streaming_width(width);
        if (below(3) == 0) {
            bytes pattern(1 + below(40));
            for (auto& e : pattern) { e = below(2) == 0 ? 0x00 : 0xff; }
            p.enable(pattern);
        }
        auto data = p.data;
        const bool fits = p.get_address() + std::min(width, length) <= size;
        for (unsigned b = 0; fits && b < length; ++b) {
            if (!p.enables.empty() && p.enables[b % p.enables.size()] == 0x00) { continue; }
            auto& cell = expected[p.get_address() + b % width];
            (reads ? data[b] : cell) = reads ? cell : data[b];
        }
        ASSERT_EQ(send(p), fits ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        ASSERT_EQ(p.data, data);
        ASSERT_EQ(contents(), expected);
    }
}

TEST_F(sram_option_test, without_streaming_bursts_a_width_below_the_length_is_a_burst_error)
{
    auto c = settings();
    c.streaming_bursts = false;
    memory::sram_body plain(c);
    for (unsigned width : {1u, 3u}) {
        auto p = writing(16, bytes(4, 0xee));
        p.set_streaming_width(width);
        EXPECT_EQ(send_to(plain, p), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_FALSE(p.is_dmi_allowed());
    }
    EXPECT_THAT(all_of(plain), Each(0));
    auto wide = writing(16, bytes(4, 0xee));
    wide.set_streaming_width(5);
    EXPECT_EQ(send_to(plain, wide), tlm::TLM_OK_RESPONSE);
}

TEST_F(sram_option_test, streaming_width_of_zero_is_a_burst_error_where_it_is_not_tolerated)
{
    auto c = settings();
    c.tolerance.zero_streaming_width = false;
    memory::sram_body strict(c);
    auto p = writing(16, bytes(4, 0xee));
    p.set_streaming_width(0);
    EXPECT_EQ(send_to(strict, p), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_THAT(all_of(strict), Each(0));
}

TEST_F(sram_option_test, memory_is_filled_as_configured)
{
    auto c = settings();
    c.fill = 0xc3;
    memory::sram_body filled(c);
    EXPECT_THAT(all_of(filled), Each(0xc3));
}

TEST_F(sram_option_test, read_only_memory_is_written_by_debug_alone)
{
    auto c = settings();
    c.read_only = true;
    memory::sram_body rom(c);
    auto image = writing(0, {1, 2, 3});
    EXPECT_EQ(rom.transport_dbg(image), 3u);
    auto w = writing(0, {9});
    EXPECT_EQ(send_to(rom, w), tlm::TLM_COMMAND_ERROR_RESPONSE);
    auto r = reading(0, 4);
    EXPECT_EQ(send_to(rom, r), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(r.data, ElementsAre(1, 2, 3, 0));
    EXPECT_EQ(rom.counts()[1], 0u);
}

TEST_F(sram_option_test, read_only_memory_grants_direct_reads_alone)
{
    auto c = settings();
    c.read_only = true;
    memory::sram_body rom(c);
    tlm::tlm_dmi dmi;
    auto r = reading(4, 4);
    ASSERT_TRUE(rom.get_direct_mem_ptr(r, dmi));
    EXPECT_TRUE(dmi.is_read_allowed());
    EXPECT_FALSE(dmi.is_write_allowed());
    EXPECT_EQ(dmi.get_end_address(), size - 1);
    auto w = writing(4, {1});
    EXPECT_FALSE(rom.get_direct_mem_ptr(w, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0u);
    EXPECT_EQ(dmi.get_end_address(), size - 1);
    EXPECT_TRUE(dmi.is_none_allowed());
}

TEST_F(sram_option_test, read_and_write_ports_do_not_wait_for_each_other)
{
    auto c = settings();
    c.ports = 0;
    c.read_ports = 1;
    c.write_ports = 1;
    c.accesses_per_bank = 2;
    memory::sram_body two(c);
    auto r = reading(0, 64), again = reading(0, 64);
    auto w = writing(0, bytes(64));
    EXPECT_EQ(two.serve(r, ns(0)).begin_response, ns(5 + 16));
    EXPECT_EQ(two.serve(w, ns(0)).begin_response, ns(5 + 16));
    EXPECT_EQ(two.serve(again, ns(0)).begin_response, ns(5 + 32));
    EXPECT_EQ(two.counts()[2], 8u); // port_conflict_cycle
    EXPECT_EQ(two.counts()[3], 0u); // bank_conflict_cycle
}

TEST_F(sram_option_test, ports_at_one_bank_wait_for_each_other)
{
    auto c = settings();
    c.ports = 2;
    memory::sram_body two(c); // one bank, single-ported
    auto first = reading(0, 16), second = reading(0, 16);
    EXPECT_EQ(two.serve(first, ns(0)).begin_response, ns(5 + 4));
    EXPECT_EQ(two.serve(second, ns(0)).begin_response, ns(5 + 8));
    EXPECT_EQ(two.counts()[2], 0u);
    EXPECT_EQ(two.counts()[3], 2u);
}

} // namespace
} // namespace tensorloom::test
