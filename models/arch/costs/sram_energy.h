#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/values/event_table.h>
#include <tensorloom/models/arch/costs/technology.h>

namespace tensorloom::arch {

/// What an SRAM counts. An access is of 64 bits; a transfer of n bytes counts every 64-bit word that it touches.
enum class sram_event : std::size_t { read_access, write_access, port_conflict_cycle, bank_conflict_cycle, count_ };

inline constexpr std::size_t sram_event_count = static_cast<std::size_t>(sram_event::count_);

inline constexpr event_definition sram_event_definitions[] = {
    {"read_access", "memory", "A 64-bit word read from the SRAM."},
    {"write_access", "memory", "A 64-bit word written into the SRAM, whole or in part."},
    {"port_conflict_cycle", "", "A clock period that an access waited for a free port of the SRAM."},
    {"bank_conflict_cycle", "",
     "A clock period that an access held a port and waited for a bank that another one was at."},
};

inline constexpr event_table sram_events = make_event_table(sram_event_definitions);
static_assert(sram_events.size == sram_event_count, "one definition per event");

/// Costs of `sram_events` for a memory of `bytes`: energy.sram.access_64bit at that size for reads and writes alike,
/// none for conflicts, and as component "leakage" leakage.memory.fraction of the power of one access per cycle at 1
/// GHz. Throws input_error for a missing key.
energy_model sram_energy(const technology& tech, std::uint64_t bytes);

} // namespace tensorloom::arch
