// What neither side may do with phases of non-blocking transport, and with the life of a transaction.
#include "tlm/planted_violation.h"

namespace tensorloom::test {

using bus::protocol_rule;
using tlm::BEGIN_REQ;
using tlm::BEGIN_RESP;
using tlm::END_REQ;
using tlm::END_RESP;
using tlm::TLM_ACCEPTED;
using tlm::TLM_COMPLETED;
using tlm::TLM_UPDATED;

DECLARE_EXTENDED_PHASE(unknown_phase);

namespace {

// The whole life of a transaction, in four calls.
void four_phases(rogue_bench& bench, tlm::tlm_generic_payload& p)
{
    bench.fw(p, BEGIN_REQ);
    bench.bw(p, END_REQ);
    bench.bw(p, BEGIN_RESP);
    bench.fw(p, END_RESP);
}

using program_type = std::function<void(rogue_bench&, managed_payload&)>;

// A program with one payload.
planted_violation one(std::string name, protocol_rule rule, std::string clause, program_type program)
{
    return {std::move(name), rule, std::move(clause), [program](rogue_bench& bench) {
                managed_payload p;
                program(bench, p);
            }};
}

std::vector<planted_violation> planted_in_order()
{
    return {
        one("end_req_without_a_request", protocol_rule::unknown_transaction, "15.2.4",
            [](auto& bench, auto& p) { bench.bw(p, END_REQ); }),
        one("response_of_an_unknown_transaction", protocol_rule::unknown_transaction, "15.2.4",
            [](auto& bench, auto& p) { bench.bw(p, BEGIN_RESP); }),
        one("end_of_an_unknown_response", protocol_rule::unknown_transaction, "15.2.4",
            [](auto& bench, auto& p) { bench.fw(p, END_RESP); }),
        one("response_of_a_transaction_that_ended", protocol_rule::unknown_transaction, "15.2.4",
            [](auto& bench, auto& p) {
                four_phases(bench, p);
                bench.bw(p, BEGIN_RESP);
            }),
        one("end_req_twice", protocol_rule::phase_order, "15.2.4",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
                bench.bw(p, END_REQ);
            }),
        one("end_req_after_the_response", protocol_rule::phase_order, "15.2.4",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP);
                bench.bw(p, END_REQ);
            }),
        one("end_resp_before_the_response", protocol_rule::phase_order, "15.2.4",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.fw(p, END_RESP);
            }),
        one("end_req_from_the_initiator", protocol_rule::phase_direction, "15.2.3 c",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.fw(p, END_REQ);
            }),
        one("begin_resp_from_the_initiator", protocol_rule::phase_direction, "15.2.3 c",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.fw(p, BEGIN_RESP);
            }),
        one("begin_req_from_the_target", protocol_rule::phase_direction, "15.2.3 c",
            [](auto& bench, auto& p) { bench.bw(p, BEGIN_REQ); }),
        one("end_resp_from_the_target", protocol_rule::phase_direction, "15.2.3 c",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_RESP);
            }),
        one("phase_never_set", protocol_rule::phase_direction, "15.2.3 c",
            [](auto& bench, auto& p) { bench.fw(p, tlm::UNINITIALIZED_PHASE); }),
        one("request_before_the_end_of_the_one_before", protocol_rule::request_exclusion, "15.2.6 e",
            [](auto& bench, auto& p) {
                managed_payload second;
                bench.fw(p, BEGIN_REQ);
                bench.fw(second, BEGIN_REQ);
            }),
        one("response_before_the_end_of_the_one_before", protocol_rule::response_exclusion, "15.2.6 f",
            [](auto& bench, auto& p) {
                managed_payload second;
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
                bench.fw(second, BEGIN_REQ);
                bench.bw(second, END_REQ);
                bench.bw(second, BEGIN_RESP);
                bench.bw(p, BEGIN_RESP);
            }),
        one("response_given_back_before_the_end_of_the_one_before", protocol_rule::response_exclusion, "15.2.6 f",
            [](auto& bench, auto& p) {
                managed_payload second;
                bench.target_returns(TLM_UPDATED, BEGIN_RESP);
                bench.fw(p, BEGIN_REQ);
                bench.fw(second, BEGIN_REQ);
            }),
    };
}

