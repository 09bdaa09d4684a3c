#pragma once
#include <cstdint>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/arch/triada/events.h>
#include <tensorloom/tlm/activity_sink.h>
#include "platform/report_table.h"

namespace tensorloom::testbench {

// What the counts of a TriADA device say, by arch::triada::events.

std::uint64_t count_of(const std::uint64_t* counts, arch::triada::event event);

/// The active cells of a time-step; 0 for a record of anything else.
std::uint64_t active_cells(const bus::log_record& record);

/// At most so many records a command of this plan logs; `initial`: with a tensor Y0. 2^64 - 1 when there are more.
std::uint64_t records_of(const arch::triada::gemt_plan& plan, bool initial);

/// MACs done by the active cells of a record's counts, 0 to 1; 0 without a time-step.
double utilisation_of(const std::uint64_t* counts);

/// What went through the memory port of the cells.
struct port_transfers {
    std::uint64_t elements_loaded = 0;
    std::uint64_t elements_unloaded = 0;
    std::uint64_t load_cycles = 0;
    std::uint64_t unload_cycles = 0;
    std::uint64_t overlapped_cycles = 0; ///< of these, while the core computed
};

port_transfers transfers_of(const std::vector<std::uint64_t>& counts);

/// Two lines for people; with `overlap` a third.
void print_transfers(report_table& lines, const port_transfers& moved, bool overlap);

// Fields of a summary.
nlohmann::ordered_json transfers_json(const port_transfers& moved);
nlohmann::ordered_json events_json(const std::vector<std::uint64_t>& counts);

} // namespace tensorloom::testbench
