// Direct memory pointers: used as granted, never past their end, given up the moment they are invalidated.
#include <algorithm>
#include <ostream>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_transport;
using testing::Each;
using testing::ElementsAre;

class dma_direct_test : public sim_test_with_param<dma_transport> {
protected:
    static bus::dma_config config(unsigned bytes = 16, unsigned outstanding = 1)
    {
        auto c = several_of(outstanding, bytes, GetParam());
        c.use_dmi = bus::dmi_use::on;
        return c;
    }
    // Grants addresses first..last of `bytes`; half a nanosecond per byte read, one per byte written.
    static tlm::tlm_dmi grant(std::vector<unsigned char>& bytes, std::uint64_t first, std::uint64_t last)
    {
        tlm::tlm_dmi dmi;
        dmi.set_dmi_ptr(bytes.data() + first);
        dmi.set_start_address(first);
        dmi.set_end_address(last);
        dmi.allow_read_write();
        dmi.set_read_latency(ns(0.5));
        dmi.set_write_latency(ns(1));
        return dmi;
    }
    static tlm::tlm_dmi refusal(std::uint64_t first, std::uint64_t last)
    {
        tlm::tlm_dmi dmi;
        dmi.set_start_address(first);
        dmi.set_end_address(last);
        return dmi;
    }
};

TEST_P(dma_direct_test, moves_all_bytes_by_the_pointer_in_its_time)
{
    at_dma_bench bench("bench", config(), [](auto& b) {
        b.read(0, 128);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(64));
        b.write(1024, 128);
    });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 128));
    EXPECT_TRUE(std::equal(bench.inside.begin(), bench.inside.begin() + 128, bench.target.bytes.begin() + 1024));
    EXPECT_EQ(bench.end, ns(64 + 128));
    EXPECT_TRUE(bench.target.log.empty());
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 256u);
    EXPECT_EQ(bench.count(dma_event::read_byte), 128u);
    EXPECT_EQ(bench.count(dma_event::write_byte), 128u);
    EXPECT_EQ(bench.count(dma_event::read_transaction) + bench.count(dma_event::write_transaction), 0u);
}

TEST_P(dma_direct_test, takes_no_less_than_the_beats_of_the_bus)
{
    at_dma_bench bench("bench", config(16, 4), [](auto& b) { b.read(0, 128); });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.dmi.set_read_latency(sc_core::SC_ZERO_TIME);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(32));
}

TEST_P(dma_direct_test, bursts_follow_each_other_however_many_may_be_in_flight)
{
    at_dma_bench bench("bench", config(16, 4), [](auto& b) { b.read(0, 128); });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(64));
    EXPECT_EQ(bench.count(dma_event::stalled_cycle), 0u);
}

TEST_P(dma_direct_test, is_not_asked_for_unless_configured)
{
    at_dma_bench bench("bench", several_of(1, 16, dma_transport::non_blocking), [](auto& b) { b.read(0, 128); });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.target.log.size(), 8u);
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 0u);
}

INSTANTIATE_TEST_SUITE_P(transport, dma_direct_test,
                         testing::Values(dma_transport::blocking, dma_transport::non_blocking), [](const auto& tested) {
                             return tested.param == dma_transport::blocking ? "blocking" : "non_blocking";
                         });

// What follows is told apart by two stores: what the bus reads and what the pointer reads.
class dma_grant_test : public dma_direct_test {
protected:
    void SetUp() override
    {
        dma_direct_test::SetUp();
        direct.assign(4096, 0xdd);
    }
    // Which bytes of `inside` came by the pointer.
    template <class Bench> std::pair<std::uint64_t, std::uint64_t> direct_part(const Bench& b, std::uint64_t bytes)
    {
        const auto first = std::find(b.inside.begin(), b.inside.begin() + static_cast<std::ptrdiff_t>(bytes), 0xdd);
        const auto end = std::find_if(first, b.inside.end(), [](unsigned char c) { return c != 0xdd; });
        return {first - b.inside.begin(), end - b.inside.begin()};
    }
    template <class Bench> static void bus_reads_ee(Bench& b)
    {
        std::fill(b.target.bytes.begin(), b.target.bytes.end(), 0xee);
    }
    std::vector<unsigned char> direct;
};

