// Legal traffic of all kinds passes the checker as it is, and is never a violation.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <deque>
#include <memory>
#include <gmock/gmock.h>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/rogue_bench.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::Pair;
using tlm::BEGIN_REQ;
using tlm::BEGIN_RESP;
using tlm::END_REQ;
using tlm::END_RESP;
using tlm::TLM_ACCEPTED;
using tlm::TLM_COMPLETED;
using tlm::TLM_UPDATED;

DECLARE_EXTENDED_PHASE(data_phase);

class protocol_legal_test : public sim_test {
protected:
    rogue_bench bench{bus::on_violation::report_error}; // an unexpected report fails the test
    managed_payload p;

    void TearDown() override
    {
        EXPECT_TRUE(bench.initiator.finished);
        EXPECT_EQ(bench.checker.violations(), 0u);
        EXPECT_EQ(bench.checker.warnings(), 0u);
        EXPECT_EQ(bench.checker.live(), 0u);
    }
};

TEST_F(protocol_legal_test, four_phases)
{
    bench.run([&] {
        EXPECT_EQ(bench.fw(p, BEGIN_REQ, ns(1)), TLM_ACCEPTED);
        EXPECT_EQ(bench.bw(p, END_REQ, ns(2)), TLM_ACCEPTED);
        EXPECT_EQ(bench.checker.live(), 1u);
        EXPECT_EQ(bench.bw(p, BEGIN_RESP, ns(3)), TLM_ACCEPTED);
        EXPECT_EQ(bench.fw(p, END_RESP, ns(4)), TLM_ACCEPTED);
    });
    EXPECT_EQ(bench.checker.transactions(), 1u);
}

TEST_F(protocol_legal_test, request_answered_by_its_end)
{
    bench.run([&] {
        bench.target_returns(TLM_UPDATED, END_REQ, ns(2));
        EXPECT_EQ(bench.fw(p, BEGIN_REQ, ns(1)), TLM_UPDATED);
        bench.initiator_returns(TLM_UPDATED, END_RESP, ns(2));
        EXPECT_EQ(bench.bw(p, BEGIN_RESP, ns(5)), TLM_UPDATED);
    });
}

TEST_F(protocol_legal_test, request_answered_by_the_response)
{
    bench.run([&] {
        bench.target_returns(TLM_UPDATED, BEGIN_RESP, ns(2));
        EXPECT_EQ(bench.fw(p, BEGIN_REQ), TLM_UPDATED);
        bench.target_returns(TLM_COMPLETED, END_RESP);
        EXPECT_EQ(bench.fw(p, END_RESP, ns(3)), TLM_COMPLETED);
    });
}

TEST_F(protocol_legal_test, request_completed_at_once)
{
    bench.run([&] {
        bench.target_returns(TLM_COMPLETED, END_RESP, ns(7));
        EXPECT_EQ(bench.fw(p, BEGIN_REQ), TLM_COMPLETED);
    });
}

TEST_F(protocol_legal_test, response_without_the_end_of_its_request)
{
    managed_payload next;
    bench.run([&] {
        bench.fw(p, BEGIN_REQ);
        bench.bw(p, BEGIN_RESP);
        bench.fw(next, BEGIN_REQ); // the response ended the request
        bench.fw(p, END_RESP);
        bench.initiator_returns(TLM_COMPLETED, END_RESP);
        EXPECT_EQ(bench.bw(next, BEGIN_RESP), TLM_COMPLETED);
    });
}

TEST_F(protocol_legal_test, phases_from_within_calls)
{
    bench.target.forward = [&](auto& t, auto& phase, auto&) {
        if (phase == END_RESP) { return TLM_COMPLETED; }
        bench.bw(t, END_REQ);
        bench.bw(t, BEGIN_RESP);
        return TLM_ACCEPTED;
    };
    bench.initiator.backward = [&](auto& t, auto& phase, auto&) {
        if (phase == BEGIN_RESP) { bench.fw(t, END_RESP); }
        return TLM_ACCEPTED;
    };
    bench.run([&] { bench.fw(p, BEGIN_REQ); });
}

TEST_F(protocol_legal_test, a_payload_begins_again_when_it_has_ended)
{
    bench.run([&] {
        bench.target_returns(TLM_COMPLETED, END_RESP);
        for (int i = 0; i < 5; ++i) {
            p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            p.set_address(static_cast<std::uint64_t>(i));
            bench.fw(p, BEGIN_REQ);
        }
    });
    EXPECT_EQ(bench.checker.transactions(), 5u);
}

