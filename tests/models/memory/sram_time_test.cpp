// How long an access takes, and what it counts.
#include "models/memory/sram_fixture.h"

namespace tensorloom::test {
namespace {

class sram_time_test : public sram_fixture {};

TEST_F(sram_time_test, access_takes_latency_and_a_clock_per_port_width)
{
    // 5 ns, and 2 ns for each 8 bytes begun
    const std::pair<std::size_t, double> expected[] = {{1, 7}, {7, 7}, {8, 7}, {9, 9}, {16, 9}, {17, 11}, {256, 69}};
    for (const auto& [length, time] : expected) {
        auto r = reading(0, length);
        send(r);
        EXPECT_EQ(delay, ns(time)) << length;
        auto w = writing(0, std::vector<unsigned char>(length));
        send(w);
        EXPECT_EQ(delay, ns(time)) << length;
    }
}

TEST_F(sram_time_test, refused_access_takes_no_time)
{
    auto p = reading(size, 8);
    send(p);
    EXPECT_EQ(delay, ns(0));
    payload ignore(tlm::TLM_IGNORE_COMMAND, 0, {});
    send(ignore);
    EXPECT_EQ(delay, ns(0));
}

TEST_F(sram_time_test, request_is_accepted_a_clock_after_the_port_took_it)
{
    auto first = reading(0, 32);
    auto second = reading(0, 32);
    EXPECT_EQ(body.serve(first, ns(10)).accepted, ns(12));
    EXPECT_EQ(body.serve(second, ns(12)).accepted, ns(20)); // the port is taken from 10 to 18
}

TEST_F(sram_time_test, widest_port_moves_any_access_in_one_clock)
{
    auto c = settings();
    c.bytes_per_cycle = 0xffffffff;
    memory::sram_body wide(c);
    auto p = reading(0, 256);
    EXPECT_EQ(wide.serve(p, ns(0)).begin_response, ns(7));
}

TEST_F(sram_time_test, words_of_64_bits_that_are_touched_are_counted)
{
    struct touch {
        std::uint64_t address;
        std::size_t length;
        std::uint64_t words;
    };
    for (const touch& t : {touch{0, 1, 1}, touch{7, 1, 1}, touch{7, 2, 2}, touch{0, 8, 1}, touch{1, 8, 2},
                           touch{4, 16, 3}, touch{8, 64, 8}, touch{255, 1, 1}}) {
        const std::uint64_t reads = body.counts()[0];
        const std::uint64_t writes = body.counts()[1];
        auto r = reading(t.address, t.length);
        send(r);
        EXPECT_EQ(body.counts()[0] - reads, t.words) << t.length << " at " << t.address;
        EXPECT_EQ(body.counts()[1], writes);
        auto w = writing(t.address, std::vector<unsigned char>(t.length));
        send(w);
        EXPECT_EQ(body.counts()[1] - writes, t.words) << t.length << " at " << t.address;
    }
}

TEST_F(sram_time_test, configurations_that_make_no_memory_are_refused)
{
    auto none = settings();
    none.bytes = 0;
    EXPECT_TRUE(validate(none));
    none.bytes = (std::uint64_t{1} << 40) + 1;
    EXPECT_TRUE(validate(none));
    auto port = settings();
    port.bytes_per_cycle = 0;
    EXPECT_TRUE(validate(port));
    auto clock = settings();
    clock.clock_period = sc_core::SC_ZERO_TIME;
    EXPECT_TRUE(validate(clock));
    EXPECT_FALSE(validate(settings()));
}

TEST_F(sram_time_test, bad_configuration_is_an_elaboration_error)
{
    expected_report report("/tensorloom/sram/config");
    auto none = settings();
    none.bytes = 0;
    EXPECT_THROW(memory::sram_body{none}, sc_core::sc_report);
    memory::sram<> good("good", settings());
    EXPECT_THROW(memory::sram<>("bad", none), sc_core::sc_report);
    EXPECT_EQ(report.last_message().find("bad: SRAM of 0 bytes"), 0u) << report.last_message();
}

} // namespace
} // namespace tensorloom::test