TEST_P(dma_grant_test, bursts_that_are_not_whole_in_the_range_go_over_the_bus)
{
    at_dma_bench bench("bench", config(), [](auto& b) { b.read(0, 128); });
    bus_reads_ee(bench);
    bench.target.dmi = grant(direct, 17, 79); // whole bursts: 32 to 79
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(direct_part(bench, 128), std::make_pair(std::uint64_t{32}, std::uint64_t{80}));
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 48u);
    EXPECT_THAT(bench.target.addresses(), ElementsAre(0, 16, 80, 96, 112));
}

TEST_P(dma_grant_test, last_byte_of_the_range_counts)
{
    at_dma_bench bench("bench", config(), [](auto& b) { b.read(0, 128); });
    bus_reads_ee(bench);
    bench.target.dmi = grant(direct, 0, 62);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(direct_part(bench, 128), std::make_pair(std::uint64_t{0}, std::uint64_t{48}));
}

TEST_P(dma_grant_test, range_for_reads_is_not_written)
{
    at_dma_bench bench("bench", config(), [](auto& b) { b.write(0, 128); });
    bench.target.dmi = grant(direct, 0, 4095);
    bench.target.dmi.allow_read();
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_THAT(direct, Each(0xdd));
    EXPECT_EQ(bench.count(dma_event::write_transaction), 8u);
}

TEST_P(dma_grant_test, range_for_writes_is_not_read)
{
    at_dma_bench bench("bench", config(), [](auto& b) { b.read(0, 128); });
    bench.target.dmi = grant(direct, 0, 4095);
    bench.target.dmi.allow_write();
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 128));
}

TEST_P(dma_grant_test, nonsense_is_no_grant)
{
    at_dma_bench bench("bench", config(), [this](auto& b) {
        b.target.dmi = grant(direct, 2048, 4095); // somewhere else
        b.read(0, 128);
        b.target.dmi = grant(direct, 0, 4095);
        b.target.dmi.set_dmi_ptr(nullptr);
        b.read(0, 128);
    });
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 128));
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 0u);
}

TEST_P(dma_grant_test, refused_range_is_asked_for_once_per_transfer)
{
    unsigned asked = 0;
    at_dma_bench bench("bench", config(), [&](auto& b) {
        b.target.dmi = refusal(0, 95);
        b.read(0, 128); // 0, 96, 112: the refused range ends there
        asked = b.target.asked_for_dmi;
        b.read(0, 16);
    });
    sc_core::sc_start();
    EXPECT_EQ(asked, 3u);
    EXPECT_EQ(bench.target.asked_for_dmi, 4u);
}

TEST_P(dma_grant_test, grant_is_kept_from_transfer_to_transfer)
{
    at_dma_bench bench("bench", config(), [](auto& b) {
        for (int i = 0; i < 5; ++i) { b.read(0, 128); }
    });
    bench.target.dmi = grant(direct, 0, 4095);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.target.asked_for_dmi, 1u);
}

// ---- invalidation ----

// Does something at a time.
class at_time : public sc_core::sc_module {
public:
    at_time(sc_core::sc_module_name name, sc_core::sc_time time, std::function<void()> deed)
        : sc_core::sc_module(name), m_time(time), m_deed(std::move(deed))
    {
        SC_HAS_PROCESS(at_time);
        SC_THREAD(run);
    }

private:
    void run()
    {
        wait(m_time);
        m_deed();
    }
    sc_core::sc_time m_time;
    std::function<void()> m_deed;
};

TEST_P(dma_grant_test, invalidated_in_a_transfer_is_not_touched_again)
{
    at_dma_bench bench("bench", config(), [](auto& b) { b.read(0, 128); });
    bus_reads_ee(bench);
    bench.target.dmi = grant(direct, 0, 4095); // 8 ns per burst
    bench.target.grants_dmi = true;
    at_time end_of_grant("end_of_grant", ns(20), [&] {
        bench.target.grants_dmi = false;
        bench.target.dmi = refusal(0, 4095);
        std::fill(direct.begin(), direct.end(), 0xbb); // somebody else's now
        bench.target.in->invalidate_direct_mem_ptr(64, 64);
    });
    sc_core::sc_start();
    EXPECT_EQ(direct_part(bench, 128), std::make_pair(std::uint64_t{0}, std::uint64_t{48}));
    EXPECT_EQ(std::count(bench.inside.begin(), bench.inside.end(), 0xbb), 0);
    EXPECT_THAT(bench.target.addresses(), ElementsAre(48, 64, 80, 96, 112));
}

