#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/tlm/protocol_rule.h>

namespace tensorloom::test {

/// Transactions of one seed. Sanitizers make each about ten times as slow.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::uint64_t random_transactions = 10'000;
#else
inline constexpr std::uint64_t random_transactions = 100'000;
#endif

/// Errors of an initiator that are printed.
inline constexpr unsigned max_errors = 5;

/// What random traffic breaks on purpose, in the order of illegal_kind.
inline constexpr std::array planned_rules{bus::protocol_rule::zero_streaming_width, bus::protocol_rule::zero_length,
                                          bus::protocol_rule::null_data, bus::protocol_rule::enables_of_length_zero};

} // namespace tensorloom::test
