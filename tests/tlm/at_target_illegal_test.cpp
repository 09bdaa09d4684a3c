// What an at_target makes of calls that break the rules, of unusual ones that do not, and of blocking calls among them.
#include <gmock/gmock.h>
#include "tlm/at_target_bench.h"
#include "tlm/raw_initiator.h"

namespace tensorloom::test {
namespace {

using sc_core::sc_time;
using sc_core::wait;

DECLARE_EXTENDED_PHASE(phase_of_somebody);

struct counting_mm : tlm::tlm_mm_interface {
    unsigned freed = 0;
    void free(tlm::tlm_generic_payload*) override { ++freed; }
};

/// A read with a memory manager.
struct managed : payload {
    explicit managed(tlm::tlm_mm_interface& mm) : payload(tlm::TLM_READ_COMMAND, 0, {0, 0, 0, 0}) { set_mm(&mm); }
};

class at_target_illegal_test : public sim_test {
protected:
    /// Runs the program against a target of the depth.
    void run(unsigned depth, std::function<void(raw_initiator&, pipeline_target&)> program,
             const bus::target_tolerance& tolerance = {})
    {
        bus::at_target_config config;
        config.queue_depth = depth;
        pipeline_target target("target", config, tolerance);
        raw_initiator cpu("cpu", [&](raw_initiator& self) { program(self, target); });
        if (reply) { cpu.reply = reply; }
        cpu.out.bind(target.in);
        sc_core::sc_start();
        EXPECT_TRUE(cpu.finished());
        EXPECT_EQ(target.port.outstanding(), 0u);
        errors = target.port.protocol_errors();
    }
    static void expect_phases(const raw_initiator& cpu, const tlm::tlm_generic_payload& t,
                              std::vector<tlm::tlm_phase_enum> expected)
    {
        std::vector<tlm::tlm_phase_enum> seen;
        for (const auto& c : cpu.back) {
            if (c.transaction == &t) { seen.push_back(c.phase); }
        }
        EXPECT_EQ(seen, expected);
    }

    counting_mm mm;
    std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&)> reply;
    std::uint64_t errors = 0;
};

TEST_F(at_target_illegal_test, request_before_end_request_of_the_former_is_refused)
{
    managed first(mm), waiting(mm), early(mm);
    run(1, [&](raw_initiator& cpu, pipeline_target& target) {
        for (auto* t : {&first, &waiting, &early}) { t->acquire(); }
        EXPECT_EQ(cpu.send(first, tlm::BEGIN_REQ).result, tlm::TLM_UPDATED);
        wait(ns(2));
        EXPECT_EQ(cpu.send(waiting, tlm::BEGIN_REQ).result, tlm::TLM_ACCEPTED); // no room: END_REQ is due
        EXPECT_EQ(cpu.send(early, tlm::BEGIN_REQ).result, tlm::TLM_COMPLETED);
        EXPECT_EQ(early.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        wait(ns(100));
        EXPECT_EQ(target.service.arrivals.size(), 2u);
        expect_phases(cpu, early, {});
        expect_phases(cpu, waiting, {tlm::END_REQ, tlm::BEGIN_RESP});
        EXPECT_EQ(waiting.get_response_status(), tlm::TLM_OK_RESPONSE);
        for (auto* t : {&first, &waiting, &early}) { t->release(); }
    });
    EXPECT_EQ(mm.freed, 3u);
    EXPECT_EQ(errors, 1u);
}

TEST_F(at_target_illegal_test, request_sent_again_before_its_end_request_is_ignored)
{
    managed first(mm), twice(mm);
    run(1, [&](raw_initiator& cpu, pipeline_target&) {
        first.acquire();
        twice.acquire();
        cpu.send(first, tlm::BEGIN_REQ);
        wait(ns(2));
        cpu.send(twice, tlm::BEGIN_REQ);
        EXPECT_EQ(cpu.send(twice, tlm::BEGIN_REQ).result, tlm::TLM_ACCEPTED);
        EXPECT_EQ(cpu.send(first, tlm::BEGIN_REQ).result, tlm::TLM_ACCEPTED);
        wait(ns(100));
        expect_phases(cpu, first, {tlm::BEGIN_RESP});
        expect_phases(cpu, twice, {tlm::END_REQ, tlm::BEGIN_RESP});
        EXPECT_EQ(twice.get_response_status(), tlm::TLM_OK_RESPONSE);
        first.release();
        twice.release();
    });
    EXPECT_EQ(mm.freed, 2u);
    EXPECT_EQ(errors, 2u);
}

TEST_F(at_target_illegal_test, request_without_a_memory_manager_is_completed_at_once)
{
    auto t = reading(0, 4);
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        const auto o = cpu.send(t, tlm::BEGIN_REQ, ns(3));
        EXPECT_EQ(o.result, tlm::TLM_COMPLETED);
        EXPECT_EQ(o.delay, ns(23));
        EXPECT_EQ(t.get_response_status(), tlm::TLM_OK_RESPONSE);
        wait(ns(100));
        EXPECT_TRUE(cpu.back.empty());
    });
    EXPECT_EQ(errors, 1u);
}

