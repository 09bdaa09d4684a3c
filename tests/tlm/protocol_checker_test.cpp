// Each planted violation is reported with its clause; clean traffic is not.
#include <functional>
#include <ostream>
#include <gmock/gmock.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using initiator = thread_initiator<>;

constexpr const char* violation = "/tensorloom/protocol_checker/violation";

// initiator --> checker --> target
struct checked_pair {
    explicit checked_pair(initiator::program_type program)
        : cpu("cpu", std::move(program)), checker("checker"), target("target", 64)
    {
        cpu.out.bind(checker.in);
        checker.out.bind(target.in);
    }
    initiator cpu;
    bus::protocol_checker<> checker;
    byte_target<> target;
};

struct planted_case {
    std::string name;
    std::string clause;
    std::function<void(payload&)> request;                                      // spoils the request
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> target{}; // spoils the answer
    tlm::tlm_command command = tlm::TLM_WRITE_COMMAND;
};
void PrintTo(const planted_case& c, std::ostream* out) { *out << c.name; }

class planted_violation : public sim_test_with_param<planted_case> {};

TEST_P(planted_violation, is_reported_with_its_clause)
{
    const auto& planted = GetParam();
    checked_pair bench([&](initiator& cpu) {
        expected_report report(violation);
        payload p(planted.command, 8, std::vector<unsigned char>(4, untouched));
        if (planted.request) { planted.request(p); }
        sc_core::wait(ns(100));
        sc_core::sc_time delay = ns(5);
        EXPECT_THROW(cpu.out->b_transport(p, delay), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr(planted.clause));
        EXPECT_THAT(report.last_message(), HasSubstr("checker"));
    });
    bench.target.intercept = planted.target;
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    EXPECT_EQ(bench.checker.violations(), 1u);
}

std::vector<planted_case> bad_requests()
{
    const auto status = [](tlm::tlm_response_status s) { return [s](payload& p) { p.set_response_status(s); }; };
    return {
        {"status_ok_at_the_start", "14.17 e", status(tlm::TLM_OK_RESPONSE)},
        {"status_error_at_the_start", "14.17 e", status(tlm::TLM_GENERIC_ERROR_RESPONSE)},
        {"null_data", "14.11 e", [](payload& p) { p.set_data_ptr(nullptr); }},
        {"length_zero", "14.12 d", [](payload& p) { p.set_data_length(0); }},
        {"streaming_width_zero", "14.15 f", [](payload& p) { p.set_streaming_width(0); }},
        {"byte_enables_of_length_zero", "14.14",
         [](payload& p) {
             p.enable({0xff});
             p.set_byte_enable_length(0);
         }},
        {"byte_enable_of_another_value", "14.13",
         [](payload& p) {
             p.enable({0xff, 0x01});
         }},
        {"dmi_hint_in_the_request", "14.16", [](payload& p) { p.set_dmi_allowed(true); }},
    };
}

std::vector<planted_case> bad_answers()
{
    static unsigned char other[4];
    const auto answer = [](std::function<void(tlm::tlm_generic_payload&)> spoil) {
        return [spoil](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
            t.set_response_status(tlm::TLM_OK_RESPONSE);
            spoil(t);
        };
    };
    std::vector<planted_case> all;
    const auto add = [&](std::string name, std::string clause, std::function<void(tlm::tlm_generic_payload&)> spoil) {
        all.push_back({std::move(name), std::move(clause), {}, answer(std::move(spoil))});
    };
    add("command_changed", "14.7: command", [](auto& t) { t.set_read(); });
    add("address_changed", "14.7: address", [](auto& t) { t.set_address(12); });
    add("data_pointer_changed", "14.7: data", [](auto& t) { t.set_data_ptr(other); });
    add("length_changed", "14.7: data", [](auto& t) { t.set_data_length(2); });
    add("byte_enables_added", "14.7: byte enables", [](auto& t) { t.set_byte_enable_ptr(other); });
    add("byte_enable_length_changed", "14.7: byte enables", [](auto& t) { t.set_byte_enable_length(3); });
    add("streaming_width_changed", "14.7: streaming", [](auto& t) { t.set_streaming_width(8); });
    add("data_of_a_write_changed", "14.11", [](auto& t) { t.get_data_ptr()[3] ^= 1; });
    all.push_back({"delay_reset", "11.1", {}, [](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
                       t.set_response_status(tlm::TLM_OK_RESPONSE);
                       delay = sc_core::SC_ZERO_TIME;
                   }});
    all.push_back(
        {"delay_taken_back_after_a_wait", "11.1", {}, [](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
             t.set_response_status(tlm::TLM_OK_RESPONSE);
             sc_core::wait(ns(3));
             delay = ns(1);
         }});
    return all;
}

std::string case_name(const testing::TestParamInfo<planted_case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(request, planted_violation, testing::ValuesIn(bad_requests()), case_name);
INSTANTIATE_TEST_SUITE_P(answer, planted_violation, testing::ValuesIn(bad_answers()), case_name);

class protocol_checker_test : public sim_test {};

// A target that neither answers nor tells the truth about debug and DMI.
class careless_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<careless_target, 32> in;
    tlm::tlm_dmi dmi;
    bool grants = true;

    explicit careless_target(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
    {
        in.register_b_transport(this, &careless_target::b_transport);
        in.register_transport_dbg(this, &careless_target::transport_dbg);
        in.register_get_direct_mem_ptr(this, &careless_target::get_direct_mem_ptr);
    }

private:
    void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) {}
    unsigned transport_dbg(tlm::tlm_generic_payload& t) { return t.get_data_length() + 1; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& answer)
    {
        answer = dmi;
        return grants;
    }
};