// The payload is gone with its last reference: the checker must not look at it again (ASan would see).
TEST_F(protocol_legal_test, a_payload_is_freed_by_the_call_that_ends_it)
{
    class deleting_manager : public tlm::tlm_mm_interface {
    public:
        unsigned freed = 0;
        void free(tlm::tlm_generic_payload* t) override
        {
            ++freed;
            delete t;
        }
    } manager;
    const auto make = [&] {
        auto* t = new payload(tlm::TLM_READ_COMMAND, 8, std::vector<unsigned char>(4));
        t->set_mm(&manager);
        t->acquire();
        return t;
    };
    bench.run([&] {
        bench.initiator.backward = [](auto& t, auto&, auto&) {
            t.release();
            return TLM_COMPLETED;
        };
        auto* first = make();
        bench.fw(*first, BEGIN_REQ);
        bench.bw(*first, BEGIN_RESP);
        bench.target.forward = [&](auto& t, auto&, auto&) {
            bench.bw(t, BEGIN_RESP);
            return TLM_ACCEPTED;
        };
        bench.fw(*make(), BEGIN_REQ);
    });
    EXPECT_EQ(manager.freed, 2u);
}

TEST_F(protocol_legal_test, a_hundred_outstanding_with_back_pressure)
{
    std::deque<managed_payload> all(100);
    bench.run([&] {
        for (auto& t : all) {
            bench.fw(t, BEGIN_REQ);
            sc_core::wait(ns(2));
            bench.bw(t, END_REQ);
        }
        EXPECT_EQ(bench.checker.live(), 100u);
        for (auto t = all.rbegin(); t != all.rend(); ++t) { // in any order
            bench.bw(*t, BEGIN_RESP);
            sc_core::wait(ns(1000));
            bench.fw(*t, END_RESP);
        }
    });
    EXPECT_EQ(bench.checker.transactions(), 100u);
}

TEST_F(protocol_legal_test, extended_phases_at_any_time)
{
    bench.run([&] {
        bench.fw(p, data_phase);
        bench.fw(p, BEGIN_REQ);
        bench.fw(p, data_phase);
        bench.bw(p, data_phase);
        bench.bw(p, END_REQ);
        bench.bw(p, BEGIN_RESP);
        bench.bw(p, data_phase);
        bench.fw(p, END_RESP);
        bench.fw(p, data_phase);
    });
}

TEST_F(protocol_legal_test, blocking_and_non_blocking_transactions_at_once)
{
    bench.target.blocking = [&](auto& t, auto& delay) {
        sc_core::wait(ns(20) + delay);
        delay = sc_core::SC_ZERO_TIME;
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    bench.run([&] {
        sc_core::sc_spawn([&] {
            payload blocking = writing(8, {1, 2});
            EXPECT_EQ(bench.send(blocking, ns(3)), sc_core::SC_ZERO_TIME);
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(23));
        });
        bench.fw(p, BEGIN_REQ);
        sc_core::wait(ns(10));
        bench.bw(p, END_REQ);
        EXPECT_EQ(bench.checker.live(), 2u);
        bench.bw(p, BEGIN_RESP);
        bench.fw(p, END_RESP);
        sc_core::wait(ns(100));
    });
    EXPECT_EQ(bench.checker.transactions(), 2u);
}

