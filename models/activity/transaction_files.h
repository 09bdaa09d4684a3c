#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/models/activity/transaction_log.h>

namespace tensorloom::activity {

// What recorders leave behind. Each file is there whole or not at all; failures are arch::input_error.

/// transactions.csv: a row per transaction that the log kept, in the order in which they ended.
///
///     recorder,initiator,transport,command,address,bytes,status,begin_ps,end_request_ps,begin_response_ps,end_ps
/// transport is blocking or phases; a blocking transaction has nothing between its begin and its end. Addresses are
/// hexadecimal (0x..).
void write_transactions_csv(const std::string& path, const transaction_log& log);

/// traffic.csv: a row per recorder, its totals.
///
///     recorder,initiator,transactions,reads,writes,bytes_read,bytes_written,errors,busy_ps,latency_min_ps,
///     latency_mean_ps,latency_max_ps,debug_calls,debug_bytes,dmi_requests,dmi_grants,dmi_invalidations,dropped
void write_traffic_csv(const std::string& path, const transaction_log& log);

/// Names and addresses as the files have them.
const char* text_of(bus::transfer_command command);
const char* text_of(bus::transfer_status status);
std::string hexadecimal(std::uint64_t number);

} // namespace tensorloom::activity
