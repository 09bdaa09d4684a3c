// The DRAM behind a socket: data, time, answers, four phases, direct pointers, reset.
#include <cstdio>
#include <cstring>
#include <memory>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "models/memory/dram_traffic.h"
#include "support/sim_test.h"
#include "tlm/at_initiator.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using costs::dram_event;
using testing::IsEmpty;
using bytes = std::vector<unsigned char>;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
sc_core::sc_time tck(std::uint64_t n) { return static_cast<double>(n) * sc_core::sc_time(625, sc_core::SC_PS); }

memory::dram_settings settings()
{
    memory::dram_settings s;
    s.dram.controller.refresh = costs::dram_refresh::off; // times by hand
    return s;
}

/// The DRAM called without a bus.
class dram_body_test : public sim_test {
protected:
    tlm::tlm_response_status send(payload& p)
    {
        delay = sc_core::SC_ZERO_TIME;
        delay = body.serve(p, delay).begin_response;
        return p.get_response_status();
    }
    memory::dram_body body{settings()};
    sc_core::sc_time delay;
};

/// Resident memory of this process in bytes.
std::uint64_t resident()
{
    unsigned long pages = 0;
    if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
        EXPECT_EQ(std::fscanf(f, "%*u %lu", &pages), 1);
        std::fclose(f);
    }
    return pages * 4096;
}

TEST_F(dram_body_test, has_four_gib_of_which_only_touched_pages_take_room)
{
    ASSERT_EQ(body.size(), 4 * gib);
    const auto before = resident();
    for (std::uint64_t a = 0; a < 4 * gib; a += gib / 4) {
        auto w = writing(a + 12345, bytes(100, static_cast<unsigned char>(a >> 28 | 1)));
        ASSERT_EQ(send(w), tlm::TLM_OK_RESPONSE);
    }
    for (std::uint64_t a = 0; a < 4 * gib; a += gib / 4) {
        auto r = reading(a + 12344, 102);
        ASSERT_EQ(send(r), tlm::TLM_OK_RESPONSE);
        bytes expected(102, static_cast<unsigned char>(a >> 28 | 1));
        expected.front() = expected.back() = 0;
        ASSERT_EQ(r.data, expected) << a;
    }
    EXPECT_LT(resident() - before, std::uint64_t{1} << 20);
}

TEST_F(dram_body_test, response_begins_when_the_last_data_has_passed)
{
    auto r = reading(0, 32);
    send(r);
    EXPECT_EQ(delay, tck(29 + 28 + 6 + 8));
    payload w = writing(gib, bytes(512)); // four bursts in each channel, rows closed before
    EXPECT_EQ(body.serve(w, tck(1000)).begin_response, tck(1000 + 29 + 29 + 3 * 8 + 14 + 1 + 8));
    EXPECT_EQ(body.serve(w, tck(2000)).accepted, tck(2001));
}

TEST_F(dram_body_test, arrival_between_clock_periods_counts_at_the_next)
{
    auto r = reading(0, 32);
    EXPECT_EQ(body.serve(r, sc_core::sc_time(1, sc_core::SC_PS)).begin_response, tck(1 + 29 + 28 + 6 + 8));
    EXPECT_EQ(body.serve(r, tck(1000) - sc_core::sc_time(1, sc_core::SC_PS)).begin_response, tck(1000 + 28 + 6 + 8));
}

