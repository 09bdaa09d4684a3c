#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::costs {

/// The events of an SRAM. An access has 64 bits; a transfer of n bytes counts every 64-bit word that it touches.
enum class sram_event : std::size_t { read_access, write_access, port_conflict_cycle, bank_conflict_cycle, count_ };

inline constexpr std::size_t sram_event_count = static_cast<std::size_t>(sram_event::count_);

inline constexpr base::event_definition sram_event_definitions[] = {
    {"read_access", "memory", "A 64-bit word read from the SRAM."},
    {"write_access", "memory", "A 64-bit word written into the SRAM, whole or in part."},
    {"port_conflict_cycle", "", "A clock period in which an access waited for a free port of the SRAM."},
    {"bank_conflict_cycle", "",
     "A clock period in which an access held a port and waited for a bank used by another access."},
};

inline constexpr base::event_table sram_events = base::make_event_table(sram_event_definitions);
static_assert(base::is_table_of<sram_event>(sram_event_definitions), "one definition per event, in the same order");

/// The structure of an SRAM, as far as it affects energy and area.
struct sram_build {
    std::uint64_t bytes = 0;
    unsigned banks = 1;
    unsigned ports = 1;      ///< of the whole memory
    unsigned cell_ports = 1; ///< of a bit cell: parallel accesses to one bank
    unsigned port_bits = 64; ///< width of a port
    unsigned crossbars = 1;  ///< between banks and ports, for words that a bank moves at once

    std::uint64_t bank_bytes() const { return bytes / banks == 0 ? 1 : bytes / banks; }
    /// No crossbar is needed when the banks' own ports are those of the memory.
    bool has_crossbar() const { return banks > 1 || ports > cell_ports; }
};

/// Mean length of the wires between a port at the edge of a memory and a bank, where there is a crossbar: half of the
/// width and half of the height of the memory with its crossbars, a square of sram_area_um2(), and in the crossbar, of
/// whose switches each bit has a field of its own, a row and a column: (banks + ports) x 4 wire pitches, at most
/// another side of the square. At most half_perimeter_um() of the memory, its longest line. An estimate.
figure crossbar_wire_um(const technology& tech, const sram_build& build);
figure longest_crossbar_wire_um(const technology& tech, const sram_build& build); ///< 0 without a crossbar

/// Energy of a word in the crossbar: bits x crossbar_wire_um() x wire.on_chip. An estimate.
event_cost crossbar_energy(const technology& tech, const sram_build& build, unsigned bits);

/// Costs of `sram_events`: energy.sram.access_64bit at the size of a bank with its cells' ports, plus crossbar_energy()
/// of 64 bits where there is a crossbar, for reads and writes alike; conflicts cost nothing. Component "leakage":
/// leakage.die.sram x sram_area_um2(). Throws input_error for a missing key.
energy_model sram_energy(const technology& tech, const sram_build& build);

/// Area of an SRAM: its banks (technology::sram_edge_um squared), and crossbars of ports x banks x port width switches
/// of 4 x 4 wire pitches (wire.pitch). An estimate.
figure sram_area_um2(const technology& tech, const sram_build& build);
/// Likewise as component "memory", whose longest line has a cycle to settle.
floor_plan sram_plan(const technology& tech, const sram_build& build);

} // namespace tensorloom::costs
