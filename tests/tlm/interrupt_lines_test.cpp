// Interrupt lines to transactions, transactions to lines, several lines to one.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/tlm/interrupt_lines.h>
#include "support/expected_report.h"
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using sc_core::sc_time;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using level_at = std::pair<double, bool>; // ns

double now_ns() { return static_cast<double>(sc_core::sc_time_stamp().value()) / static_cast<double>(ns(1).value()); }

/// Runs a script in a thread.
struct line_script : sc_core::sc_module {
    line_script(sc_core::sc_module_name name, std::function<void()> script)
        : sc_core::sc_module(name), m_script(std::move(script))
    {
        SC_HAS_PROCESS(line_script);
        SC_THREAD(run);
    }

private:
    void run() { m_script(); }
    std::function<void()> m_script;
};

/// Notes every change of a line.
struct line_watch : sc_core::sc_module {
    sc_core::sc_in<bool> line{"line"};
    std::vector<level_at> changes;

    explicit line_watch(sc_core::sc_module_name name) : sc_core::sc_module(name)
    {
        SC_HAS_PROCESS(line_watch);
        SC_METHOD(note);
        sensitive << line;
        dont_initialize();
    }

private:
    void note() { changes.emplace_back(now_ns(), line.read()); }
};

// ---- a line to transactions ----

struct sent_write {
    std::uint64_t address;
    std::vector<unsigned char> data;
    double at_ns;

    bool operator==(const sent_write& o) const { return address == o.address && data == o.data && at_ns == o.at_ns; }
};

/// A line, an irq_initiator and a controller of the test's own.
struct edge_bench {
    sc_core::sc_signal<bool> line{"line"};
    bus::irq_initiator edges;
    byte_target<32> controller{"controller", 16};
    std::vector<sent_write> writes;
    std::function<void(tlm::tlm_generic_payload&, sc_time&)> answer = [](auto& t, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    };

