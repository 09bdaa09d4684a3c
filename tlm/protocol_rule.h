#pragma once
#include <cstddef>
#include <string_view>

namespace tensorloom::bus {

/// What a protocol checker looks at. Named for the violation.
enum class protocol_rule {
    // a request
    status_set_at_request,
    null_data,
    zero_length,
    enables_of_length_zero,
    enable_value,
    zero_streaming_width,
    dmi_hint_at_request,
    option_at_request,
    // an answer, blocking or not
    status_left_incomplete,
    command_changed,
    address_changed,
    data_pointer_changed,
    length_changed,
    enables_changed,
    streaming_width_changed,
    option_changed,
    written_data_changed,
    disabled_lane_changed,
    ignore_moved_data,
    extension_changed,
    extension_left_behind,
    memory_manager_left_behind,
    exception_escaped,
    // blocking transport
    delay_decreased,
    blocking_call_from_method,
    // which transaction may travel when
    mixed_interfaces,
    transaction_reused,
    reference_count,
    // non-blocking transport
    no_memory_manager,
    released_early,
    phase_direction,
    phase_order,
    unknown_transaction,
    request_exclusion,
    response_exclusion,
    accepted_with_changes,
    updated_to_wrong_phase,
    completed_too_early,
    extended_phase_answered,
    time_decreased,
    time_order,
    status_changed_after_response,
    left_live,
    // direct memory interface
    dmi_descriptor_at_request,
    dmi_payload_changed,
    dmi_range_inverted,
    dmi_granted_elsewhere,
    dmi_refused_elsewhere,
    dmi_null_pointer,
    dmi_access_too_small,
    dmi_hint_not_kept,
    dmi_invalidation_inverted,
    // debug transport
    debug_null_data,
    debug_took_time,
    debug_waited,
    debug_count,
    debug_payload_changed,
};

/// How bad: an error breaks the standard; a warning is legal but not what the other side was told to expect.
enum class rule_weight { error, warning };

/// A rule as it is reported and documented.
struct protocol_rule_definition {
    protocol_rule rule;
    std::string_view name;
    std::string_view clause; ///< of IEEE 1666-2011, by letter where common base-protocol checkers cite one
    int row;                 ///< of the conformance checklist in docs/protocol-checker.md
    rule_weight weight;
    std::string_view text;
};

inline constexpr protocol_rule_definition protocol_rules[] = {
#define TENSORLOOM_RULE(rule, clause, row, weight, text)                                                               \
    {                                                                                                                  \
        protocol_rule::rule, #rule, clause, row, rule_weight::weight, text                                             \
    }
    // clang-format off
    TENSORLOOM_RULE(status_set_at_request, "14.17 e", 1, error, "The response status of a request is not INCOMPLETE."),
    TENSORLOOM_RULE(null_data, "14.11 e", 2, error, "The data pointer of a read or write is null."),
    TENSORLOOM_RULE(zero_length, "14.12 d", 2, error, "The data length of a read or write is 0."),
    TENSORLOOM_RULE(enables_of_length_zero, "14.14 f", 3, error, "There are byte enables, but their length is 0."),
    TENSORLOOM_RULE(enable_value, "14.13", 3, error, "A byte enable is neither 0x00 nor 0xff."),
    TENSORLOOM_RULE(zero_streaming_width, "14.15 f", 4, error, "The streaming width of a read or write is 0."),
    TENSORLOOM_RULE(dmi_hint_at_request, "14.16", 12, error, "The DMI hint is set in a request."),
    TENSORLOOM_RULE(option_at_request, "14.8 g", 2, error, "The payload option of a request is not MIN_PAYLOAD."),
    TENSORLOOM_RULE(status_left_incomplete, "14.17", 1, error, "The target left the response status INCOMPLETE."),
    TENSORLOOM_RULE(command_changed, "14.7", 5, error, "The command changed."),
    TENSORLOOM_RULE(address_changed, "14.7", 5, error, "The address changed and was not restored."),
    TENSORLOOM_RULE(data_pointer_changed, "14.7", 5, error, "The data pointer changed."),
    TENSORLOOM_RULE(length_changed, "14.7", 5, error, "The data length changed."),
    TENSORLOOM_RULE(enables_changed, "14.7", 5, error, "The byte enables, their pointer or their length changed."),
    TENSORLOOM_RULE(streaming_width_changed, "14.7", 5, error, "The streaming width changed."),
    TENSORLOOM_RULE(option_changed, "14.8 g", 5, error, "The payload option changed."),
    TENSORLOOM_RULE(written_data_changed, "14.11", 5, error, "The data of a write changed."),
    TENSORLOOM_RULE(disabled_lane_changed, "14.13", 3, error, "A read changed a byte whose byte enable is 0x00."),
    TENSORLOOM_RULE(ignore_moved_data, "14.9", 2, error, "An IGNORE command changed the data."),
    TENSORLOOM_RULE(extension_changed, "14.21", 11, error, "An extension of the request was replaced or removed."),
    TENSORLOOM_RULE(extension_left_behind, "14.5 aa", 11, error, "An extension was added to a transaction without memory manager and not cleared."),
    TENSORLOOM_RULE(memory_manager_left_behind, "14.5 aa", 10, error, "A memory manager was set on the way and not cleared."),
    TENSORLOOM_RULE(exception_escaped, "14.17.1", 1, error, "An exception came out of the target; errors are response statuses."),
    TENSORLOOM_RULE(delay_decreased, "11.1.3", 6, error, "Blocking transport ended at an earlier annotated time than it began."),
    TENSORLOOM_RULE(blocking_call_from_method, "11.1.1.4 b", 6, error, "b_transport was called from a method process."),
    TENSORLOOM_RULE(mixed_interfaces, "15.2.10 c", 9, error, "One live transaction went through b_transport and nb_transport."),
    TENSORLOOM_RULE(transaction_reused, "14.5 x", 10, error, "A transaction began again while it was still in use."),
    TENSORLOOM_RULE(reference_count, "14.5 t", 10, error, "A transaction with a memory manager was passed on without a reference to it."),
    TENSORLOOM_RULE(no_memory_manager, "14.5 i", 8, error, "A transaction in nb_transport has no memory manager."),
    TENSORLOOM_RULE(released_early, "14.5 t", 10, error, "The last reference to a live transaction was released."),
    TENSORLOOM_RULE(phase_direction, "15.2.3 c", 8, error, "A phase was sent in the wrong direction."),
    TENSORLOOM_RULE(phase_order, "15.2.4", 8, error, "A phase came out of order."),
    TENSORLOOM_RULE(unknown_transaction, "15.2.4", 8, error, "A phase came for a transaction that had not begun or had ended."),
    TENSORLOOM_RULE(request_exclusion, "15.2.6 e", 8, error, "BEGIN_REQ came before the END_REQ of the request before it."),
    TENSORLOOM_RULE(response_exclusion, "15.2.6 f", 8, error, "BEGIN_RESP came before the END_RESP of the response before it."),
    TENSORLOOM_RULE(accepted_with_changes, "11.1.2.5", 8, error, "TLM_ACCEPTED was returned with another phase or delay."),
    TENSORLOOM_RULE(updated_to_wrong_phase, "15.2.4", 8, error, "TLM_UPDATED was returned with a phase that may not follow."),
    TENSORLOOM_RULE(completed_too_early, "15.2.4", 8, error, "TLM_COMPLETED was returned to a phase that cannot end a transaction."),
    TENSORLOOM_RULE(extended_phase_answered, "15.2.5", 8, error, "An extended phase was not answered with TLM_ACCEPTED."),
    TENSORLOOM_RULE(time_decreased, "15.2.7 c", 8, error, "The annotated time of a transaction's phase is before that of the phase before it."),
    TENSORLOOM_RULE(time_order, "15.2.7", 8, error, "A BEGIN_REQ or BEGIN_RESP is annotated to come before the one before it."),
    TENSORLOOM_RULE(status_changed_after_response, "14.17", 8, error, "The response status changed after BEGIN_RESP."),
    TENSORLOOM_RULE(left_live, "15.2.4", 10, error, "A transaction had not ended when the user asked."),
    TENSORLOOM_RULE(dmi_descriptor_at_request, "11.2.5", 12, error, "The initiator's DMI descriptor is not as init() leaves it."),
    TENSORLOOM_RULE(dmi_payload_changed, "11.2.3", 12, error, "A DMI request changed its payload, other than the extensions."),
    TENSORLOOM_RULE(dmi_range_inverted, "11.2.5 u", 12, error, "The end of a DMI range lies before its start."),
    TENSORLOOM_RULE(dmi_granted_elsewhere, "11.2.5 u", 12, error, "A granted DMI range does not hold the requested address."),
    TENSORLOOM_RULE(dmi_refused_elsewhere, "11.2.5 u", 12, error, "A refused DMI range does not hold the requested address."),
    TENSORLOOM_RULE(dmi_null_pointer, "11.2.5 f", 12, error, "DMI was granted with a null pointer."),
    TENSORLOOM_RULE(dmi_access_too_small, "11.2.5 a", 12, error, "DMI was granted, but not for the requested access."),
    TENSORLOOM_RULE(dmi_hint_not_kept, "11.2.9", 12, warning, "DMI was refused although the answer of the same access before had the DMI hint set."),
    TENSORLOOM_RULE(dmi_invalidation_inverted, "11.2.6", 13, error, "The end of an invalidated range lies before its start."),
    TENSORLOOM_RULE(debug_null_data, "11.3.4 l", 14, error, "The data pointer of a debug transaction is null."),
    TENSORLOOM_RULE(debug_took_time, "11.3.4", 14, error, "Debug transport took simulated time."),
    TENSORLOOM_RULE(debug_waited, "11.3.4", 14, error, "Debug transport waited, for a delta cycle or more."),
    TENSORLOOM_RULE(debug_count, "11.3.4", 14, error, "Debug transport returned more bytes than asked for."),
    TENSORLOOM_RULE(debug_payload_changed, "11.3.4", 14, error, "Debug transport changed its payload, other than the data of a read and the extensions."),
// clang-format on
#undef TENSORLOOM_RULE
};
inline constexpr std::size_t protocol_rule_count = sizeof protocol_rules / sizeof protocol_rules[0];

/// Whether the table has the order of the enumeration.
constexpr bool protocol_rules_are_in_order()
{
    for (std::size_t i = 0; i < protocol_rule_count; ++i) {
        if (static_cast<std::size_t>(protocol_rules[i].rule) != i) { return false; }
    }
    return protocol_rule_count == static_cast<std::size_t>(protocol_rule::debug_payload_changed) + 1;
}
static_assert(protocol_rules_are_in_order());

constexpr const protocol_rule_definition& definition_of(protocol_rule rule)
{
    return protocol_rules[static_cast<std::size_t>(rule)];
}

} // namespace tensorloom::bus
