// What passes a recorder is told to its sink with its times, and passes unchanged.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <deque>
#include <gmock/gmock.h>
#include <tensorloom/tlm/recorder.h>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/rogue_bench.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using bus::transfer_command;
using bus::transfer_kind;
using bus::transfer_status;
using testing::ElementsAre;
using testing::Pair;
using tlm::BEGIN_REQ;
using tlm::BEGIN_RESP;
using tlm::END_REQ;
using tlm::END_RESP;
using tlm::TLM_COMPLETED;
using tlm::TLM_UPDATED;

class kept_traffic : public bus::transaction_sink {
public:
    std::vector<std::string> names;
    std::vector<std::pair<std::size_t, std::string>> initiators;
    std::vector<bus::transaction_record> records;
    std::vector<std::size_t> recorder_of; // by record
    std::vector<std::uint32_t> debug_bytes;
    std::vector<bool> dmi_answers;
    unsigned invalidations = 0;

    std::size_t attach(const std::string& recorder) override
    {
        names.push_back(recorder);
        return names.size() - 1;
    }
    void connected(std::size_t recorder, const std::string& initiator) override
    {
        initiators.emplace_back(recorder, initiator);
    }
    void log(std::size_t recorder, const bus::transaction_record& r) override
    {
        recorder_of.push_back(recorder);
        records.push_back(r);
    }
    void debug(std::size_t, std::uint32_t bytes) override { debug_bytes.push_back(bytes); }
    void dmi_request(std::size_t, bool granted) override { dmi_answers.push_back(granted); }
    void dmi_invalidation(std::size_t) override { ++invalidations; }
};

// begin, end of request, begin of response, end; in ns
std::vector<std::uint64_t> times_ns(const bus::transaction_record& r)
{
    return {r.begin_ps / 1000, r.end_request_ps / 1000, r.begin_response_ps / 1000, r.end_ps / 1000};
}

class recorder_test : public sim_test {
protected:
    kept_traffic kept;
    rogue_initiator initiator{"initiator"};
    bus::recorder<> recorder{"recorder", kept};
    bus::protocol_checker<> checker{"checker"};
    rogue_target target{"target"};

    recorder_test()
    {
        initiator.out.bind(recorder.in);
        recorder.out.bind(checker.in);
        checker.out.bind(target.in);
    }
    void run(std::function<void()> program)
    {
        initiator.program = std::move(program);
        sc_core::sc_start();
        EXPECT_TRUE(initiator.finished);
        EXPECT_EQ(checker.violations(), 0u);
    }
    tlm::tlm_sync_enum fw(tlm::tlm_generic_payload& t, tlm::tlm_phase phase, sc_core::sc_time delay = ns(0))
    {
        return initiator.out->nb_transport_fw(t, phase, delay);
    }
    tlm::tlm_sync_enum bw(tlm::tlm_generic_payload& t, tlm::tlm_phase phase, sc_core::sc_time delay = ns(0))
    {
        if (phase == BEGIN_RESP) { t.set_response_status(tlm::TLM_OK_RESPONSE); }
        return target.in->nb_transport_bw(t, phase, delay);
    }
};

TEST_F(recorder_test, names_itself_and_the_initiators_socket)
{
    run([] {});
    EXPECT_THAT(kept.names, ElementsAre("recorder"));
    EXPECT_THAT(kept.initiators, ElementsAre(Pair(0, "initiator.out")));
}

