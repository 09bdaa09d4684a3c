// Requests that an initiator must not send, by blocking transport.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include "tlm/planted_violation.h"

namespace tensorloom::test {

using bus::protocol_rule;

namespace {

planted_violation request(std::string name, protocol_rule rule, std::string clause, std::function<void(payload&)> spoil,
                          tlm::tlm_command command = tlm::TLM_WRITE_COMMAND)
{
    return {std::move(name), rule, std::move(clause), [spoil, command](rogue_bench& bench) {
                payload p(command, 8, std::vector<unsigned char>(4, untouched));
                spoil(p);
                bench.send(p, ns(5));
            }};
}

// Two processes that share a payload, or a method that calls.
void call_in_method(rogue_bench& bench)
{
    sc_core::sc_spawn_options options;
    options.spawn_method();
    payload p = writing(8, {1});
    bool called = false;
    sc_core::sc_spawn(
        [&] {
            bench.send(p);
            called = true;
        },
        "method", &options);
    while (!called) { sc_core::wait(ns(1)); }
}

void send_twice_at_once(rogue_bench& bench)
{
    bench.target.blocking = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        sc_core::wait(ns(10));
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    payload p = writing(8, {1});
    const auto other = sc_core::sc_spawn([&] { bench.send(p); });
    sc_core::wait(ns(1));
    bench.send(p);
    sc_core::wait(ns(100));
}

} // namespace

std::vector<planted_violation> planted_in_requests()
{
    std::vector<planted_violation> all = {
        request("status_ok_at_the_start", protocol_rule::status_set_at_request, "14.17 e",
                [](payload& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); }),
        request("status_error_at_the_start", protocol_rule::status_set_at_request, "14.17 e",
                [](payload& p) { p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); }),
        request("null_data_of_a_write", protocol_rule::null_data, "14.11 e",
                [](payload& p) { p.set_data_ptr(nullptr); }),
        request(
            "null_data_of_a_read", protocol_rule::null_data, "14.11 e", [](payload& p) { p.set_data_ptr(nullptr); },
            tlm::TLM_READ_COMMAND),
        request("length_zero", protocol_rule::zero_length, "14.12 d", [](payload& p) { p.set_data_length(0); }),
        request("streaming_width_zero", protocol_rule::zero_streaming_width, "14.15 f",
                [](payload& p) { p.set_streaming_width(0); }),
        request("byte_enables_of_length_zero", protocol_rule::enables_of_length_zero, "14.14 f",
                [](payload& p) {
                    p.enable({0xff});
                    p.set_byte_enable_length(0);
                }),
        request("byte_enable_of_another_value", protocol_rule::enable_value, "14.13",
                [](payload& p) {
                    p.enable({0xff, 0x01});
                }),
        request("dmi_hint_in_the_request", protocol_rule::dmi_hint_at_request, "14.16",
                [](payload& p) { p.set_dmi_allowed(true); }),
        request("payload_option_in_the_request", protocol_rule::option_at_request, "14.8 g",
                [](payload& p) { p.set_gp_option(tlm::TLM_FULL_PAYLOAD); }),
        {"blocking_call_in_a_method", protocol_rule::blocking_call_from_method, "11.1.1.4 b", call_in_method},
        {"one_payload_in_two_blocking_calls", protocol_rule::transaction_reused, "14.5 x", send_twice_at_once},
        {"managed_payload_without_a_reference", protocol_rule::reference_count, "14.5 t",
         [](rogue_bench& bench) {
             managed_payload p;
             p.release();
             bench.send(p);
         }},
    };
    return all;
}

} // namespace tensorloom::test