TEST_F(dram_body_test, after_a_restart_accesses_take_the_time_that_they_take_at_the_begin)
{
    memory::dram_settings refreshed; // 3.9 us apart
    memory::dram_body fresh(refreshed), used(refreshed);
    const auto origin = tck(1'000'003);
    for (std::uint64_t a = 0; a < 64; ++a) {
        auto w = writing(a * 8192, bytes(256, static_cast<unsigned char>(a)));
        used.serve(w, tck(a * 777));
    }
    used.restart(origin);
    for (std::uint64_t a = 0; a < 64; ++a) { // rows that were open, and refreshes in between
        auto r = reading(a * 4096, 256), s = reading(a * 4096, 256);
        const auto at = tck(a * 300);
        EXPECT_EQ(used.serve(s, origin + at).begin_response, origin + fresh.serve(r, at).begin_response) << a;
    }
    auto kept = reading(63 * 8192, 1);
    used.serve(kept, origin + tck(100'000));
    EXPECT_EQ(kept.data.front(), 63);
    EXPECT_EQ(used.counts()[dram_event::write_burst], 64u * 8);
}

TEST_F(dram_body_test, disabled_bytes_stay_and_the_burst_is_paid)
{
    auto w = writing(64, bytes(8, 0xee));
    w.enable({0x00, 0xff});
    EXPECT_EQ(send(w), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(body.counts()[dram_event::write_burst], 1u);
    auto r = reading(64, 8);
    send(r);
    EXPECT_THAT(r.data, testing::ElementsAre(0, 0xee, 0, 0xee, 0, 0xee, 0, 0xee));
}

TEST_F(dram_body_test, each_turn_of_a_streaming_burst_is_an_access)
{
    auto w = writing(0, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    w.set_streaming_width(4);
    EXPECT_EQ(send(w), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(body.counts()[dram_event::write_burst], 3u);
    EXPECT_EQ(delay, tck(29 + 2 * 8 + 14 + 1 + 8));
    auto r = reading(0, 5);
    send(r);
    EXPECT_THAT(r.data, testing::ElementsAre(9, 6, 7, 8, 0));
}

TEST_F(dram_body_test, refused_transactions_take_no_time_and_no_burst)
{
    auto outside = reading(4 * gib - 1, 2);
    EXPECT_EQ(send(outside), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    auto wrapping = writing(UINT64_MAX - 3, bytes(8));
    EXPECT_EQ(send(wrapping), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    auto none = reading(0, 4);
    none.set_data_length(0);
    EXPECT_EQ(send(none), tlm::TLM_GENERIC_ERROR_RESPONSE);
    payload ignored(tlm::TLM_IGNORE_COMMAND, 0, bytes(4, untouched));
    EXPECT_EQ(send(ignored), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ignored.data, bytes(4, untouched));
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    EXPECT_EQ(body.counts()[dram_event::read_burst] + body.counts()[dram_event::write_burst], 0u);
}

TEST_F(dram_body_test, debug_counts_nothing_and_stops_at_the_end)
{
    auto w = writing(4 * gib - 2, {7, 8, 9});
    EXPECT_EQ(body.transport_dbg(w), 2u);
    auto r = reading(4 * gib - 2, 2);
    EXPECT_EQ(body.transport_dbg(r), 2u);
    EXPECT_THAT(r.data, testing::ElementsAre(7, 8));
    EXPECT_EQ(body.counts()[dram_event::activate], 0u);
}

TEST_F(dram_body_test, direct_pointers_are_refused_unless_allowed)
{
    tlm::tlm_dmi dmi;
    auto r = reading(0, 4);
    send(r);
    EXPECT_FALSE(r.is_dmi_allowed());
    EXPECT_FALSE(body.get_direct_mem_ptr(r, dmi));
    EXPECT_EQ(dmi.get_end_address(), 4 * gib - 1);
    auto s = settings();
    s.allow_dmi = true;
    memory::dram_body open(s);
    ASSERT_TRUE(open.get_direct_mem_ptr(r, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0u);
    EXPECT_EQ(dmi.get_end_address(), 4 * gib - 1);
    EXPECT_EQ(dmi.get_read_latency(), sc_core::sc_time(39, sc_core::SC_PS)); // 1 / 25.6 GB/s, in whole ps
    dmi.get_dmi_ptr()[4 * gib - 1] = 42;
    auto last = reading(4 * gib - 1, 1);
    open.serve(last, sc_core::SC_ZERO_TIME);
    EXPECT_EQ(last.data[0], 42);
    EXPECT_TRUE(last.is_dmi_allowed());
}

TEST_F(dram_body_test, streaming_bursts_and_width_zero_are_refused_when_set_so)
{
    auto s = settings();
    s.streaming_bursts = false;
    s.tolerance.zero_streaming_width = false;
    memory::dram_body strict(s);
    auto p = writing(0, bytes(8, 0xee));
    for (unsigned width : {0u, 4u}) {
        p.set_streaming_width(width);
        strict.serve(p, sc_core::SC_ZERO_TIME);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE) << width;
    }
    EXPECT_EQ(strict.counts()[dram_event::write_burst], 0u);
    p.set_streaming_width(0);
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE); // 0 counts as the length
    EXPECT_EQ(body.counts()[dram_event::write_burst], 1u);
}

TEST_F(dram_body_test, settings_without_sense_are_refused)
{
    EXPECT_FALSE(validate(settings()));
    auto banks = settings();
    banks.dram.organisation.banks = 5;
    EXPECT_THAT(validate(banks).value_or(""), testing::HasSubstr("organisation.banks: found 5"));
    auto queue = settings();
    queue.queue_depth = 0;
    EXPECT_TRUE(validate(queue));
    expected_report report("/tensorloom/dram/config");
    EXPECT_THROW(memory::dram_body{banks}, sc_core::sc_report);
}

class dram_resolution_test : public sim_test {};

TEST_F(dram_resolution_test, too_coarse_for_the_clock_is_an_elaboration_error)
{
    sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
    expected_report report("/tensorloom/dram/resolution");
    EXPECT_THROW(memory::dram_body{settings()}, sc_core::sc_report);
}

// ---- behind a socket ------------------------------------------------------------------------------------------------

template <class Width> class dram_width_test : public sim_test {};
using widths = testing::Types<std::integral_constant<unsigned, 32>, std::integral_constant<unsigned, 64>,
                              std::integral_constant<unsigned, 128>, std::integral_constant<unsigned, 256>,
                              std::integral_constant<unsigned, 512>>;
TYPED_TEST_SUITE(dram_width_test, widths);

TYPED_TEST(dram_width_test, blocking_calls_get_their_data_and_the_same_time)
{
    thread_initiator<TypeParam::value> cpu("cpu", [](auto& me) {
        bytes data(1000);
        for (std::size_t i = 0; i < data.size(); ++i) { data[i] = static_cast<unsigned char>(i * 3 + 1); }
        auto w = writing(5, data);
        EXPECT_EQ(me.send(w), tck(29 + 7 * 8 + 14 + 1 + 8)); // 32 bursts, 8 in each channel
        auto r = reading(5, 1000);
        sc_core::sc_time delay = tck(5000);
        me.out->b_transport(r, delay);
        EXPECT_EQ(delay, tck(5000 + 7 * 8 + 28 + 6 + 8));
        EXPECT_EQ(r.data, data);
    });
    bus::protocol_checker<TypeParam::value> checker("checker");
    memory::dram<TypeParam::value> dram("dram", settings());
    cpu.out.bind(checker.in);
    checker.out.bind(dram.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
    EXPECT_EQ(checker.violations(), 0u);
}

class dram_wait_test : public sim_test {};

TEST_F(dram_wait_test, time_is_waited_for_when_initiators_discard_it)
{
    auto s = settings();
    s.tolerance.wait_out_delay = true;
    memory::dram<32> dram("dram", s);
    thread_initiator<32> cpu("cpu", [](auto& me) {
        auto r = reading(0, 32);
        EXPECT_EQ(me.send(r), sc_core::SC_ZERO_TIME);
        EXPECT_EQ(sc_core::sc_time_stamp(), tck(29 + 28 + 6 + 8));
    });
    cpu.out.bind(dram.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
}

class dram_bus_test : public sim_test {
protected:
    void bind(const memory::dram_settings& s = settings())
    {
        dram = std::make_unique<memory::dram<64>>("dram", s);
        cpu.out.bind(dram->in);
    }
    void request(tlm::tlm_command command, std::uint64_t address, bytes data)
    {
        cpu.requests.push_back({command, address, std::move(data), {}, {}});
    }
    void expect_clean_end()
    {
        EXPECT_TRUE(cpu.finished());
        EXPECT_THAT(cpu.errors, IsEmpty());
        EXPECT_EQ(cpu.pool.taken, cpu.requests.size());
        EXPECT_EQ(cpu.pool.freed, cpu.requests.size());
        EXPECT_EQ(dram->protocol_errors(), 0u);
    }

    at_initiator<64> cpu{"cpu"};
    std::unique_ptr<memory::dram<64>> dram;
};

TEST_F(dram_bus_test, four_phases_bring_the_data_at_the_times_of_the_commands)
{
    bind();
    request(tlm::TLM_WRITE_COMMAND, 0, bytes(32, 7));
    request(tlm::TLM_READ_COMMAND, 0, bytes(32));
    sc_core::sc_start();
    expect_clean_end();
    EXPECT_EQ(cpu.answers.at(0).begin_response, tck(29 + 14 + 1 + 8));
    EXPECT_EQ(cpu.answers.at(1).begin_response, tck(29 + 39 + 28 + 6 + 8)); // 39 from write to read
    EXPECT_EQ(cpu.answers.at(1).data, bytes(32, 7));
}

TEST_F(dram_bus_test, requests_are_taken_a_clock_period_apart)
{
    bind();
    for (unsigned i = 0; i < 8; ++i) { request(tlm::TLM_READ_COMMAND, 64 * i, bytes(64)); }
    sc_core::sc_start();
    expect_clean_end();
    for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(cpu.answers.at(i).begin_request, tck(i));
        EXPECT_EQ(cpu.answers.at(i).end_request, tck(i + 1));
    }
}

TEST_F(dram_bus_test, streaming_over_four_phases_reaches_nine_tenths_of_peak)
{
    auto s = settings();
    s.dram.controller.refresh = costs::dram_refresh::all_bank;
    s.queue_depth = 64;
    bind(s);
    const unsigned count = 16384;
    for (unsigned i = 0; i < count; ++i) { request(tlm::TLM_READ_COMMAND, 64 * i, bytes(64)); }
    sc_core::sc_start();
    expect_clean_end();
    const double ns_taken = cpu.answers.at(count - 1).begin_response.to_seconds() * 1e9;
    EXPECT_GE(count * 64 / ns_taken, 0.9 * 25.6);
    EXPECT_LE(count * 64 / ns_taken, 25.6);
}

TEST_F(dram_bus_test, full_queue_holds_requests_back)
{
    auto s = settings();
    s.queue_depth = 1;
    bind(s);
    for (unsigned i = 0; i < 3; ++i) { request(tlm::TLM_READ_COMMAND, 0, bytes(32)); }
    sc_core::sc_start();
    expect_clean_end();
    EXPECT_EQ(cpu.answers.at(2).begin_response, tck(29 + 28 + 6 + 8) + tck(2 * (28 + 6 + 8)));
}

TEST_F(dram_bus_test, reset_ends_what_is_inside_and_keeps_the_contents)
{
    auto s = settings();
    s.allow_dmi = true;
    bind(s);
    sc_core::sc_signal<bool> rst("rst");
    dram->rst(rst);
    request(tlm::TLM_WRITE_COMMAND, 0, bytes(32, 7));
    for (unsigned i = 1; i < 6; ++i) { request(tlm::TLM_READ_COMMAND, 64 * i, bytes(64)); }
    sc_core::sc_start(tck(10));
    tlm::tlm_dmi dmi;
    auto asks = reading(0, 4);
    EXPECT_TRUE(cpu.out->get_direct_mem_ptr(asks, dmi));
    rst.write(true);
    sc_core::sc_start(tck(10));
    EXPECT_EQ(cpu.invalidations(), 1u);
    EXPECT_TRUE(cpu.finished());
    for (unsigned i = 0; i < 6; ++i) { EXPECT_EQ(cpu.answers.at(i).status, tlm::TLM_GENERIC_ERROR_RESPONSE) << i; }
    rst.write(false);
    sc_core::sc_start(tck(1000));
    auto kept = reading(0, 32);
    EXPECT_EQ(cpu.out->transport_dbg(kept), 32u);
    EXPECT_EQ(kept.data, bytes(32, 7));
    EXPECT_EQ(cpu.pool.freed, 6u);
}

TEST_F(dram_bus_test, switching_direct_pointers_off_takes_them_back)
{
    auto s = settings();
    s.allow_dmi = true;
    bind(s);
    sc_core::sc_start(tck(1));
    tlm::tlm_dmi dmi;
    auto asks = reading(0, 4);
    EXPECT_TRUE(cpu.out->get_direct_mem_ptr(asks, dmi));
    dram->set_dmi_allowed(false);
    EXPECT_EQ(cpu.invalidations(), 1u);
    EXPECT_FALSE(cpu.out->get_direct_mem_ptr(asks, dmi));
}

TEST_F(dram_bus_test, idle_time_is_settled_on_request)
{
    auto s = settings();
    s.dram.controller.refresh = costs::dram_refresh::all_bank;
    bind(s);
    sc_core::sc_start(tck(6246 * 10 + 1));
    EXPECT_EQ(dram->counts()[dram_event::refresh], 0u);
    dram->settle();
    EXPECT_EQ(dram->counts()[dram_event::refresh], 4u * 10);
}

TEST_F(dram_bus_test, idle_time_takes_no_memory)
{
    auto s = settings();
    s.dram.controller.refresh = costs::dram_refresh::all_bank;
    bind(s);
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_SEC));
    const auto peak_kib = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const auto before = peak_kib();
    dram->settle(); // 20 million refreshes
    EXPECT_GT(dram->counts()[dram_event::refresh], 20'000'000u);
    EXPECT_LT(peak_kib() - before, 16 * 1024);
}

TEST_F(dram_bus_test, stopping_settles_the_counts)
{
    bind();
    request(tlm::TLM_READ_COMMAND, 0, bytes(32));
    sc_core::sc_start(tck(1000));
    sc_core::sc_stop();
    EXPECT_EQ(dram->counts()[dram_event::active_cycle],
              1000u); // one row open in one channel, from the first clock period on
}

TEST_F(dram_bus_test, commands_can_be_watched)
{
    bind();
    std::vector<memory::dram_command_kind> kinds;
    dram->log_to([&](const memory::dram_command& c) { kinds.push_back(c.kind); });
    request(tlm::TLM_READ_COMMAND, 0, bytes(32));
    sc_core::sc_start();
    EXPECT_THAT(kinds, testing::ElementsAre(memory::dram_command_kind::activate, memory::dram_command_kind::read));
}

/// Remembers what is attached.
struct attached_tables : bus::activity_sink {
    void attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts) override
    {
        names.push_back(object);
        EXPECT_EQ(table.size, costs::dram_event_count);
        pointers.push_back(counts);
    }
    void started(const std::string&, std::uint64_t) override {}
    void log(const std::string&, const bus::log_record&) override {}
    void finished(const std::string&, std::uint64_t) override {}
    std::vector<std::string> names;
    std::vector<const std::uint64_t*> pointers;
};

TEST_F(dram_bus_test, two_of_them_count_each_for_itself)
{
    attached_tables activity;
    memory::dram<64> one("one", settings(), &activity), other("other", settings(), &activity);
    at_initiator<64> second("second");
    cpu.out.bind(one.in);
    second.out.bind(other.in);
    request(tlm::TLM_READ_COMMAND, 0, bytes(32));
    sc_core::sc_start();
    EXPECT_THAT(activity.names, testing::ElementsAre("one", "other"));
    const auto read = static_cast<std::size_t>(dram_event::read_burst);
    EXPECT_EQ(activity.pointers[0][read], 1u);
    EXPECT_EQ(activity.pointers[1][read], 0u);
}

} // namespace
} // namespace tensorloom::test