TEST_P(dma_grant_test, memory_that_moves_in_a_transfer_is_followed)
{
    std::vector<unsigned char> moved(4096, 0xcc);
    at_dma_bench bench("bench", config(), [](auto& b) { b.write(0, 128); });
    std::fill(bench.inside.begin(), bench.inside.end(), 0x11);
    bench.target.dmi = grant(direct, 0, 4095); // 16 ns per burst
    bench.target.grants_dmi = true;
    at_time move("move", ns(20), [&] {
        moved = direct;
        bench.target.in->invalidate_direct_mem_ptr(0, UINT64_MAX);
        bench.target.dmi = grant(moved, 0, 4095);
        std::fill(direct.begin(), direct.end(), 0xbb);
    });
    sc_core::sc_start();
    EXPECT_THAT(direct, Each(0xbb));
    EXPECT_EQ(std::count(moved.begin(), moved.begin() + 128, 0x11), 128);
    EXPECT_THAT(std::vector<unsigned char>(moved.begin() + 128, moved.end()), Each(0xdd));
}

TEST_P(dma_grant_test, invalidation_elsewhere_changes_nothing)
{
    at_dma_bench bench("bench", config(), [](auto& b) {
        b.read(0, 16);
        b.target.in->invalidate_direct_mem_ptr(2048, 4095);
        b.read(0, 128);
    });
    bench.target.dmi = grant(direct, 0, 2047);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.target.asked_for_dmi, 1u);
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 144u);
}

TEST_P(dma_grant_test, range_that_becomes_free_is_asked_for_again)
{
    at_dma_bench bench("bench", config(), [](auto& b) { b.read(0, 128); });
    bus_reads_ee(bench);
    bench.target.dmi = refusal(0, UINT64_MAX);
    bench.target.plan = [](const auto&) {
        at_answer a;
        a.how = at_answer::way::completed;
        a.respond = ns(10);
        return a;
    };
    at_time change("change", ns(25), [&] {
        bench.target.dmi = grant(direct, 0, 4095);
        bench.target.grants_dmi = true;
        bench.target.in->invalidate_direct_mem_ptr(0, 4095);
    });
    sc_core::sc_start();
    EXPECT_EQ(direct_part(bench, 128), std::make_pair(std::uint64_t{48}, std::uint64_t{128}));
}

TEST_P(dma_grant_test, many_small_grants_are_all_used_and_not_all_kept)
{
    at_dma_bench bench("bench", config(), [](auto& b) {
        b.read(0, 4096);
        b.read(0, 4096);
    });
    bench.target.grants_dmi = true;
    bench.target.grant_for = [this](std::uint64_t address) { return grant(direct, address / 64 * 64, address | 63); };
    sc_core::sc_start();
    EXPECT_THAT(bench.inside, Each(0xdd));
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 8192u);
    EXPECT_EQ(bench.target.asked_for_dmi, 128u);
}

TEST_P(dma_grant_test, stop_acts_between_direct_bursts)
{
    at_dma_bench bench("bench", config(), [](auto& b) {
        b.stop.request(ns(20));
        b.read(0, 128);
    });
    bus_reads_ee(bench);
    bench.target.dmi = grant(direct, 0, 4095);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, bus::dma_result::outcome::stopped);
    EXPECT_EQ(bench.result.address, 48u);
    EXPECT_EQ(direct_part(bench, 128), std::make_pair(std::uint64_t{0}, std::uint64_t{48}));
    EXPECT_EQ(bench.end, ns(24));
}

INSTANTIATE_TEST_SUITE_P(transport, dma_grant_test,
                         testing::Values(dma_transport::blocking, dma_transport::non_blocking), [](const auto& tested) {
                             return tested.param == dma_transport::blocking ? "blocking" : "non_blocking";
                         });

// ---- only when hinted ----