std::vector<planted_violation> planted_in_returns()
{
    return {
        one("accepted_with_another_phase", protocol_rule::accepted_with_changes, "11.1.2.5",
            [](auto& bench, auto& p) {
                bench.target.forward = [](auto&, auto& phase, auto&) {
                    phase = END_REQ;
                    return TLM_ACCEPTED;
                };
                bench.fw(p, BEGIN_REQ);
            }),
        one("accepted_with_another_delay", protocol_rule::accepted_with_changes, "11.1.2.5",
            [](auto& bench, auto& p) {
                bench.target_returns(TLM_ACCEPTED, BEGIN_REQ, ns(1));
                bench.fw(p, BEGIN_REQ);
            }),
        one("response_accepted_with_another_delay", protocol_rule::accepted_with_changes, "11.1.2.5",
            [](auto& bench, auto& p) {
                bench.initiator_returns(TLM_ACCEPTED, BEGIN_RESP, ns(1));
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP);
            }),
        one("updated_without_another_phase", protocol_rule::updated_to_wrong_phase, "15.2.4",
            [](auto& bench, auto& p) {
                bench.target_returns(TLM_UPDATED, BEGIN_REQ);
                bench.fw(p, BEGIN_REQ);
            }),
        one("updated_to_the_end_at_once", protocol_rule::updated_to_wrong_phase, "15.2.4",
            [](auto& bench, auto& p) {
                bench.target_returns(TLM_UPDATED, END_RESP);
                bench.fw(p, BEGIN_REQ);
            }),
        one("end_resp_updated", protocol_rule::updated_to_wrong_phase, "15.2.4",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP);
                bench.target_returns(TLM_UPDATED, END_REQ);
                bench.fw(p, END_RESP);
            }),
        one("end_req_updated_by_the_initiator", protocol_rule::updated_to_wrong_phase, "15.2.4",
            [](auto& bench, auto& p) {
                bench.initiator_returns(TLM_UPDATED, BEGIN_RESP);
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
            }),
        one("response_updated_to_end_req", protocol_rule::updated_to_wrong_phase, "15.2.4",
            [](auto& bench, auto& p) {
                bench.initiator_returns(TLM_UPDATED, END_REQ);
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP);
            }),
        one("end_req_completed_by_the_initiator", protocol_rule::completed_too_early, "15.2.4",
            [](auto& bench, auto& p) {
                bench.initiator_returns(TLM_COMPLETED, END_REQ);
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
            }),
        one("completed_while_the_response_is_on_its_way", protocol_rule::completed_too_early, "15.2.4",
            [](auto& bench, auto& p) {
                bench.target.forward = [&bench](auto& t, auto&, auto&) {
                    bench.bw(t, BEGIN_RESP);
                    return TLM_COMPLETED;
                };
                bench.fw(p, BEGIN_REQ);
            }),
        one("completed_without_a_response", protocol_rule::status_left_incomplete, "14.17",
            [](auto& bench, auto& p) {
                bench.target.forward = [](auto&, auto&, auto&) { return TLM_COMPLETED; };
                bench.fw(p, BEGIN_REQ);
            }),
        one("response_without_a_status", protocol_rule::status_left_incomplete, "14.17",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                tlm::tlm_phase phase = BEGIN_RESP;
                sc_core::sc_time delay;
                bench.target.in->nb_transport_bw(p, phase, delay);
            }),
        one("extended_phase_completed", protocol_rule::extended_phase_answered, "15.2.5",
            [](auto& bench, auto& p) {
                bench.target_returns(TLM_COMPLETED, unknown_phase);
                bench.fw(p, unknown_phase);
            }),
        one("extended_phase_updated_by_the_initiator", protocol_rule::extended_phase_answered, "15.2.5",
            [](auto& bench, auto& p) {
                bench.initiator_returns(TLM_UPDATED, END_RESP);
                bench.bw(p, unknown_phase);
            }),
    };
}

std::vector<planted_violation> planted_in_times()
{
    return {
        one("end_req_at_an_earlier_time", protocol_rule::time_decreased, "15.2.7 c",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ, ns(5));
                bench.bw(p, END_REQ, ns(4));
            }),
        one("end_resp_at_an_earlier_time", protocol_rule::time_decreased, "15.2.7 c",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP, ns(5));
                bench.fw(p, END_RESP, ns(4));
            }),
        one("updated_to_an_earlier_time", protocol_rule::time_decreased, "15.2.7 c",
            [](auto& bench, auto& p) {
                bench.target.forward = [](auto&, auto& phase, auto& delay) {
                    phase = END_REQ;
                    delay = ns(4);
                    return TLM_UPDATED;
                };
                bench.fw(p, BEGIN_REQ, ns(5));
            }),
        one("completed_at_an_earlier_time", protocol_rule::time_decreased, "15.2.7 c",
            [](auto& bench, auto& p) {
                bench.target.forward = [](auto& t, auto&, auto& delay) {
                    t.set_response_status(tlm::TLM_OK_RESPONSE);
                    delay = ns(4);
                    return TLM_COMPLETED;
                };
                bench.fw(p, BEGIN_REQ, ns(5));
            }),
        one("response_completed_at_an_earlier_time", protocol_rule::time_decreased, "15.2.7 c",
            [](auto& bench, auto& p) {
                bench.initiator.backward = [](auto&, auto&, auto& delay) {
                    delay = ns(4);
                    return TLM_COMPLETED;
                };
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP, ns(5));
            }),
        one("request_at_an_earlier_time_than_the_one_before", protocol_rule::time_order, "15.2.7",
            [](auto& bench, auto& p) {
                managed_payload second;
                bench.fw(p, BEGIN_REQ, ns(5));
                bench.bw(p, END_REQ, ns(5));
                bench.fw(second, BEGIN_REQ, ns(4));
            }),
        one("response_at_an_earlier_time_than_the_one_before", protocol_rule::time_order, "15.2.7",
            [](auto& bench, auto& p) {
                managed_payload second;
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
                bench.fw(second, BEGIN_REQ);
                bench.bw(second, END_REQ);
                bench.bw(p, BEGIN_RESP, ns(5));
                bench.fw(p, END_RESP, ns(5));
                bench.bw(second, BEGIN_RESP, ns(4));
            }),
    };
}

