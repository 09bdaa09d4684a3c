#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/tlm/activity_sink.h>
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

// Figures from the counts of a TriADA device, by triada::events.

std::uint64_t count_of(const std::uint64_t* counts, triada::event event);

/// The active cells of a time-step; 0 for other records.
std::uint64_t active_cells(const bus::log_record& record);

/// Upper limit of the log records of a command of this plan; `initial`: with a tensor Y0. 2^64 - 1 if there are more.
std::uint64_t records_of(const triada::gemt_plan& plan, bool initial);

/// Elements per cycle through the memory port: without an aligner at most those of a row of the mesh.
unsigned memory_port_elements(const triada::config& config, const std::array<std::uint32_t, 3>& mesh);

/// Totals of the time-steps of a device.
struct step_work {
    std::uint64_t steps = 0;
    std::uint64_t steps_skipped = 0;
    std::uint64_t macs = 0;
    std::uint64_t macs_skipped = 0;
    double active_utilisation = 0; ///< of the active cells of every step
    double mesh_utilisation = 0;   ///< of all cells
};

/// `active_cell_steps`: active_cells() of all records, added up.
step_work work_of(const std::vector<std::uint64_t>& counts, std::uint64_t active_cell_steps,
                  const std::array<std::uint32_t, 3>& mesh);
json work_json(const step_work& work); ///< fields of a summary, with the names above
/// The lines of MACs, and of how many cells the time-steps used.
void print_work(run_report& report, const step_work& work);
/// Use of a mesh relative to one MAC per cell and cycle; a time-step takes several cycles.
array_use use_of(const step_work& work, const program_costs& costs, const std::array<std::uint32_t, 3>& mesh);

/// Field "transfers", and two lines about the memory port of the cells; with `overlap` a third.
void write_transfers(run_report& report, const std::vector<std::uint64_t>& counts, bool overlap);

/// MACs done by the active cells of a record's counts.
utilisation_measure triada_utilisation();

} // namespace tensorloom::testbench
