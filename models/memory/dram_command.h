#pragma once
#include <cstdint>
#include <functional>

namespace tensorloom::memory {

enum class dram_command_kind { activate, precharge, precharge_all, read, write, refresh, bank_refresh };

/// One command that a channel's controller gives, at the clock period in which it begins.
struct dram_command {
    unsigned channel = 0;
    dram_command_kind kind = dram_command_kind::activate;
    unsigned bank = 0;      ///< of activate, precharge, read, write, bank_refresh
    unsigned row = 0;       ///< of activate, read, write
    unsigned column = 0;    ///< of read, write: the first of the burst
    std::uint64_t tick = 0; ///< clock periods since time 0
    bool automatic = false; ///< a precharge that came with a read or write and takes no place on the command bus
};

/// Gets every command when it is planned: in the order of planning, which is not that of time.
using dram_command_log = std::function<void(const dram_command&)>;

} // namespace tensorloom::memory