struct careless_pair {
    explicit careless_pair(initiator::program_type program)
        : cpu("cpu", std::move(program)), checker("checker"), target("target")
    {
        cpu.out.bind(checker.in);
        checker.out.bind(target.in);
    }
    initiator cpu;
    bus::protocol_checker<> checker;
    careless_target target;
};

TEST_F(protocol_checker_test, answer_left_incomplete_is_reported)
{
    careless_pair bench([](initiator& cpu) {
        expected_report report(violation);
        auto p = reading(0, 4);
        EXPECT_THROW(cpu.send(p), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr("14.17"));
    });
    sc_core::sc_start();
}

TEST_F(protocol_checker_test, debug_count_above_the_length_is_reported)
{
    careless_pair bench([](initiator& cpu) {
        expected_report report(violation);
        auto p = reading(0, 4);
        EXPECT_THROW(cpu.out->transport_dbg(p), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr("11.3"));
    });
    sc_core::sc_start();
}

TEST_F(protocol_checker_test, debug_that_takes_time_is_reported)
{
    class waiting_target : public sc_core::sc_module {
    public:
        tlm_utils::simple_target_socket<waiting_target, 32> in;
        explicit waiting_target(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
        {
            in.register_transport_dbg(this, &waiting_target::transport_dbg);
        }
        unsigned transport_dbg(tlm::tlm_generic_payload&)
        {
            wait(ns(1));
            return 0;
        }
    };
    initiator cpu("cpu", [](initiator& self) {
        expected_report report(violation);
        auto p = reading(0, 4);
        EXPECT_THROW(self.out->transport_dbg(p), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr("11.3"));
    });
    bus::protocol_checker<> checker("checker");
    waiting_target target("target");
    cpu.out.bind(checker.in);
    checker.out.bind(target.in);
    sc_core::sc_start();
}

TEST_F(protocol_checker_test, dmi_range_without_the_address_is_reported)
{
    careless_pair bench([](initiator& cpu) {
        expected_report report(violation);
        auto p = reading(16, 4);
        tlm::tlm_dmi dmi;
        EXPECT_THROW(cpu.out->get_direct_mem_ptr(p, dmi), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr("11.2"));
    });
    bench.target.dmi.set_start_address(0);
    bench.target.dmi.set_end_address(15);
    sc_core::sc_start();
}

TEST_F(protocol_checker_test, dmi_without_a_pointer_is_reported)
{
    careless_pair bench([](initiator& cpu) {
        expected_report report(violation);
        auto p = reading(16, 4);
        tlm::tlm_dmi dmi;
        EXPECT_THROW(cpu.out->get_direct_mem_ptr(p, dmi), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr("pointer"));
    });
    sc_core::sc_start();
}

TEST_F(protocol_checker_test, clean_traffic_passes_and_is_counted)
{
    checked_pair bench([](initiator& cpu) {
        auto w = writing(8, {1, 2, 3, 4});
        EXPECT_EQ(cpu.send(w), ns(7));
        EXPECT_TRUE(w.is_response_ok());
        auto r = reading(8, 4);
        cpu.send(r);
        EXPECT_EQ(r.data, w.data);
        auto outside = reading(62, 4);
        cpu.send(outside); // an error is a legal answer
        EXPECT_EQ(outside.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        auto wide = reading(8, 4);
        wide.set_streaming_width(20);
        wide.enable({0xff, 0x00, 0x00, 0xff, 0xff});
        cpu.send(wide);
    });
    bench.target.annotated = ns(7);
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    EXPECT_EQ(bench.checker.transactions(), 4u);
    EXPECT_EQ(bench.checker.violations(), 0u);
}

TEST_F(protocol_checker_test, waiting_for_the_annotated_delay_is_clean)
{
    checked_pair bench([](initiator& cpu) {
        auto p = reading(8, 4);
        sc_core::sc_time delay = ns(5);
        cpu.out->b_transport(p, delay);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(5));
    });
    bench.target.intercept = [](tlm::tlm_generic_payload&, sc_core::sc_time& delay) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
}

TEST_F(protocol_checker_test, ignore_command_without_data_is_clean)
{
    checked_pair bench([](initiator& cpu) {
        payload p(tlm::TLM_IGNORE_COMMAND, 0, {});
        cpu.send(p);
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.checker.violations(), 0u);
}

TEST_F(protocol_checker_test, debug_dmi_and_invalidation_pass_through)
{
    checked_pair bench([](initiator& cpu) {
        auto w = writing(4, {9, 8});
        EXPECT_EQ(cpu.out->transport_dbg(w), 2u);
        tlm::tlm_dmi dmi;
        auto r = reading(4, 2);
        EXPECT_TRUE(cpu.out->get_direct_mem_ptr(r, dmi));
        EXPECT_EQ(dmi.get_end_address(), 63u);
    });
    bench.target.grants_dmi = true;
    bench.target.dmi.set_dmi_ptr(bench.target.bytes.data());
    bench.target.dmi.set_start_address(0);
    bench.target.dmi.set_end_address(63);
    sc_core::sc_start();
    EXPECT_EQ(bench.target.bytes[4], 9);
    bench.target.in->invalidate_direct_mem_ptr(3, 40);
    EXPECT_THAT(bench.cpu.invalidations(), testing::ElementsAre(testing::Pair(3, 40)));
}

TEST_F(protocol_checker_test, extensions_pass_untouched)
{
    struct extension : tlm::tlm_extension<extension> {
        tlm_extension_base* clone() const override { return new extension; }
        void copy_from(const tlm_extension_base&) override {}
    };
    checked_pair bench([](initiator& cpu) {
        extension e;
        auto p = reading(8, 4);
        p.set_extension(&e);
        cpu.send(p);
        EXPECT_EQ(p.get_extension<extension>(), &e);
        p.clear_extension(&e);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
}

} // namespace
} // namespace tensorloom::test
