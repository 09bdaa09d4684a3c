// What a target, or something on the way to it, must not do to a blocking transaction.
#include <stdexcept>
#include <gtest/gtest.h>
#include "tlm/planted_violation.h"

namespace tensorloom::test {

using bus::protocol_rule;

namespace {

using spoiler = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;

struct foreign_extension : tlm::tlm_extension<foreign_extension> {
    tlm_extension_base* clone() const override { return nullptr; }
    void copy_from(const tlm_extension_base&) override {}
};

unsigned char other_bytes[8];
foreign_extension added;

planted_violation answer(std::string name, protocol_rule rule, std::string clause, spoiler spoil,
                         tlm::tlm_command command = tlm::TLM_WRITE_COMMAND, std::vector<unsigned char> enables = {})
{
    return {std::move(name), rule, std::move(clause), [=](rogue_bench& bench) {
                bench.target.blocking = [spoil](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
                    t.set_response_status(tlm::TLM_OK_RESPONSE);
                    spoil(t, delay);
                };
                payload p(command, 8, std::vector<unsigned char>(4, untouched));
                if (!enables.empty()) { p.enable(enables); }
                sc_core::wait(ns(100));
                bench.send(p, ns(5));
                if (p.get_extension<foreign_extension>() != nullptr) { p.clear_extension(&added); }
                p.set_mm(nullptr);
            }};
}

} // namespace

std::vector<planted_violation> planted_in_answers()
{
    constexpr auto read = tlm::TLM_READ_COMMAND;
    constexpr auto ignore = tlm::TLM_IGNORE_COMMAND;
    return {
        answer("answer_left_incomplete", protocol_rule::status_left_incomplete, "14.17",
               [](auto& t, auto&) { t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE); }),
        answer("command_changed", protocol_rule::command_changed, "14.7", [](auto& t, auto&) { t.set_read(); }),
        answer("address_changed", protocol_rule::address_changed, "14.7", [](auto& t, auto&) { t.set_address(12); }),
        answer("data_pointer_changed", protocol_rule::data_pointer_changed, "14.7",
               [](auto& t, auto&) { t.set_data_ptr(other_bytes); }),
        answer("length_changed", protocol_rule::length_changed, "14.7", [](auto& t, auto&) { t.set_data_length(2); }),
        answer("byte_enables_added", protocol_rule::enables_changed, "14.7",
               [](auto& t, auto&) { t.set_byte_enable_ptr(other_bytes); }),
        answer("byte_enable_length_changed", protocol_rule::enables_changed, "14.7",
               [](auto& t, auto&) { t.set_byte_enable_length(3); }),
        answer("byte_enable_content_changed", protocol_rule::enables_changed, "14.7",
               [](auto& t, auto&) { t.get_byte_enable_ptr()[1] = 0; }, tlm::TLM_WRITE_COMMAND, {0xff, 0xff}),
        answer("streaming_width_changed", protocol_rule::streaming_width_changed, "14.7",
               [](auto& t, auto&) { t.set_streaming_width(8); }),
        answer("payload_option_changed", protocol_rule::option_changed, "14.8 g",
               [](auto& t, auto&) { t.set_gp_option(tlm::TLM_FULL_PAYLOAD_ACCEPTED); }),
        answer("data_of_a_write_changed", protocol_rule::written_data_changed, "14.11",
               [](auto& t, auto&) { t.get_data_ptr()[3] ^= 1; }),
        answer("byte_of_a_disabled_lane_changed", protocol_rule::disabled_lane_changed, "14.13",
               [](auto& t, auto&) { t.get_data_ptr()[3] = 1; }, read, {0xff, 0x00}),
        answer(
            "ignore_moved_data", protocol_rule::ignore_moved_data, "14.9",
            [](auto& t, auto&) { t.get_data_ptr()[0] = 1; }, ignore),
        answer("extension_left_behind", protocol_rule::extension_left_behind, "14.5 aa",
               [](auto& t, auto&) { t.set_extension(&added); }),
        answer("memory_manager_left_behind", protocol_rule::memory_manager_left_behind, "14.5 aa",
               [](auto& t, auto&) {
                   static counting_manager manager;
                   t.set_mm(&manager);
               }),
        {"extension_replaced", protocol_rule::extension_changed, "14.21",
         [](rogue_bench& bench) {
             foreign_extension mine;
             bench.target.blocking = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
                 t.set_response_status(tlm::TLM_OK_RESPONSE);
                 t.set_extension(&added);
             };
             payload p = writing(8, {1});
             p.set_extension(&mine);
             bench.send(p);
             p.clear_extension(&added);
         }},
        {"extension_removed_from_a_managed_payload", protocol_rule::extension_changed, "14.21",
         [](rogue_bench& bench) {
             foreign_extension mine;
             bench.target.blocking = [&mine](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
                 t.set_response_status(tlm::TLM_OK_RESPONSE);
                 t.clear_extension(&mine);
             };
             managed_payload p;
             p.set_extension(&mine);
             bench.send(p);
         }},
        answer("delay_reset", protocol_rule::delay_decreased, "11.1.3",
               [](auto&, auto& delay) { delay = sc_core::SC_ZERO_TIME; }),
        answer("delay_taken_back_after_a_wait", protocol_rule::delay_decreased, "11.1.3",
               [](auto&, auto& delay) {
                   sc_core::wait(ns(3));
                   delay = ns(1);
               }),
        {"exception_instead_of_a_status", protocol_rule::exception_escaped, "14.17.1",
         [](rogue_bench& bench) {
             bench.target.blocking = [](auto&, auto&) { throw std::runtime_error("no such register"); };
             payload p = writing(8, {1});
             EXPECT_THROW(bench.send(p), std::runtime_error);
         }},
    };
}

} // namespace tensorloom::test
