// What may not happen on the direct memory interface and in debug transport.
#include "tlm/planted_violation.h"

namespace tensorloom::test {

using bus::protocol_rule;

namespace {

unsigned char memory[64];

void grant(tlm::tlm_dmi& dmi, std::uint64_t start, std::uint64_t end)
{
    dmi.set_dmi_ptr(memory);
    dmi.set_start_address(start);
    dmi.set_end_address(end);
    dmi.allow_read_write();
}

// A grant of this range, for reads and writes but for a change.
auto grants(
    std::uint64_t start, std::uint64_t end, std::function<void(tlm::tlm_dmi&)> but = [](auto&) {})
{
    return [=](tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
        grant(dmi, start, end);
        but(dmi);
        return true;
    };
}

// A target's answer to a DMI request for a read of address 16.
planted_violation answer_to_dmi(std::string name, protocol_rule rule, std::string clause,
                                std::function<bool(tlm::tlm_generic_payload&, tlm::tlm_dmi&)> direct,
                                tlm::tlm_command command = tlm::TLM_READ_COMMAND)
{
    return {std::move(name), rule, std::move(clause), [=](rogue_bench& bench) {
                bench.target.direct = direct;
                payload p(command, 16, std::vector<unsigned char>(4, untouched));
                tlm::tlm_dmi dmi;
                bench.initiator.out->get_direct_mem_ptr(p, dmi);
            }};
}

planted_violation debug(std::string name, protocol_rule rule, std::function<unsigned(tlm::tlm_generic_payload&)> answer,
                        tlm::tlm_command command = tlm::TLM_READ_COMMAND)
{
    return {std::move(name), rule, "11.3.4", [=](rogue_bench& bench) {
                bench.target.debug = answer;
                payload p(command, 16, std::vector<unsigned char>(4, untouched));
                bench.initiator.out->transport_dbg(p);
            }};
}

// An initiator's descriptor that is not as init() leaves it.
planted_violation descriptor(std::string name, std::function<void(tlm::tlm_dmi&)> spoil)
{
    return {std::move(name), protocol_rule::dmi_descriptor_at_request, "11.2.5", [=](rogue_bench& bench) {
                bench.target.direct = [](auto&, auto& dmi) {
                    dmi.init();
                    return false;
                };
                payload p = reading(16, 4);
                tlm::tlm_dmi dmi;
                spoil(dmi);
                bench.initiator.out->get_direct_mem_ptr(p, dmi);
            }};
}

void check_after_a_hint(rogue_bench& bench)
{
    bench.target.blocking = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        t.set_dmi_allowed(true);
    };
    payload p = reading(16, 4);
    bench.send(p);
    tlm::tlm_dmi dmi;
    bench.initiator.out->get_direct_mem_ptr(p, dmi);
}

} // namespace

std::vector<planted_violation> planted_in_dmi_and_debug()
{
    return {
        descriptor("descriptor_with_a_pointer", [](auto& dmi) { dmi.set_dmi_ptr(memory); }),
        descriptor("descriptor_with_an_access", [](auto& dmi) { dmi.allow_read(); }),
        descriptor("descriptor_with_a_start", [](auto& dmi) { dmi.set_start_address(1); }),
        descriptor("descriptor_with_an_end", [](auto& dmi) { dmi.set_end_address(63); }),
        descriptor("descriptor_with_a_read_latency", [](auto& dmi) { dmi.set_read_latency(ns(1)); }),
        descriptor("descriptor_with_a_write_latency", [](auto& dmi) { dmi.set_write_latency(ns(1)); }),
        answer_to_dmi("dmi_request_with_another_address", protocol_rule::dmi_payload_changed, "11.2.3",
                      [](auto& t, auto& dmi) {
                          grant(dmi, 0, 63);
                          t.set_address(0);
                          return true;
                      }),
        answer_to_dmi("dmi_range_that_ends_before_it_starts", protocol_rule::dmi_range_inverted, "11.2.5 u",
                      grants(63, 0)),
        answer_to_dmi("dmi_granted_below_the_address", protocol_rule::dmi_granted_elsewhere, "11.2.5 u", grants(0, 15)),
        answer_to_dmi("dmi_granted_above_the_address", protocol_rule::dmi_granted_elsewhere, "11.2.5 u",
                      grants(17, 63)),
        answer_to_dmi("dmi_refused_elsewhere", protocol_rule::dmi_refused_elsewhere, "11.2.5 u",
                      [](auto&, auto& dmi) {
                          dmi.set_start_address(20);
                          dmi.set_end_address(63);
                          return false;
                      }),
        answer_to_dmi("dmi_granted_without_a_pointer", protocol_rule::dmi_null_pointer, "11.2.5 f",
                      grants(0, 63, [](auto& dmi) { dmi.set_dmi_ptr(nullptr); })),
        answer_to_dmi("dmi_for_writes_granted_to_a_read", protocol_rule::dmi_access_too_small, "11.2.5 a",
                      grants(0, 63, [](auto& dmi) { dmi.allow_write(); })),
        answer_to_dmi("dmi_for_reads_granted_to_a_write", protocol_rule::dmi_access_too_small, "11.2.5 a",
                      grants(0, 63, [](auto& dmi) { dmi.allow_read(); }), tlm::TLM_WRITE_COMMAND),
        {"dmi_hinted_and_refused", protocol_rule::dmi_hint_not_kept, "11.2.9", check_after_a_hint},
        {"invalidation_that_ends_before_it_starts", protocol_rule::dmi_invalidation_inverted, "11.2.6",
         [](rogue_bench& bench) { bench.target.in->invalidate_direct_mem_ptr(40, 3); }},
        {"debug_without_a_buffer", protocol_rule::debug_null_data, "11.3.4 l",
         [](rogue_bench& bench) {
             payload p = reading(16, 4);
             p.set_data_ptr(nullptr);
             bench.initiator.out->transport_dbg(p);
         }},
        debug("debug_that_takes_time", protocol_rule::debug_took_time,
              [](auto&) {
                  sc_core::wait(ns(1));
                  return 0u;
              }),
        debug("debug_that_waits_for_a_delta", protocol_rule::debug_waited,
              [](auto&) {
                  sc_core::wait(sc_core::SC_ZERO_TIME);
                  return 0u;
              }),
        debug("debug_count_above_the_length", protocol_rule::debug_count, [](auto&) { return 5u; }),
        debug("debug_length_changed", protocol_rule::debug_payload_changed,
              [](auto& t) {
                  t.set_data_length(2);
                  return 2u;
              }),
        debug(
            "data_of_a_debug_write_changed", protocol_rule::debug_payload_changed,
            [](auto& t) {
                t.get_data_ptr()[1] ^= 1;
                return 4u;
            },
            tlm::TLM_WRITE_COMMAND),
    };
}

} // namespace tensorloom::test