TEST_F(protocol_legal_test, requests_of_every_kind)
{
    bench.target.blocking = [](auto& t, auto& delay) {
        if (t.is_read()) { t.get_data_ptr()[0] = 7; }
        t.set_response_status(t.get_address() > 100 ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
        delay += ns(7);
    };
    bench.run([&] {
        payload w = writing(8, {1, 2, 3, 4});
        EXPECT_EQ(bench.send(w, ns(2)), ns(9));
        payload r = reading(8, 4);
        r.set_streaming_width(20);
        r.enable({0xff, 0x00, 0x00, 0xff, 0xff});
        bench.send(r);
        EXPECT_EQ(r.data[0], 7);
        payload outside = reading(1000, 4); // an error is a legal answer
        bench.send(outside);
        EXPECT_EQ(outside.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        payload nothing(tlm::TLM_IGNORE_COMMAND, 0, {});
        bench.send(nothing);
        payload longer = reading(0, 4096);
        longer.enable(std::vector<unsigned char>(8192, 0xff));
        bench.send(longer);
        payload referred(tlm::TLM_READ_COMMAND, 8, {0});
        counting_manager manager;
        referred.set_mm(&manager);
        referred.acquire();
        bench.send(referred);
        referred.set_mm(nullptr);
    });
}

TEST_F(protocol_legal_test, debug_and_dmi_and_invalidation)
{
    unsigned char memory[64] = {};
    bench.target.debug = [&](auto& t) {
        if (t.is_read()) { std::memcpy(t.get_data_ptr(), memory, 2); }
        return 2u; // a part is legal
    };
    bench.target.direct = [&](auto& t, auto& dmi) {
        dmi.set_start_address(0);
        dmi.set_end_address(63);
        if (t.get_address() == 8) { return false; }
        dmi.set_dmi_ptr(memory);
        dmi.allow_read_write();
        return true;
    };
    bench.run([&] {
        payload r = reading(4, 4);
        EXPECT_EQ(bench.initiator.out->transport_dbg(r), 2u);
        EXPECT_EQ(r.data, (std::vector<unsigned char>{0, 0, untouched, untouched}));
        payload nothing = reading(4, 0);
        nothing.set_data_ptr(nullptr);
        bench.target.debug = [](auto&) { return 0u; };
        EXPECT_EQ(bench.initiator.out->transport_dbg(nothing), 0u);
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(bench.initiator.out->get_direct_mem_ptr(r, dmi));
        EXPECT_EQ(dmi.get_dmi_ptr(), memory);
        EXPECT_EQ(dmi.get_end_address(), 63u);
        payload refused = reading(8, 4);
        dmi.init();
        EXPECT_FALSE(bench.initiator.out->get_direct_mem_ptr(refused, dmi));
        bench.target.in->invalidate_direct_mem_ptr(3, 40);
        bench.target.in->invalidate_direct_mem_ptr(5, 5);
    });
    EXPECT_THAT(bench.initiator.invalidations, ElementsAre(Pair(3, 40), Pair(5, 5)));
}

TEST_F(protocol_legal_test, extensions_pass_and_a_managed_payload_may_get_more)
{
    struct extension : tlm::tlm_extension<extension> {
        tlm_extension_base* clone() const override { return nullptr; }
        void copy_from(const tlm_extension_base&) override {}
        void free() override {}
    };
    struct another : tlm::tlm_extension<another> {
        tlm_extension_base* clone() const override { return nullptr; }
        void copy_from(const tlm_extension_base&) override {}
        void free() override {}
    };
    extension mine;
    another of_the_target;
    p.set_extension(&mine);
    bench.target.forward = [&](auto& t, auto&, auto&) {
        EXPECT_EQ(t.template get_extension<extension>(), &mine);
        t.set_auto_extension(&of_the_target);
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        return TLM_COMPLETED;
    };
    bench.run([&] { bench.fw(p, BEGIN_REQ); });
    p.clear_extension(&mine);
    p.reset();
}

class spliced_checker_test : public sim_test {};

// nb_transport --> checker --> a target that knows b_transport only, and the other way round.
TEST_F(spliced_checker_test, phases_reach_a_blocking_target_that_converts_them)
{
    rogue_initiator initiator("initiator");
    bus::protocol_checker<> checker("checker");
    byte_target<> target("target", 64);
    initiator.out.bind(checker.in);
    checker.out.bind(target.in);
    target.annotated = ns(10);
    std::deque<managed_payload> all(3);
    std::vector<tlm::tlm_phase> phases;
    initiator.backward = [&](auto&, auto& phase, auto&) {
        phases.push_back(phase);
        return TLM_COMPLETED;
    };
    initiator.program = [&] {
        for (auto& t : all) {
            tlm::tlm_phase phase = BEGIN_REQ;
            sc_core::sc_time delay;
            EXPECT_EQ(initiator.out->nb_transport_fw(t, phase, delay), TLM_ACCEPTED);
            sc_core::wait(ns(30));
        }
    };
    sc_core::sc_start();
    EXPECT_EQ(phases, (std::vector<tlm::tlm_phase>(3, BEGIN_RESP)));
    EXPECT_EQ(checker.transactions(), 3u);
    EXPECT_EQ(checker.violations(), 0u);
    EXPECT_EQ(checker.live(), 0u);
}

// Answers BEGIN_REQ with a response 10 ns later.
class phase_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<phase_target> in;
    explicit phase_target(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
    {
        in.register_nb_transport_fw(this, &phase_target::nb_transport_fw);
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        if (phase == END_RESP) { return TLM_COMPLETED; }
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        phase = BEGIN_RESP;
        delay += ns(10);
        return TLM_UPDATED;
    }
};

TEST_F(spliced_checker_test, a_blocking_call_reaches_a_phase_target_that_converts_it)
{
    thread_initiator<> cpu("cpu", [](auto& self) {
        payload t = reading(8, 4);
        self.send(t);
        EXPECT_TRUE(t.is_response_ok());
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(10));
        EXPECT_FALSE(t.has_mm());
    });
    bus::protocol_checker<> checker("checker");
    phase_target target("target");
    cpu.out.bind(checker.in);
    checker.out.bind(target.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
    EXPECT_EQ(checker.violations(), 0u);
}

// Two initiators, two targets, with multi sockets in an enclosing module on both sides.
class crossing : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<crossing> in;
    tlm_utils::multi_passthrough_initiator_socket<crossing> out;
    explicit crossing(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in"), out("out")
    {
        in.register_b_transport(this, &crossing::b_transport);
    }

private:
    void b_transport(int id, tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        out[1 - id]->b_transport(t, delay);
    }
};

class enclosed_target : public sc_core::sc_module {
public:
    tlm::tlm_target_socket<32> in; // hierarchical
    explicit enclosed_target(sc_core::sc_module_name name)
        : sc_core::sc_module(name), in("in"), m_checker("checker"), memory("memory", 64)
    {
        in.bind(m_checker.in);
        m_checker.out.bind(memory.in);
    }
    std::uint64_t transactions() const { return m_checker.transactions(); }

private:
    bus::protocol_checker<> m_checker;

public:
    byte_target<> memory;
};

TEST_F(spliced_checker_test, multi_sockets_and_enclosing_modules)
{
    const auto program = [](unsigned char value) {
        return [value](thread_initiator<>& self) {
            payload t = writing(8, {value});
            self.send(t);
            EXPECT_TRUE(t.is_response_ok());
        };
    };
    thread_initiator<> first("first", program(1)), second("second", program(2));
    bus::protocol_checker<> before_first("before_first"), before_second("before_second");
    crossing middle("middle");
    bus::protocol_checker<> behind("behind");
    enclosed_target zero("zero"), one("one");
    first.out.bind(before_first.in);
    before_first.out.bind(middle.in);
    second.out.bind(before_second.in);
    before_second.out.bind(middle.in);
    middle.out.bind(behind.in);
    behind.out.bind(zero.in);
    middle.out.bind(one.in);
    sc_core::sc_start();
    EXPECT_EQ(zero.memory.bytes[8], 2);
    EXPECT_EQ(one.memory.bytes[8], 1);
    for (const auto* c : {&before_first, &before_second, &behind}) { EXPECT_EQ(c->transactions(), 1u); }
    EXPECT_EQ(zero.transactions() + one.transactions(), 2u);
}

template <unsigned WIDTH> void pass_at_width()
{
    thread_initiator<WIDTH> cpu("cpu", [](auto& self) {
        payload t = writing(8, {1, 2, 3});
        EXPECT_EQ(self.send(t), ns(7));
    });
    bus::protocol_checker<WIDTH> checker("checker");
    byte_target<WIDTH> target("target", 64);
    target.annotated = ns(7);
    cpu.out.bind(checker.in);
    checker.out.bind(target.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
    EXPECT_EQ(checker.transactions(), 1u);
    EXPECT_EQ(target.bytes[10], 3);
}
TEST_F(spliced_checker_test, width_64) { pass_at_width<64>(); }
TEST_F(spliced_checker_test, width_128) { pass_at_width<128>(); }
TEST_F(spliced_checker_test, width_256) { pass_at_width<256>(); }
TEST_F(spliced_checker_test, width_512) { pass_at_width<512>(); }

// Before the simulation there is no process, and none of the methods made last calls.
TEST_F(spliced_checker_test, transport_before_the_simulation_is_no_call_of_a_method)
{
    thread_initiator<> cpu("cpu");
    bus::protocol_checker<> checker("checker");
    byte_target<> target("target", 64);
    cpu.out.bind(checker.in);
    checker.out.bind(target.in);
    cpu.before_start = [](auto& self) {
        sc_core::sc_spawn_options options;
        options.spawn_method();
        sc_core::sc_spawn([] {}, "method", &options);
        payload t = writing(8, {1});
        self.send(t);
        EXPECT_TRUE(t.is_response_ok());
    };
    sc_core::sc_start();
    EXPECT_EQ(checker.violations(), 0u);
}

} // namespace
} // namespace tensorloom::test