TEST_F(recorder_test, a_blocking_transaction_lasts_from_its_annotated_begin_to_its_annotated_end)
{
    target.blocking = [](auto& t, auto& delay) {
        sc_core::wait(ns(20));
        delay += ns(7);
        t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    };
    run([&] {
        sc_core::wait(ns(100));
        payload t = writing(0x1234, {1, 2, 3});
        sc_core::sc_time delay = ns(5);
        initiator.out->b_transport(t, delay);
        EXPECT_EQ(delay, ns(12));
        EXPECT_EQ(t.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    });
    ASSERT_EQ(kept.records.size(), 1u);
    const auto& r = kept.records[0];
    EXPECT_EQ(r.kind, transfer_kind::blocking);
    EXPECT_EQ(r.command, transfer_command::write);
    EXPECT_EQ(r.status, transfer_status::burst_error);
    EXPECT_EQ(r.address, 0x1234u);
    EXPECT_EQ(r.bytes, 3u);
    EXPECT_THAT(times_ns(r), ElementsAre(105, 105, 132, 132));
}

TEST_F(recorder_test, each_command_and_each_status_is_told)
{
    const std::vector<std::pair<tlm::tlm_response_status, transfer_status>> statuses = {
        {tlm::TLM_OK_RESPONSE, transfer_status::ok},
        {tlm::TLM_GENERIC_ERROR_RESPONSE, transfer_status::generic_error},
        {tlm::TLM_ADDRESS_ERROR_RESPONSE, transfer_status::address_error},
        {tlm::TLM_COMMAND_ERROR_RESPONSE, transfer_status::command_error},
        {tlm::TLM_BURST_ERROR_RESPONSE, transfer_status::burst_error},
        {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, transfer_status::byte_enable_error}};
    const std::vector<std::pair<tlm::tlm_command, transfer_command>> commands = {
        {tlm::TLM_READ_COMMAND, transfer_command::read},
        {tlm::TLM_WRITE_COMMAND, transfer_command::write},
        {tlm::TLM_IGNORE_COMMAND, transfer_command::ignore}};
    run([&] {
        for (const auto& [command, told_command] : commands) {
            for (const auto& [status, told_status] : statuses) {
                target.blocking = [s = status](auto& t, auto&) { t.set_response_status(s); };
                payload t(command, 0, {1});
                sc_core::sc_time delay;
                initiator.out->b_transport(t, delay);
                EXPECT_EQ(kept.records.back().command, told_command);
                EXPECT_EQ(kept.records.back().status, told_status);
            }
        }
    });
    EXPECT_EQ(kept.records.size(), 18u);
}

TEST_F(recorder_test, a_status_left_incomplete_is_told)
{
    checker.tolerate(bus::protocol_rule::status_left_incomplete);
    target.blocking = [](auto&, auto&) {};
    run([&] {
        payload t = reading(0, 4);
        sc_core::sc_time delay;
        initiator.out->b_transport(t, delay);
    });
    EXPECT_EQ(kept.records.at(0).status, transfer_status::incomplete);
}

TEST_F(recorder_test, phases_have_their_annotated_times)
{
    managed_payload t(tlm::TLM_READ_COMMAND, 0x40);
    run([&] {
        sc_core::wait(ns(10));
        fw(t, BEGIN_REQ, ns(1));
        sc_core::wait(ns(10));
        bw(t, END_REQ, ns(2));
        sc_core::wait(ns(10));
        bw(t, BEGIN_RESP, ns(3));
        EXPECT_TRUE(kept.records.empty());
        EXPECT_EQ(recorder.live(), 1u);
        sc_core::wait(ns(10));
        fw(t, END_RESP, ns(4));
        EXPECT_EQ(recorder.live(), 0u);
    });
    ASSERT_EQ(kept.records.size(), 1u);
    EXPECT_EQ(kept.records[0].kind, transfer_kind::phases);
    EXPECT_EQ(kept.records[0].command, transfer_command::read);
    EXPECT_EQ(kept.records[0].status, transfer_status::ok);
    EXPECT_EQ(kept.records[0].address, 0x40u);
    EXPECT_THAT(times_ns(kept.records[0]), ElementsAre(11, 22, 33, 44));
}

TEST_F(recorder_test, phases_given_back_count_like_phases_sent)
{
    managed_payload t;
    run([&] {
        target.forward = [](auto&, auto& phase, auto& delay) {
            phase = END_REQ;
            delay += ns(5);
            return TLM_UPDATED;
        };
        fw(t, BEGIN_REQ, ns(1));
        initiator.backward = [](auto&, auto& phase, auto& delay) {
            phase = END_RESP;
            delay += ns(3);
            return TLM_UPDATED;
        };
        bw(t, BEGIN_RESP, ns(20));
    });
    ASSERT_EQ(kept.records.size(), 1u);
    EXPECT_THAT(times_ns(kept.records[0]), ElementsAre(1, 6, 20, 23));
}

TEST_F(recorder_test, a_response_given_back_implies_the_end_of_the_request)
{
    managed_payload t;
    run([&] {
        target.forward = [](auto& p, auto& phase, auto& delay) {
            if (phase == END_RESP) { return TLM_COMPLETED; }
            p.set_response_status(tlm::TLM_OK_RESPONSE);
            phase = BEGIN_RESP;
            delay += ns(5);
            return TLM_UPDATED;
        };
        fw(t, BEGIN_REQ);
        fw(t, END_RESP, ns(9));
    });
    ASSERT_EQ(kept.records.size(), 1u);
    EXPECT_THAT(times_ns(kept.records[0]), ElementsAre(0, 5, 5, 9));
}

TEST_F(recorder_test, early_completion_implies_the_phases_left_out)
{
    managed_payload at_once, at_the_response;
    run([&] {
        target.forward = [](auto& p, auto&, auto& delay) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            delay += ns(5);
            return TLM_COMPLETED;
        };
        fw(at_once, BEGIN_REQ, ns(1));
        target.forward = accept;
        initiator.backward = [](auto&, auto&, auto& delay) {
            delay += ns(2);
            return TLM_COMPLETED;
        };
        fw(at_the_response, BEGIN_REQ, ns(1));
        bw(at_the_response, BEGIN_RESP, ns(8));
    });
    ASSERT_EQ(kept.records.size(), 2u);
    EXPECT_EQ(kept.records[0].status, transfer_status::address_error);
    EXPECT_THAT(times_ns(kept.records[0]), ElementsAre(1, 6, 6, 6));
    EXPECT_THAT(times_ns(kept.records[1]), ElementsAre(1, 8, 8, 10));
}