TEST_F(at_target_illegal_test, phases_of_the_backward_path_are_ignored)
{
    managed t(mm);
    run(4, [&](raw_initiator& cpu, pipeline_target& target) {
        t.acquire();
        for (auto phase : {tlm::UNINITIALIZED_PHASE, tlm::END_REQ, tlm::BEGIN_RESP}) {
            EXPECT_EQ(cpu.send(t, phase).result, tlm::TLM_ACCEPTED);
        }
        wait(ns(100));
        EXPECT_TRUE(target.service.arrivals.empty());
        t.release();
    });
    EXPECT_EQ(errors, 3u);
    EXPECT_EQ(mm.freed, 1u);
}

TEST_F(at_target_illegal_test, end_of_a_response_that_has_not_begun_is_ignored)
{
    managed t(mm);
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        t.acquire();
        EXPECT_EQ(cpu.send(t, tlm::END_RESP).result, tlm::TLM_ACCEPTED); // never requested
        cpu.send(t, tlm::BEGIN_REQ);
        EXPECT_EQ(cpu.send(t, tlm::END_RESP).result, tlm::TLM_ACCEPTED); // requested, not answered
        wait(ns(100));
        expect_phases(cpu, t, {tlm::BEGIN_RESP});
        EXPECT_EQ(cpu.send(t, tlm::END_RESP).result, tlm::TLM_ACCEPTED); // ended already
        t.release();
    });
    EXPECT_EQ(errors, 3u);
    EXPECT_EQ(mm.freed, 1u);
}

TEST_F(at_target_illegal_test, extended_phases_are_ignored_and_not_held_against_anybody)
{
    managed t(mm);
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        t.acquire();
        const auto o = cpu.send(t, phase_of_somebody, ns(4));
        EXPECT_EQ(o.result, tlm::TLM_ACCEPTED);
        EXPECT_EQ(o.delay, ns(4));
        cpu.send(t, tlm::BEGIN_REQ);
        EXPECT_EQ(cpu.send(t, phase_of_somebody).result, tlm::TLM_ACCEPTED);
        wait(ns(100));
        expect_phases(cpu, t, {tlm::BEGIN_RESP});
        t.release();
    });
    EXPECT_EQ(errors, 0u);
    EXPECT_EQ(mm.freed, 1u);
}

TEST_F(at_target_illegal_test, extended_phase_in_return_for_a_response_does_not_end_it)
{
    managed first(mm), second(mm);
    reply = [](tlm::tlm_generic_payload&, tlm::tlm_phase& phase) {
        phase = phase_of_somebody;
        return tlm::TLM_UPDATED;
    };
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        first.acquire();
        second.acquire();
        cpu.send(first, tlm::BEGIN_REQ);
        wait(ns(2));
        cpu.send(second, tlm::BEGIN_REQ);
        wait(ns(98));
        ASSERT_EQ(cpu.back.size(), 1u);
        EXPECT_EQ(cpu.send(first, tlm::END_RESP).result, tlm::TLM_COMPLETED);
        wait(ns(50));
        ASSERT_EQ(cpu.back.size(), 2u);
        EXPECT_EQ(cpu.back[1].time, ns(100));
        cpu.send(second, tlm::END_RESP);
        first.release();
        second.release();
    });
    EXPECT_EQ(errors, 0u);
    EXPECT_EQ(mm.freed, 2u);
}

TEST_F(at_target_illegal_test, initiator_that_completes_at_end_request_gets_no_response)
{
    managed first(mm), second(mm), third(mm);
    reply = [&](tlm::tlm_generic_payload& t, tlm::tlm_phase&) {
        return &t == &first ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
    };
    run(1, [&](raw_initiator& cpu, pipeline_target&) {
        for (auto* t : {&first, &second, &third}) { t->acquire(); }
        cpu.send(first, tlm::BEGIN_REQ);
        wait(ns(30));
        cpu.send(second, tlm::BEGIN_REQ); // no room before the end of the first
        cpu.send(first, tlm::END_RESP);
        wait(ns(100));
        expect_phases(cpu, second, {tlm::END_REQ});
        cpu.send(third, tlm::BEGIN_REQ); // there is room again
        wait(ns(100));
        expect_phases(cpu, third, {tlm::BEGIN_RESP});
        for (auto* t : {&first, &second, &third}) { t->release(); }
    });
    EXPECT_EQ(mm.freed, 3u);
    EXPECT_EQ(errors, 0u);
}

