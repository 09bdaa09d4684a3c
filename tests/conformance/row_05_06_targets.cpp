// Rows 5 and 6 on memories and routers: what a target must leave alone; annotated time of blocking calls.
#include <random>
#include "conformance/target_row.h"

namespace {

using namespace tensorloom::test;
using sc_core::sc_time;

TEST_P(target_row, row_05_payload_is_left_as_it_was)
{
    run([this](target_bench& b) {
        std::mt19937 engine(5);
        for (int i = 0; i < 500; ++i) {
            const unsigned size = 1 + engine() % 200;
            const auto command = static_cast<tlm::tlm_command>(engine() % 3);
            // one in ten over the end
            payload t(command, b.base + engine() % (target_bench::bytes + (i % 10 == 0 ? 300 : 0) - size),
                      pattern(size, static_cast<unsigned>(i)));
            if (engine() % 2 == 0) {
                std::vector<unsigned char> enables(1 + engine() % 250);
                for (auto& e : enables) { e = engine() % 2 == 0 ? 0xff : 0; }
                t.enable(enables);
            }
            if (engine() % 3 == 0) { t.set_streaming_width(1 + engine() % (2 * size)); }
            const auto fields = fixed_fields(t);
            const auto enables = t.enables;
            const auto data = t.data;
            b.send(t);
            EXPECT_EQ(fixed_fields(t), fields);
            EXPECT_EQ(t.enables, enables);
            if (!t.is_read() || t.is_response_error()) { EXPECT_EQ(t.data, data); }
            if (t.is_response_ok() && t.is_write()) {
                auto same = writing(t.get_address(), data);
                same.enables = enables;
                same.set_streaming_width(t.get_streaming_width());
                model.apply(same, b.base);
            }
        }
        expect_contents_as_in_model();
    });
}

// One access to each bank of a DRAM, each to a closed row: an access costs the same every time.
std::uint64_t fresh_bank(const target_bench& b, unsigned n) { return b.base + n * 0x2000; }

TEST_P(target_row, row_06_blocking_calls_add_their_time_to_the_annotated_delay)
{
    target_options options;
    options.refresh = false;
    build(options);
    run([](target_bench& b) {
        std::vector<sc_time> added;
        unsigned bank = 0;
        for (const sc_time& before : {ns(0), ns(3), ns(0.001), ns(20000)}) {
            wait(ns(1000));
            const sc_time now = sc_core::sc_time_stamp();
            auto read = reading(fresh_bank(b, bank++), 16);
            const sc_time after = b.send(read, before);
            EXPECT_TRUE(read.is_response_ok());
            EXPECT_EQ(sc_core::sc_time_stamp(), now) << "the call waited";
            ASSERT_GE(after, before);
            added.push_back(after - before);
        }
        EXPECT_GT(added[0], sc_core::SC_ZERO_TIME);
        EXPECT_LE(added[0], b.latency);
        for (const sc_time& time : added) {
            EXPECT_LE(time, added[0] + b.grain);
            EXPECT_GE(time + b.grain, added[0]);
        }
        // nor does what moves no data take time back
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_IGNORE_COMMAND}) {
            payload t(command, b.last() + 1, {1, 2, 3, 4});
            EXPECT_GE(b.send(t, ns(3)), ns(3));
        }
    });
}

TEST_P(target_row, row_06_initiator_far_ahead_of_time_does_not_delay_one_at_the_present)
{
    target_options options;
    options.refresh = false;
    options.with_queue = GetParam().is_routed(); // a second socket
    build(options);
    run([](target_bench& b) {
        tlm::tlm_fw_transport_if<>& other = b.queue != nullptr ? b.queue->target() : b.target();
        auto quiet = reading(fresh_bank(b, 0), 16);
        const sc_time alone = b.send(quiet);
        wait(ns(1000));
        for (unsigned bank = 1; bank < 7; bank += 2) {
            auto early = reading(fresh_bank(b, bank), 16);
            sc_time ahead = ns(100'000);
            other.b_transport(early, ahead);
            EXPECT_GT(ahead, ns(100'000));
            auto present = reading(fresh_bank(b, bank + 1), 16);
            EXPECT_LE(b.send(present), b.subject.is_dram() ? b.latency : alone);
            wait(ns(1000));
        }
    });
}

TEST_P(target_row, row_06_time_that_is_waited_for_is_not_annotated_as_well)
{
    target_options options;
    options.refresh = false;
    build(options);
    options.wait_out_delay = true;
    auto waiting = make_target_bench("waiting", GetParam(), options);
    sc_time annotated;
    sc_time waited;
    const auto access = [](target_bench& b, sc_time& total) {
        wait(ns(100));
        auto read = reading(b.base, 16);
        const sc_time start = sc_core::sc_time_stamp();
        const sc_time delay = b.send(read, ns(40));
        total = sc_core::sc_time_stamp() + delay - start;
    };
    waiting->program = [&](target_bench& b) {
        access(b, waited);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(100) + waited) << "nothing is annotated";
    };
    run([&](target_bench& b) { access(b, annotated); });
    EXPECT_TRUE(waiting->finished);
    waiting->expect_no_violation();
    EXPECT_EQ(waited, annotated);
    EXPECT_GT(waited, ns(40));
}

TEST_P(routed_row, row_06_router_that_waits_for_a_turn_accounts_for_it)
{
    target_options options;
    options.refresh = false;
    options.router_waits = true;
    options.with_queue = true;
    build(options);
    // Two initiators at once, each with 64 bytes that hold a link of 4 bytes per ns for 16 ns.
    std::vector<sc_time> ends;
    class second_thread : public sc_core::sc_module {
    public:
        second_thread(sc_core::sc_module_name name, std::function<void()> program)
            : sc_core::sc_module(name), m_program(std::move(program))
        {
            SC_HAS_PROCESS(second_thread);
            SC_THREAD(run);
        }

    private:
        void run() { m_program(); }
        std::function<void()> m_program;
    };
    const auto access = [&ends](tlm::tlm_fw_transport_if<>& target, std::uint64_t at) {
        auto read = reading(at, 64);
        sc_time delay = ns(5);
        const sc_time start = sc_core::sc_time_stamp();
        target.b_transport(read, delay);
        EXPECT_GE(sc_core::sc_time_stamp() + delay, start + ns(5));
        ends.push_back(sc_core::sc_time_stamp() + delay);
    };
    second_thread second("second", [&] { access(bench().queue->target(), bench().base + 0x2000); });
    run([&](target_bench& b) { access(b.target(), b.base); });
    ASSERT_EQ(ends.size(), 2u);
    const sc_time apart = ends[0] < ends[1] ? ends[1] - ends[0] : ends[0] - ends[1];
    // the second starts when the first has passed the link, 16 ns after it came
    EXPECT_GE(std::max(ends[0], ends[1]), ns(5 + 1 + 16));
    EXPECT_GE(apart, ns(8));
}

} // namespace