TEST_F(recorder_test, outstanding_transactions_are_told_in_the_order_of_their_ends)
{
    std::deque<managed_payload> all;
    for (std::uint64_t a = 0; a < 50; ++a) { all.emplace_back(tlm::TLM_READ_COMMAND, a); }
    run([&] {
        for (auto& t : all) {
            fw(t, BEGIN_REQ);
            sc_core::wait(ns(1));
            bw(t, END_REQ);
        }
        for (auto t = all.rbegin(); t != all.rend(); ++t) {
            bw(*t, BEGIN_RESP);
            fw(*t, END_RESP);
        }
    });
    ASSERT_EQ(kept.records.size(), 50u);
    for (std::uint64_t a = 0; a < 50; ++a) {
        EXPECT_EQ(kept.records[a].address, 49 - a);
        EXPECT_THAT(times_ns(kept.records[a]), ElementsAre(49 - a, 50 - a, 50, 50));
    }
}

TEST_F(recorder_test, no_later_record_begins_before_what_is_settled)
{
    std::deque<managed_payload> long_ones(2);
    managed_payload t;
    target.forward = [&](auto& p, auto& phase, auto& delay) {
        if (&p != &t || phase == END_RESP) { return tlm::TLM_ACCEPTED; }
        delay += ns(3);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return TLM_COMPLETED;
    };
    run([&] {
        for (auto& l : long_ones) {
            for (int i = 0; i < 300; ++i) {
                if (i == 10) {
                    fw(l, BEGIN_REQ);
                    bw(l, END_REQ);
                }
                if (i == 250) {
                    bw(l, BEGIN_RESP);
                    fw(l, END_RESP);
                }
                t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
                fw(t, BEGIN_REQ);
                sc_core::wait(ns(10));
            }
        }
    });
    ASSERT_EQ(kept.records.size(), 602u);
    std::uint64_t settled = 0;
    for (const auto& r : kept.records) {
        EXPECT_GE(r.begin_ps, settled);
        EXPECT_GE(r.settled_ps, settled);
        settled = r.settled_ps;
    }
    EXPECT_GE(settled, 5'000'000u); // it moves on
}

TEST_F(recorder_test, debug_and_dmi_are_counted)
{
    unsigned char memory[64] = {};
    target.debug = [](auto&) { return 3u; };
    run([&] {
        payload t = reading(8, 4);
        EXPECT_EQ(initiator.out->transport_dbg(t), 3u);
        tlm::tlm_dmi dmi;
        EXPECT_FALSE(initiator.out->get_direct_mem_ptr(t, dmi));
        target.direct = [&](auto&, auto& d) {
            d.set_dmi_ptr(memory);
            d.allow_read_write();
            return true;
        };
        EXPECT_TRUE(initiator.out->get_direct_mem_ptr(t, dmi));
        EXPECT_EQ(dmi.get_dmi_ptr(), memory);
        target.in->invalidate_direct_mem_ptr(3, 40);
    });
    EXPECT_THAT(kept.debug_bytes, ElementsAre(3));
    EXPECT_THAT(kept.dmi_answers, ElementsAre(false, true));
    EXPECT_EQ(kept.invalidations, 1u);
    EXPECT_THAT(initiator.invalidations, ElementsAre(Pair(3, 40)));
    EXPECT_TRUE(kept.records.empty());
}

