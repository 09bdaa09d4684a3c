#pragma once
#include <cstdint>
#include <vector>

namespace tensorloom::shell {

/// Bytes of a device's own memory.
struct byte_range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0; ///< 0: none
};

/// Where a command works: what decides whether it may run beside an earlier one that has not finished.
struct access_set {
    unsigned unit = 0; ///< of the device: 0 to shell_config::units - 1; a unit runs one command at a time
    std::vector<byte_range> reads;
    std::vector<byte_range> writes;
};

/// A byte lies in both.
bool overlap(const byte_range& a, const byte_range& b);

/// The later command must wait for the earlier one: it reads what that writes, or writes what that reads or writes.
bool depends(const access_set& later, const access_set& earlier);

} // namespace tensorloom::shell