TEST_F(at_target_illegal_test, next_request_may_come_inside_the_call_of_end_request)
{
    managed first(mm), second(mm), third(mm);
    raw_initiator* self = nullptr;
    reply = [&](tlm::tlm_generic_payload& t, tlm::tlm_phase& phase) {
        if (phase == tlm::END_REQ && &t == &second) {
            EXPECT_EQ(self->send(third, tlm::BEGIN_REQ).result, tlm::TLM_ACCEPTED); // no room once more
        }
        return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    };
    run(1, [&](raw_initiator& cpu, pipeline_target& target) {
        self = &cpu;
        for (auto* t : {&first, &second, &third}) { t->acquire(); }
        cpu.send(first, tlm::BEGIN_REQ);
        wait(ns(2));
        cpu.send(second, tlm::BEGIN_REQ);
        wait(ns(200));
        expect_phases(cpu, second, {tlm::END_REQ, tlm::BEGIN_RESP});
        expect_phases(cpu, third, {tlm::END_REQ, tlm::BEGIN_RESP});
        EXPECT_THAT(target.service.arrivals, testing::ElementsAre(ns(0), ns(20), ns(40)));
        for (auto* t : {&first, &second, &third}) { t->release(); }
    });
    EXPECT_EQ(mm.freed, 3u);
    EXPECT_EQ(errors, 0u);
}

TEST_F(at_target_illegal_test, end_of_a_response_may_come_inside_its_call)
{
    managed first(mm), second(mm);
    raw_initiator* self = nullptr;
    reply = [&](tlm::tlm_generic_payload& t, tlm::tlm_phase& phase) {
        if (phase == tlm::BEGIN_RESP) { EXPECT_EQ(self->send(t, tlm::END_RESP).result, tlm::TLM_COMPLETED); }
        return tlm::TLM_ACCEPTED;
    };
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        self = &cpu;
        first.acquire();
        second.acquire();
        cpu.send(first, tlm::BEGIN_REQ);
        cpu.send(second, tlm::BEGIN_REQ); // before the annotated END_REQ: counts as coming then
        wait(ns(100));
        ASSERT_EQ(cpu.back.size(), 2u);
        EXPECT_EQ(cpu.back[0].time, ns(20));
        EXPECT_EQ(cpu.back[1].time, ns(22));
        first.release();
        second.release();
    });
    EXPECT_EQ(mm.freed, 2u);
    EXPECT_EQ(errors, 0u);
}

TEST_F(at_target_illegal_test, response_that_ended_inside_its_call_does_not_end_twice)
{
    managed t(mm);
    raw_initiator* self = nullptr;
    reply = [&](tlm::tlm_generic_payload& answered, tlm::tlm_phase&) {
        self->send(answered, tlm::END_RESP);
        return tlm::TLM_COMPLETED;
    };
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        self = &cpu;
        t.acquire();
        cpu.send(t, tlm::BEGIN_REQ);
        wait(ns(100));
        EXPECT_EQ(t.get_ref_count(), 1);
        t.release();
    });
    EXPECT_EQ(mm.freed, 1u);
    EXPECT_EQ(errors, 0u);
}

TEST_F(at_target_illegal_test, blocking_calls_add_the_time_of_the_service)
{
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        for (double before : {0.0, 3.0, 1e6}) {
            auto t = reading(0, 4);
            sc_time delay = ns(before);
            cpu.out->b_transport(t, delay);
            EXPECT_EQ(delay, ns(before + 20));
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(0));
        }
    });
}

TEST_F(at_target_illegal_test, blocking_calls_wait_where_that_is_wanted)
{
    bus::target_tolerance waits;
    waits.wait_out_delay = true;
    run(
        4,
        [&](raw_initiator& cpu, pipeline_target&) {
            auto t = reading(0, 4);
            sc_time delay = ns(3);
            cpu.out->b_transport(t, delay);
            EXPECT_EQ(delay, ns(0));
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(23));
        },
        waits);
}

TEST_F(at_target_illegal_test, blocking_and_non_blocking_calls_share_the_service)
{
    managed t(mm);
    run(4, [&](raw_initiator& cpu, pipeline_target&) {
        t.acquire();
        cpu.send(t, tlm::BEGIN_REQ);
        auto blocking = reading(0, 4);
        sc_time delay;
        cpu.out->b_transport(blocking, delay);
        EXPECT_EQ(delay, ns(22)); // taken 2 ns after the other
        EXPECT_EQ(blocking.data[0], 1);
        wait(ns(100));
        ASSERT_EQ(cpu.back.size(), 1u);
        EXPECT_EQ(cpu.back[0].time, ns(20));
        EXPECT_EQ(t.data[0], 0);
        t.release();
    });
    EXPECT_EQ(mm.freed, 1u);
    EXPECT_EQ(errors, 0u);
}

} // namespace
} // namespace tensorloom::test