TEST_F(recorder_test, a_killed_call_is_forgotten)
{
    target.blocking = [](auto&, auto&) { sc_core::wait(ns(1000)); };
    run([&] {
        payload t = writing(8, {1});
        auto caller = sc_core::sc_spawn([&] {
            sc_core::sc_time delay;
            initiator.out->b_transport(t, delay);
        });
        sc_core::wait(ns(1));
        EXPECT_EQ(recorder.live(), 1u);
        caller.kill();
        EXPECT_EQ(recorder.live(), 0u);
    });
    EXPECT_TRUE(kept.records.empty());
}

TEST_F(recorder_test, illegal_phases_are_not_recorded_and_pass)
{
    unsigned arrived = 0;
    for (const auto rule : {bus::protocol_rule::unknown_transaction, bus::protocol_rule::phase_direction}) {
        checker.tolerate(rule);
    }
    target.forward = [&](auto&, auto&, auto&) {
        ++arrived;
        return tlm::TLM_ACCEPTED;
    };
    managed_payload t;
    run([&] {
        fw(t, END_RESP);
        bw(t, END_REQ);
        fw(t, BEGIN_RESP);
    });
    EXPECT_EQ(arrived, 2u);
    EXPECT_TRUE(kept.records.empty());
}

// Sockets of enclosing modules call the same target: the initiator is the innermost.
class enclosing : public sc_core::sc_module {
public:
    tlm::tlm_initiator_socket<32> out;
    explicit enclosing(sc_core::sc_module_name name) : sc_core::sc_module(name), out("out"), cpu("cpu")
    {
        cpu.out.bind(out);
    }
    thread_initiator<> cpu;
};
class multi_initiator : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_initiator_socket<multi_initiator> out;
    explicit multi_initiator(sc_core::sc_module_name name) : sc_core::sc_module(name), out("out") {}
};

class recorder_place_test : public sim_test {};

TEST_F(recorder_place_test, initiators_in_modules_and_multi_sockets_are_named)
{
    kept_traffic kept;
    enclosing outer("outer");
    multi_initiator many("many");
    bus::recorder<> a("a", kept), b("b", kept), c("c", kept);
    byte_target<> ta("ta", 64), tb("tb", 64), tc("tc", 64);
    outer.out.bind(a.in);
    a.out.bind(ta.in);
    many.out.bind(b.in);
    many.out.bind(c.in);
    b.out.bind(tb.in);
    c.out.bind(tc.in);
    sc_core::sc_start();
    EXPECT_THAT(kept.initiators, ElementsAre(Pair(0, "outer.cpu.out"), Pair(1, "many.out[0]"), Pair(2, "many.out[1]")));
}

template <unsigned WIDTH> void record_at_width()
{
    kept_traffic kept;
    thread_initiator<WIDTH> cpu("cpu", [](auto& self) {
        payload t = writing(8, {1, 2, 3});
        EXPECT_EQ(self.send(t), ns(7));
    });
    bus::recorder<WIDTH> recorder("recorder", kept);
    byte_target<WIDTH> target("target", 64);
    target.annotated = ns(7);
    cpu.out.bind(recorder.in);
    recorder.out.bind(target.in);
    sc_core::sc_start();
    ASSERT_EQ(kept.records.size(), 1u);
    EXPECT_EQ(kept.records[0].end_ps, 7000u);
    EXPECT_THAT(kept.initiators, ElementsAre(Pair(0, "cpu.out")));
}
TEST_F(recorder_place_test, width_64) { record_at_width<64>(); }
TEST_F(recorder_place_test, width_512) { record_at_width<512>(); }

TEST_F(recorder_place_test, a_coarser_time_resolution_keeps_picoseconds)
{
    sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
    record_at_width<32>();
}
TEST_F(recorder_place_test, a_finer_time_resolution_keeps_picoseconds)
{
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    record_at_width<32>();
}

} // namespace
} // namespace tensorloom::test
