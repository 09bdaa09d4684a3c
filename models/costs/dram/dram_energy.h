#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/base/values/event_table.h>

namespace tensorloom::costs {

/// The events of a DRAM, over all its channels. A cycle is a clock period of one channel.
enum class dram_event : std::size_t {
    activate,
    precharge,
    read_burst,
    write_burst,
    refresh,
    bank_refresh,
    row_hit,
    row_miss,
    row_conflict,
    read_to_write,
    write_to_read,
    data_cycle,
    row_stall_cycle,
    turnaround_stall_cycle,
    refresh_stall_cycle,
    active_cycle,
    late_burst,
    count_
};

inline constexpr std::size_t dram_event_count = static_cast<std::size_t>(dram_event::count_);

inline constexpr base::event_definition dram_event_definitions[] = {
    {"activate", "dram", "A row of a bank opened; includes the energy of its precharge."},
    {"precharge", "",
     "A bank closed: by a precharge of this bank or of all banks, or automatically after its last burst."},
    {"read_burst", "dram", "A burst read, used whole or in part."},
    {"write_burst", "dram", "A burst written, whole or masked."},
    {"refresh", "dram", "All banks of a channel refreshed."},
    {"bank_refresh", "dram", "One bank of a channel refreshed."},
    {"row_hit", "", "A burst that found its row open."},
    {"row_miss", "", "A burst that found its bank closed."},
    {"row_conflict", "", "A burst that found another row of its bank open."},
    {"read_to_write", "", "The data bus of a channel switched from reading to writing."},
    {"write_to_read", "", "The data bus of a channel switched from writing to reading."},
    {"data_cycle", "", "A clock period of a channel whose data bus is busy."},
    {"row_stall_cycle", "",
     "A clock period of a channel in which the next burst waits for its row or for the command bus."},
    {"turnaround_stall_cycle", "",
     "A clock period of a channel in which the next burst waits for the data bus to change direction."},
    {"refresh_stall_cycle", "",
     "A clock period of a channel in which the next burst waits for a refresh and then for its row."},
    {"active_cycle", "dram_background",
     "A clock period of a channel with a row open: its power above that of a closed channel."},
    {"late_burst", "",
     "A burst that was requested in a channel's past (temporal decoupling); its time is an estimate."},
};

inline constexpr base::event_table dram_events = base::make_event_table(dram_event_definitions);
static_assert(base::is_table_of<dram_event>(dram_event_definitions), "one definition per event, in the same order");

/// Power of one channel from currents of its supplies, in mW: the sum of V x current.
double dram_power_mw(const dram_config& config, double dram_supply::*current);

/// Energy per event of `dram_events`: each current above the background current, over the duration of its operation.
///
///     activate       IDD0 over tRCpb, less IDD3N over tRAS and IDD2N over the rest; includes the precharge
///     read_burst     IDD4R - IDD3N over the data of a burst
///     write_burst    IDD4W - IDD3N over the data of a burst
///     refresh        IDD5 - IDD2N over tRFCab
///     bank_refresh   the share of one bank in a refresh (an estimate)
///     active_cycle   IDD3N - IDD2N over tCK                            component dram_background
///     always         IDD2N of every channel                            component dram_background
///
/// Throws input_error when a difference is negative. Not modelled: power-down and self-refresh states, termination, the
/// controller.
energy_model dram_energy(const dram_config& config);

} // namespace tensorloom::costs