    explicit edge_bench(const bus::irq_initiator_config& config = {}) : edges("edges", config)
    {
        edges.irq.bind(line);
        edges.out.bind(controller.in);
        controller.intercept = [this](tlm::tlm_generic_payload& t, sc_time& delay) {
            EXPECT_TRUE(t.is_write());
            EXPECT_EQ(t.get_streaming_width(), t.get_data_length());
            EXPECT_EQ(t.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
            writes.push_back({t.get_address(), {t.get_data_ptr(), t.get_data_ptr() + t.get_data_length()}, now_ns()});
            answer(t, delay);
        };
    }
};

class irq_initiator_test : public sim_test {};

TEST_F(irq_initiator_test, rising_edge_is_a_write_and_falling_is_none)
{
    edge_bench b;
    line_script script("script", [&] {
        for (int i = 0; i < 2; ++i) {
            sc_core::wait(ns(10));
            b.line.write(true);
            sc_core::wait(ns(5));
            b.line.write(false);
        }
    });
    sc_core::sc_start();
    EXPECT_THAT(b.writes, ElementsAre(sent_write{0, {1, 0, 0, 0}, 10}, sent_write{0, {1, 0, 0, 0}, 25}));
    EXPECT_EQ(b.edges.sent(), 2u);
    EXPECT_EQ(b.edges.refused(), 0u);
}

TEST_F(irq_initiator_test, addresses_values_and_lengths_are_those_of_the_configuration)
{
    edge_bench b({bus::irq_write{0x1'0000'0008, 0x8000'0000'0000'000b, 8}, bus::irq_write{4, 0x1234, 2}});
    line_script script("script", [&] {
        b.line.write(true);
        sc_core::wait(ns(3));
        b.line.write(false);
    });
    sc_core::sc_start();
    EXPECT_THAT(b.writes, ElementsAre(sent_write{0x1'0000'0008, {0x0b, 0, 0, 0, 0, 0, 0, 0x80}, 0},
                                      sent_write{4, {0x34, 0x12}, 3}));
}

TEST_F(irq_initiator_test, line_that_is_high_at_the_start_has_risen)
{
    edge_bench b;
    b.line.write(true); // before the simulation
    sc_core::sc_start(ns(5));
    EXPECT_THAT(b.writes, ElementsAre(sent_write{0, {1, 0, 0, 0}, 0}));
}

TEST_F(irq_initiator_test, no_edge_is_lost_while_the_controller_takes_its_time)
{
    edge_bench b({bus::irq_write{}, bus::irq_write{0, 0, 4}});
    b.answer = [](auto& t, auto& delay) {
        sc_core::wait(ns(20)); // and 5 annotated
        delay += ns(5);
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    line_script script("script", [&] {
        for (int i = 0; i < 4; ++i) {
            sc_core::wait(ns(1));
            b.line.write(i % 2 == 0);
        }
    });
    sc_core::sc_start();
    EXPECT_THAT(b.writes, ElementsAre(sent_write{0, {1, 0, 0, 0}, 1}, sent_write{0, {0, 0, 0, 0}, 26},
                                      sent_write{0, {1, 0, 0, 0}, 51}, sent_write{0, {0, 0, 0, 0}, 76}));
}

/// A controller that takes calls and sets no response.
struct silent_controller : sc_core::sc_module {
    tlm_utils::simple_target_socket<silent_controller, 32> in{"in"};
    unsigned calls = 0;

    explicit silent_controller(sc_core::sc_module_name name) : sc_core::sc_module(name)
    {
        in.register_b_transport(this, &silent_controller::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload&, sc_time&) { ++calls; }
};

TEST_F(irq_initiator_test, controller_that_sets_no_response_is_served)
{
    sc_core::sc_signal<bool> line("line");
    bus::irq_initiator edges("edges");
    silent_controller controller("controller");
    edges.irq.bind(line);
    edges.out.bind(controller.in);
    line.write(true);
    sc_core::sc_start(ns(1));
    EXPECT_EQ(controller.calls, 1u);
    EXPECT_EQ(edges.refused(), 0u);
}

TEST_F(irq_initiator_test, error_response_is_a_warning)
{
    edge_bench b;
    unsigned answers = 0;
    b.answer = [&](auto& t, auto&) {
        if (++answers == 2) { t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); }
    };
    line_script script("script", [&] {
        for (int i = 0; i < 4; ++i) {
            sc_core::wait(ns(1));
            b.line.write(i % 2 == 0);
        }
    });
    const expected_report warning("/tensorloom/irq_initiator/response");
    sc_core::sc_start();
    EXPECT_EQ(warning.count(), 1u);
    EXPECT_THAT(warning.last_message(), HasSubstr("edges: TLM_ADDRESS_ERROR_RESPONSE"));
    EXPECT_EQ(b.edges.sent(), 2u);
    EXPECT_EQ(b.edges.refused(), 1u);
}

TEST(irq_initiator_config_test, value_that_does_not_fit_is_refused)
{
    using bus::irq_write;
    EXPECT_FALSE(bus::validate(bus::irq_initiator_config{}));
    EXPECT_FALSE(bus::validate(bus::irq_initiator_config{irq_write{0, 0xff, 1}, irq_write{0, ~0ull, 8}}));
    EXPECT_THAT(bus::validate(bus::irq_initiator_config{irq_write{0, 0x100, 1}, {}}).value_or(""),
                HasSubstr("raised.value is 256, expected one of 1 bytes"));
    EXPECT_THAT(bus::validate(bus::irq_initiator_config{{}, irq_write{0, 0, 3}}).value_or(""),
                HasSubstr("lowered.bytes is 3, expected 1, 2, 4 or 8"));
}

TEST_F(irq_initiator_test, bad_configuration_is_an_error_of_elaboration)
{
    const expected_report report("/tensorloom/irq_initiator/config");
    EXPECT_THROW(bus::irq_initiator("edges", {bus::irq_write{0, 1, 5}, {}}), sc_core::sc_report);
}

// ---- transactions to a line ----

/// A processor of the test's own in front of an irq_target.
struct target_line_bench {
    thread_initiator<32> cpu;
    bus::irq_target line;
    sc_core::sc_signal<bool> irq{"irq"};
    line_watch watch{"watch"};

    target_line_bench(const bus::irq_target_config& config, std::function<void(thread_initiator<32>&)> program)
        : cpu("cpu", std::move(program)), line("line", config)
    {
        cpu.out.bind(line.in);
        line.irq.bind(irq);
        watch.line.bind(irq);
    }
    static tlm::tlm_response_status write(thread_initiator<32>& cpu, std::vector<unsigned char> data,
                                          double delay_ns = 0)
    {
        auto t = writing(0x40, std::move(data));
        sc_time delay = ns(delay_ns);
        cpu.out->b_transport(t, delay);
        EXPECT_EQ(delay, ns(delay_ns)) << "it adds none";
        return t.get_response_status();
    }
};

bus::irq_target_config pulses_of(double width_ns)
{
    bus::irq_target_config c;
    c.drives = bus::irq_target_config::output::pulse;
    c.pulse = ns(width_ns);
    return c;
}

class irq_target_test : public sim_test {};

TEST_F(irq_target_test, level_is_that_of_the_last_write_at_its_time)
{
    target_line_bench b({}, [](auto& cpu) {
        target_line_bench::write(cpu, {0, 0, 0, 1}, 7); // not 0, at 7 ns
        sc_core::wait(ns(20));
        target_line_bench::write(cpu, {5}); // stays high
        sc_core::wait(ns(10));
        target_line_bench::write(cpu, {0, 0}, 3);
        target_line_bench::write(cpu, {1, 1}, 1); // earlier, though called later
    });
    sc_core::sc_start();
    EXPECT_THAT(b.watch.changes, ElementsAre(Pair(7, true), Pair(33, false)));
}

TEST_F(irq_target_test, every_write_is_a_pulse)
{
    target_line_bench b(pulses_of(4), [](auto& cpu) {
        target_line_bench::write(cpu, {0});
        sc_core::wait(ns(1));
        target_line_bench::write(cpu, {1}); // in the first
        sc_core::wait(ns(49));
        target_line_bench::write(cpu, {1}, 2);
    });
    sc_core::sc_start();
    EXPECT_THAT(b.watch.changes, ElementsAre(Pair(0, true), Pair(4, false), Pair(8, true), Pair(12, false),
                                             Pair(52, true), Pair(56, false)));
}

TEST_F(irq_target_test, anything_else_is_refused_and_changes_nothing)
{
    target_line_bench b({}, [](auto& cpu) {
        auto read = reading(0, 4);
        cpu.send(read);
        EXPECT_EQ(read.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
        auto enabled = writing(0, {1, 1, 1, 1});
        enabled.enable({TLM_BYTE_ENABLED});
        cpu.send(enabled);
        EXPECT_EQ(enabled.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        EXPECT_EQ(target_line_bench::write(cpu, std::vector<unsigned char>(9, 1)), tlm::TLM_BURST_ERROR_RESPONSE);
        auto streamed = writing(0, {1, 1, 1, 1});
        streamed.set_streaming_width(2);
        cpu.send(streamed);
        EXPECT_EQ(streamed.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
        auto none = writing(0, {1});
        none.set_data_ptr(nullptr);
        cpu.send(none);
        EXPECT_EQ(none.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        auto ignored = writing(0, {1});
        ignored.set_command(tlm::TLM_IGNORE_COMMAND);
        cpu.send(ignored);
        EXPECT_EQ(ignored.get_response_status(), tlm::TLM_OK_RESPONSE);
        auto lenient = writing(0, {0, 0, 0, 0});
        lenient.set_streaming_width(0); // of CPU models
        cpu.send(lenient);
        EXPECT_EQ(lenient.get_response_status(), tlm::TLM_OK_RESPONSE);
    });
    sc_core::sc_start();
    EXPECT_THAT(b.watch.changes, IsEmpty());
}

TEST_F(irq_target_test, bad_configuration_is_an_error_of_elaboration)
{
    EXPECT_THAT(bus::validate(pulses_of(0)).value_or(""), HasSubstr("pulse is 0"));
    bus::irq_target_config unknown;
    unknown.drives = static_cast<bus::irq_target_config::output>(7);
    EXPECT_THAT(bus::validate(unknown).value_or(""), HasSubstr("expected level or pulse"));
    const expected_report report("/tensorloom/irq_target/config");
    EXPECT_THROW(bus::irq_target("line", pulses_of(0)), sc_core::sc_report);
}

TEST_F(irq_target_test, edges_travel_over_a_bus_and_become_the_same_line)
{
    sc_core::sc_signal<bool> before("before"), after("after");
    bus::irq_initiator edges("edges", {bus::irq_write{0, 1, 4}, bus::irq_write{0, 0, 4}});
    bus::irq_target line("line");
    line_watch watch("watch");
    edges.irq.bind(before);
    edges.out.bind(line.in);
    line.irq.bind(after);
    watch.line.bind(after);
    line_script script("script", [&] {
        for (int i = 0; i < 3; ++i) {
            sc_core::wait(ns(2));
            before.write(i % 2 == 0);
        }
    });
    sc_core::sc_start();
    EXPECT_THAT(watch.changes, ElementsAre(Pair(2, true), Pair(4, false), Pair(6, true)));
}

// ---- several lines to one ----

class irq_or_test : public sim_test {};

TEST_F(irq_or_test, is_high_while_one_of_its_lines_is)
{
    constexpr unsigned lines = 3;
    bus::irq_or any("any");
    std::vector<std::unique_ptr<sc_core::sc_signal<bool>>> in;
    for (unsigned l = 0; l < lines; ++l) {
        in.push_back(std::make_unique<sc_core::sc_signal<bool>>(("line_" + std::to_string(l)).c_str()));
        any.in.bind(*in.back());
    }
    sc_core::sc_signal<bool> out("out");
    any.out.bind(out);
    line_script script("script", [&] {
        for (unsigned levels = 0; levels < 1u << lines; ++levels) { // all combinations
            for (unsigned l = 0; l < lines; ++l) { in[l]->write((levels >> l & 1) != 0); }
            sc_core::wait(ns(1));
            EXPECT_EQ(out.read(), levels != 0) << levels;
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(out.read());
}

TEST_F(irq_or_test, without_lines_it_is_low)
{
    bus::irq_or any("any");
    sc_core::sc_signal<bool> out("out");
    any.out.bind(out);
    sc_core::sc_start(ns(1));
    EXPECT_FALSE(out.read());
}

} // namespace
} // namespace tensorloom::test
