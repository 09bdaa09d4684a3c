#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::costs {

/// What an SRAM counts. An access is of 64 bits; a transfer of n bytes counts every 64-bit word that it touches.
enum class sram_event : std::size_t { read_access, write_access, port_conflict_cycle, bank_conflict_cycle, count_ };

inline constexpr std::size_t sram_event_count = static_cast<std::size_t>(sram_event::count_);

inline constexpr base::event_definition sram_event_definitions[] = {
    {"read_access", "memory", "A 64-bit word read from the SRAM."},
    {"write_access", "memory", "A 64-bit word written into the SRAM, whole or in part."},
    {"port_conflict_cycle", "", "A clock period that an access waited for a free port of the SRAM."},
    {"bank_conflict_cycle", "",
     "A clock period that an access held a port and waited for a bank that another one was at."},
};

inline constexpr base::event_table sram_events = base::make_event_table(sram_event_definitions);
static_assert(sram_events.size == sram_event_count, "one definition per event");

/// How an SRAM is built, as far as its energy and its area depend on it.
struct sram_build {
    std::uint64_t bytes = 0;
    unsigned banks = 1;
    unsigned ports = 1;      ///< of the whole memory
    unsigned cell_ports = 1; ///< of a bit cell: accesses that a bank serves at a time
    unsigned port_bits = 64; ///< width of a port

    std::uint64_t bank_bytes() const { return bytes / banks == 0 ? 1 : bytes / banks; }
    /// Banks whose own ports are those of the memory need none.
    bool has_crossbar() const { return banks > 1 || ports > cell_ports; }
};

/// What joins the banks of a memory to its ports: every word drives wires that pass all banks and all ports, as far
/// apart as a bank is wide: bits x (banks + ports) x side of a bank x wire.on_chip. An estimate.
event_cost crossbar_energy(const technology& tech, const sram_build& build, unsigned bits);

/// Costs of `sram_events`: energy.sram.access_64bit at the size of a bank with its cells' ports, and crossbar_energy()
/// of 64 bits where there is a crossbar, for reads and writes alike; none for conflicts. As component "leakage"
/// leakage.memory.fraction of the power of one access per cycle, bank and port of a cell at 1 GHz. Throws input_error
/// for a missing key.
energy_model sram_energy(const technology& tech, const sram_build& build);

/// Area of an SRAM: its banks (technology::sram_edge_um squared), and a crossbar of ports x banks x width of a port
/// switches of 4 wire pitches by 4 each (wire.pitch). An estimate.
figure sram_area_um2(const technology& tech, const sram_build& build);
/// The same as component "memory".
floor_plan sram_plan(const technology& tech, const sram_build& build);

} // namespace tensorloom::costs
