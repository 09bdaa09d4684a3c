// What neither side may do with phases of non-blocking transport, and with the life of a transaction: a table of
// scripts, and what runs one.
#include "tlm/planted_violation.h"

namespace tensorloom::test {

using rule = bus::protocol_rule;
using tlm::BEGIN_REQ;
using tlm::BEGIN_RESP;
using tlm::END_REQ;
using tlm::END_RESP;
using tlm::TLM_ACCEPTED;
using tlm::TLM_COMPLETED;
using tlm::TLM_UPDATED;

DECLARE_EXTENDED_PHASE(unknown_phase);

namespace {

enum class whose { first, second };

/// What a script acts on: a bench and two payloads, requests to read unless it says otherwise.
struct stage {
    rogue_bench& bench;
    managed_payload first, second;

    managed_payload& of(whose p) { return p == whose::first ? first : second; }
};
using step = std::function<void(stage&)>;

constexpr auto second = whose::second;

// ---- steps: a phase of the initiator's or of the target's, with a delay in nanoseconds

step fw(const tlm::tlm_phase& phase, double delay = 0, whose p = whose::first)
{
    return [=](stage& s) { s.bench.fw(s.of(p), phase, ns(delay)); };
}
step bw(const tlm::tlm_phase& phase, double delay = 0, whose p = whose::first)
{
    return [=](stage& s) { s.bench.bw(s.of(p), phase, ns(delay)); };
}

// What a side answers to phases from now on: as rogue_bench says, or after a change to what it was given.
step target_answers(tlm::tlm_sync_enum result, const tlm::tlm_phase& next, double added = 0)
{
    return [=](stage& s) { s.bench.target_returns(result, next, ns(added)); };
}
step initiator_answers(tlm::tlm_sync_enum result, const tlm::tlm_phase& next, double added = 0)
{
    return [=](stage& s) { s.bench.initiator_returns(result, next, ns(added)); };
}
step target_does(phase_function answer)
{
    return [=](stage& s) { s.bench.target.forward = answer; };
}
step initiator_does(phase_function answer)
{
    return [=](stage& s) { s.bench.initiator.backward = answer; };
}

// The first payload, between two calls.
step change(std::function<void(managed_payload&)> to)
{
    return [=](stage& s) { to(s.first); };
}

planted_violation script(std::string name, rule broken, std::string clause, std::vector<step> steps)
{
    return {std::move(name), broken, std::move(clause), [steps = std::move(steps)](rogue_bench& bench) {
                stage s{bench, managed_payload(), managed_payload()};
                for (const auto& act : steps) { act(s); }
            }};
}

std::vector<planted_violation> planted_in_order()
{
    return {
        script("end_req_without_a_request", rule::unknown_transaction, "15.2.4", {bw(END_REQ)}),
        script("response_of_an_unknown_transaction", rule::unknown_transaction, "15.2.4", {bw(BEGIN_RESP)}),
        script("end_of_an_unknown_response", rule::unknown_transaction, "15.2.4", {fw(END_RESP)}),
        script("response_of_a_transaction_that_ended", rule::unknown_transaction, "15.2.4",
               {fw(BEGIN_REQ), bw(END_REQ), bw(BEGIN_RESP), fw(END_RESP), bw(BEGIN_RESP)}),
        script("end_req_twice", rule::phase_order, "15.2.4", {fw(BEGIN_REQ), bw(END_REQ), bw(END_REQ)}),
        script("end_req_after_the_response", rule::phase_order, "15.2.4", {fw(BEGIN_REQ), bw(BEGIN_RESP), bw(END_REQ)}),
        script("end_resp_before_the_response", rule::phase_order, "15.2.4", {fw(BEGIN_REQ), fw(END_RESP)}),
        script("end_req_from_the_initiator", rule::phase_direction, "15.2.3 c", {fw(BEGIN_REQ), fw(END_REQ)}),
        script("begin_resp_from_the_initiator", rule::phase_direction, "15.2.3 c", {fw(BEGIN_REQ), fw(BEGIN_RESP)}),
        script("begin_req_from_the_target", rule::phase_direction, "15.2.3 c", {bw(BEGIN_REQ)}),
        script("end_resp_from_the_target", rule::phase_direction, "15.2.3 c", {fw(BEGIN_REQ), bw(END_RESP)}),
        script("phase_never_set", rule::phase_direction, "15.2.3 c", {fw(tlm::UNINITIALIZED_PHASE)}),
        script("request_before_the_end_of_the_one_before", rule::request_exclusion, "15.2.6 e",
               {fw(BEGIN_REQ), fw(BEGIN_REQ, 0, second)}),
        script("response_before_the_end_of_the_one_before", rule::response_exclusion, "15.2.6 f",
               {fw(BEGIN_REQ), bw(END_REQ), fw(BEGIN_REQ, 0, second), bw(END_REQ, 0, second), bw(BEGIN_RESP, 0, second),
                bw(BEGIN_RESP)}),
        script("response_given_back_before_the_end_of_the_one_before", rule::response_exclusion, "15.2.6 f",
               {target_answers(TLM_UPDATED, BEGIN_RESP), fw(BEGIN_REQ), fw(BEGIN_REQ, 0, second)}),
    };
}

std::vector<planted_violation> planted_in_returns()
{
    return {
        script("accepted_with_another_phase", rule::accepted_with_changes, "11.1.2.5",
               {target_does([](auto&, auto& phase, auto&) { return phase = END_REQ, TLM_ACCEPTED; }), fw(BEGIN_REQ)}),
        script("accepted_with_another_delay", rule::accepted_with_changes, "11.1.2.5",
               {target_answers(TLM_ACCEPTED, BEGIN_REQ, 1), fw(BEGIN_REQ)}),
        script("response_accepted_with_another_delay", rule::accepted_with_changes, "11.1.2.5",
               {initiator_answers(TLM_ACCEPTED, BEGIN_RESP, 1), fw(BEGIN_REQ), bw(BEGIN_RESP)}),
        script("updated_without_another_phase", rule::updated_to_wrong_phase, "15.2.4",
               {target_answers(TLM_UPDATED, BEGIN_REQ), fw(BEGIN_REQ)}),
        script("updated_to_the_end_at_once", rule::updated_to_wrong_phase, "15.2.4",
               {target_answers(TLM_UPDATED, END_RESP), fw(BEGIN_REQ)}),
        script("end_resp_updated", rule::updated_to_wrong_phase, "15.2.4",
               {fw(BEGIN_REQ), bw(BEGIN_RESP), target_answers(TLM_UPDATED, END_REQ), fw(END_RESP)}),
        script("end_req_updated_by_the_initiator", rule::updated_to_wrong_phase, "15.2.4",
               {initiator_answers(TLM_UPDATED, BEGIN_RESP), fw(BEGIN_REQ), bw(END_REQ)}),
        script("response_updated_to_end_req", rule::updated_to_wrong_phase, "15.2.4",
               {initiator_answers(TLM_UPDATED, END_REQ), fw(BEGIN_REQ), bw(BEGIN_RESP)}),
        script("end_req_completed_by_the_initiator", rule::completed_too_early, "15.2.4",
               {initiator_answers(TLM_COMPLETED, END_REQ), fw(BEGIN_REQ), bw(END_REQ)}),
        script("completed_while_the_response_is_on_its_way", rule::completed_too_early, "15.2.4",
               {[](stage& s) {
                    s.bench.target.forward = [&s](auto& t, auto&, auto&) {
                        return s.bench.bw(t, BEGIN_RESP), TLM_COMPLETED;
                    };
                },
                fw(BEGIN_REQ)}),
        script("completed_without_a_response", rule::status_left_incomplete, "14.17",
               {target_does([](auto&, auto&, auto&) { return TLM_COMPLETED; }), fw(BEGIN_REQ)}),
        script("response_without_a_status", rule::status_left_incomplete, "14.17",
               {fw(BEGIN_REQ),
                [](stage& s) {
                    tlm::tlm_phase phase = BEGIN_RESP;
                    sc_core::sc_time delay;
                    s.bench.target.in->nb_transport_bw(s.first, phase, delay);
                }}),
        script("extended_phase_completed", rule::extended_phase_answered, "15.2.5",
               {target_answers(TLM_COMPLETED, unknown_phase), fw(unknown_phase)}),
        script("extended_phase_updated_by_the_initiator", rule::extended_phase_answered, "15.2.5",
               {initiator_answers(TLM_UPDATED, END_RESP), bw(unknown_phase)}),
    };
}

std::vector<planted_violation> planted_in_times()
{
    return {
        script("end_req_at_an_earlier_time", rule::time_decreased, "15.2.7 c", {fw(BEGIN_REQ, 5), bw(END_REQ, 4)}),
        script("end_resp_at_an_earlier_time", rule::time_decreased, "15.2.7 c",
               {fw(BEGIN_REQ), bw(BEGIN_RESP, 5), fw(END_RESP, 4)}),
        script(
            "updated_to_an_earlier_time", rule::time_decreased, "15.2.7 c",
            {target_does([](auto&, auto& phase, auto& delay) { return phase = END_REQ, delay = ns(4), TLM_UPDATED; }),
             fw(BEGIN_REQ, 5)}),
        script("completed_at_an_earlier_time", rule::time_decreased, "15.2.7 c",
               {target_does([](auto& t, auto&, auto& delay) {
                    return t.set_response_status(tlm::TLM_OK_RESPONSE), delay = ns(4), TLM_COMPLETED;
                }),
                fw(BEGIN_REQ, 5)}),
        script("response_completed_at_an_earlier_time", rule::time_decreased, "15.2.7 c",
               {initiator_does([](auto&, auto&, auto& delay) { return delay = ns(4), TLM_COMPLETED; }), fw(BEGIN_REQ),
                bw(BEGIN_RESP, 5)}),
        script("request_at_an_earlier_time_than_the_one_before", rule::time_order, "15.2.7",
               {fw(BEGIN_REQ, 5), bw(END_REQ, 5), fw(BEGIN_REQ, 4, second)}),
        script("response_at_an_earlier_time_than_the_one_before", rule::time_order, "15.2.7",
               {fw(BEGIN_REQ), bw(END_REQ), fw(BEGIN_REQ, 0, second), bw(END_REQ, 0, second), bw(BEGIN_RESP, 5),
                fw(END_RESP, 5), bw(BEGIN_RESP, 4, second)}),
    };
}

std::vector<planted_violation> planted_in_lives()
{
    return {
        script("payload_without_a_memory_manager", rule::no_memory_manager, "14.5 i",
               {target_answers(TLM_COMPLETED, END_RESP),
                [](stage& s) {
                    payload p = reading(8, 4);
                    s.bench.fw(p, BEGIN_REQ);
                }}),
        script("no_reference_in_a_request", rule::reference_count, "14.5 t",
               {change([](auto& p) { p.release(); }), target_answers(TLM_COMPLETED, END_RESP), fw(BEGIN_REQ)}),
        script("released_between_two_phases", rule::reference_count, "14.5 t",
               {fw(BEGIN_REQ), change([](auto& p) { p.release(); }), initiator_answers(TLM_COMPLETED, END_RESP),
                bw(BEGIN_RESP)}),
        script("released_by_the_target_in_a_call", rule::released_early, "14.5 t",
               {target_does([](auto& t, auto&, auto&) { return t.release(), TLM_ACCEPTED; }), fw(BEGIN_REQ)}),
        script("released_by_the_initiator_in_a_call", rule::released_early, "14.5 t",
               {initiator_does([](auto& t, auto&, auto&) { return t.release(), TLM_ACCEPTED; }), fw(BEGIN_REQ),
                bw(END_REQ)}),
        script("begins_again_while_live", rule::transaction_reused, "14.5 x",
               {fw(BEGIN_REQ), bw(END_REQ), fw(BEGIN_REQ)}),
        script("begins_again_during_its_request", rule::transaction_reused, "14.5 x", {fw(BEGIN_REQ), fw(BEGIN_REQ)}),
        script("blocking_call_of_a_live_transaction", rule::mixed_interfaces, "15.2.10 c",
               {fw(BEGIN_REQ), bw(END_REQ),
                [](stage& s) {
                    s.bench.target.blocking = [](auto&, auto&) {};
                    s.bench.send(s.first);
                }}),
        script("phases_of_a_transaction_in_a_blocking_call", rule::mixed_interfaces, "15.2.10 c", {[](stage& s) {
                   s.bench.target.blocking = [&bench = s.bench](auto& t, auto&) {
                       bench.fw(t, BEGIN_REQ), bench.bw(t, END_REQ), bench.bw(t, BEGIN_RESP), bench.fw(t, END_RESP);
                   };
                   s.bench.send(s.first);
               }}),
        script("request_with_a_status", rule::status_set_at_request, "14.17 e",
               {fw(BEGIN_REQ), bw(END_REQ), bw(BEGIN_RESP), fw(END_RESP), fw(BEGIN_REQ), bw(END_REQ), bw(BEGIN_RESP),
                fw(END_RESP)}),
        script("status_changed_after_the_response", rule::status_changed_after_response, "14.17",
               {fw(BEGIN_REQ), bw(BEGIN_RESP),
                change([](auto& p) { p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); }), fw(END_RESP)}),
        script("address_changed_before_end_req", rule::address_changed, "14.7",
               {fw(BEGIN_REQ), change([](auto& p) { p.set_address(9); }), bw(END_REQ)}),
        script("length_changed_in_the_request", rule::length_changed, "14.7",
               {target_does([](auto& t, auto&, auto&) { return t.set_data_length(3), TLM_ACCEPTED; }), fw(BEGIN_REQ)}),
        script("streaming_width_changed_after_the_response", rule::streaming_width_changed, "14.7",
               {fw(BEGIN_REQ), bw(BEGIN_RESP), change([](auto& p) { p.set_streaming_width(8); }), fw(END_RESP)}),
        script("data_of_a_write_changed_before_the_response", rule::written_data_changed, "14.11",
               {change([](auto& p) { p.set_write(); }), fw(BEGIN_REQ), bw(END_REQ),
                change([](auto& p) { p.data[2] ^= 1; }), bw(BEGIN_RESP)}),
        script("left_live_when_asked", rule::left_live, "15.2.4",
               {fw(BEGIN_REQ), [](stage& s) { s.bench.checker.report_live(); }}),
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