class dma_hint_test : public dma_direct_test {
protected:
    static bus::dma_config hinted(unsigned outstanding = 1)
    {
        auto c = config(16, outstanding);
        c.use_dmi = bus::dmi_use::hinted;
        return c;
    }
    static bool everywhere(std::uint64_t) { return true; }
    static at_answer after_10_ns(const tlm::tlm_generic_payload&)
    {
        at_answer a;
        a.how = at_answer::way::completed;
        a.respond = ns(10);
        return a;
    }
};

TEST_P(dma_hint_test, target_that_does_not_hint_is_not_asked)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) {
        b.read(0, 128);
        b.write(0, 128);
    });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_THAT(bench.target.asked_at, testing::IsEmpty());
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 0u);
}

TEST_P(dma_hint_test, target_is_asked_for_the_address_that_it_hinted_at)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) { b.read(0, 128); });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    bench.target.hints = [](std::uint64_t address) { return address == 32; };
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 128));
    EXPECT_THAT(bench.target.addresses(), ElementsAre(0, 16, 32));
    EXPECT_THAT(bench.target.asked_at, ElementsAre(32));
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 80u);
}

TEST_P(dma_hint_test, end_of_a_grant_takes_another_hint)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) { b.read(0, 256); });
    bench.target.grants_dmi = true;
    bench.target.hints = everywhere;
    bench.target.grant_for = [&](std::uint64_t address) {
        return grant(bench.target.bytes, address / 64 * 64, address | 63);
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 256));
    EXPECT_THAT(bench.target.addresses(), ElementsAre(0, 64, 128, 192));
    EXPECT_THAT(bench.target.asked_at, ElementsAre(0, 64, 128, 192));
}

TEST_P(dma_hint_test, hint_in_the_last_answer_serves_the_next_transfer)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) {
        b.read(0, 16);
        EXPECT_THAT(b.target.asked_at, testing::IsEmpty());
        b.read(512, 64);
    });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    bench.target.hints = everywhere;
    sc_core::sc_start();
    EXPECT_THAT(bench.target.asked_at, ElementsAre(0));
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 64u);
}

TEST_P(dma_hint_test, hint_in_the_answer_to_a_read_is_none_for_writes)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) {
        b.read(0, 16);
        b.write(512, 64);
    });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    bench.target.hints = everywhere;
    sc_core::sc_start();
    EXPECT_THAT(bench.target.asked_at, ElementsAre(512));
    EXPECT_EQ(bench.count(dma_event::dmi_byte), 48u);
}

TEST_P(dma_hint_test, hint_is_void_after_an_invalidation)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) {
        b.read(0, 16);
        b.target.hints = [](std::uint64_t) { return false; };
        b.target.in->invalidate_direct_mem_ptr(0, 4095);
        b.read(0, 128);
    });
    bench.target.dmi = refusal(0, 4095);
    bench.target.hints = everywhere;
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_THAT(bench.target.asked_at, testing::IsEmpty());
}

TEST_P(dma_hint_test, hint_in_the_answer_to_a_failure_is_none)
{
    at_dma_bench bench("bench", hinted(), [](auto& b) {
        b.read(0, 16);
        b.target.plan = after_10_ns;
        b.target.hints = [](std::uint64_t) { return false; };
        b.read(0, 128);
    });
    bench.target.plan = [](const auto& t) {
        auto a = after_10_ns(t);
        a.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
        return a;
    };
    bench.target.hints = everywhere;
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_THAT(bench.target.asked_at, testing::IsEmpty());
}

TEST_P(dma_hint_test, several_in_flight_ask_once_for_what_is_granted)
{
    at_dma_bench bench("bench", hinted(4), [](auto& b) { b.read(0, 1024); });
    bench.target.dmi = grant(bench.target.bytes, 0, 4095);
    bench.target.grants_dmi = true;
    bench.target.hints = everywhere;
    bench.target.plan = after_10_ns;
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 1024));
    EXPECT_EQ(bench.target.asked_for_dmi, 1u);
    EXPECT_LE(bench.target.log.size(), 4u);
}

INSTANTIATE_TEST_SUITE_P(transport, dma_hint_test,
                         testing::Values(dma_transport::blocking, dma_transport::non_blocking), [](const auto& tested) {
                             return tested.param == dma_transport::blocking ? "blocking" : "non_blocking";
                         });

} // namespace
} // namespace tensorloom::test