std::vector<planted_violation> planted_in_lives()
{
    return {
        {"payload_without_a_memory_manager", protocol_rule::no_memory_manager, "14.5 i",
         [](rogue_bench& bench) {
             payload p = reading(8, 4);
             p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
             bench.target_returns(TLM_COMPLETED, END_RESP);
             bench.fw(p, BEGIN_REQ);
         }},
        one("no_reference_in_a_request", protocol_rule::reference_count, "14.5 t",
            [](auto& bench, auto& p) {
                p.release();
                bench.target_returns(TLM_COMPLETED, END_RESP);
                bench.fw(p, BEGIN_REQ);
            }),
        one("released_between_two_phases", protocol_rule::reference_count, "14.5 t",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                p.release();
                bench.initiator_returns(TLM_COMPLETED, END_RESP);
                bench.bw(p, BEGIN_RESP);
            }),
        one("released_by_the_target_in_a_call", protocol_rule::released_early, "14.5 t",
            [](auto& bench, auto& p) {
                bench.target.forward = [](auto& t, auto&, auto&) {
                    t.release();
                    return TLM_ACCEPTED;
                };
                bench.fw(p, BEGIN_REQ);
            }),
        one("released_by_the_initiator_in_a_call", protocol_rule::released_early, "14.5 t",
            [](auto& bench, auto& p) {
                bench.initiator.backward = [](auto& t, auto&, auto&) {
                    t.release();
                    return TLM_ACCEPTED;
                };
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
            }),
        one("begins_again_while_live", protocol_rule::transaction_reused, "14.5 x",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
                bench.fw(p, BEGIN_REQ);
            }),
        one("begins_again_during_its_request", protocol_rule::transaction_reused, "14.5 x",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.fw(p, BEGIN_REQ);
            }),
        one("blocking_call_of_a_live_transaction", protocol_rule::mixed_interfaces, "15.2.10 c",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, END_REQ);
                bench.target.blocking = [](auto&, auto&) {};
                bench.send(p);
            }),
        one("phases_of_a_transaction_in_a_blocking_call", protocol_rule::mixed_interfaces, "15.2.10 c",
            [](auto& bench, auto& p) {
                bench.target.blocking = [&bench](auto& t, auto&) {
                    bench.fw(t, BEGIN_REQ);
                    bench.bw(t, END_REQ);
                    bench.bw(t, BEGIN_RESP);
                    bench.fw(t, END_RESP);
                };
                bench.send(p);
            }),
        one("request_with_a_status", protocol_rule::status_set_at_request, "14.17 e",
            [](auto& bench, auto& p) {
                four_phases(bench, p);
                four_phases(bench, p);
            }),
        one("status_changed_after_the_response", protocol_rule::status_changed_after_response, "14.17",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP);
                p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
                bench.fw(p, END_RESP);
            }),
        one("address_changed_before_end_req", protocol_rule::address_changed, "14.7",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                p.set_address(9);
                bench.bw(p, END_REQ);
            }),
        one("length_changed_in_the_request", protocol_rule::length_changed, "14.7",
            [](auto& bench, auto& p) {
                bench.target.forward = [](auto& t, auto&, auto&) {
                    t.set_data_length(3);
                    return TLM_ACCEPTED;
                };
                bench.fw(p, BEGIN_REQ);
            }),
        one("streaming_width_changed_after_the_response", protocol_rule::streaming_width_changed, "14.7",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.bw(p, BEGIN_RESP);
                p.set_streaming_width(8);
                bench.fw(p, END_RESP);
            }),
        {"data_of_a_write_changed_before_the_response", protocol_rule::written_data_changed, "14.11",
         [](rogue_bench& bench) {
             managed_payload p(tlm::TLM_WRITE_COMMAND);
             bench.fw(p, BEGIN_REQ);
             bench.bw(p, END_REQ);
             p.data[2] ^= 1;
             bench.bw(p, BEGIN_RESP);
         }},
        one("left_live_when_asked", protocol_rule::left_live, "15.2.4",
            [](auto& bench, auto& p) {
                bench.fw(p, BEGIN_REQ);
                bench.checker.report_live();
            }),
    };
}

} // namespace

std::vector<planted_violation> planted_in_phases()
{
    std::vector<planted_violation> all;
    for (const auto& part : {planted_in_order(), planted_in_returns(), planted_in_times(), planted_in_lives()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

} // namespace tensorloom::test
