#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/step_planner/step_operations.h>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {

/// The device and its memory, for estimates of the planner.
struct step_device {
    fetta::device_limits limits;
    operand_paths paths = operand_paths::gathered;
    unsigned lanes = 64; ///< of the vector unit
    memory_estimate memory;
    bool bank_broadcast = true; ///< lanes that read the same word share the access
    bool overlap = true;        ///< engines, vector unit and transfers work at the same time
};

/// Estimated cycles of a single operation: a CONTRACT as given; vector instructions as the device counts them
/// (isa/vector/vector_schedule.h), with the stalls of REPL and SCATTER_ADD for banks (bank_stalls.h); transfers by the
/// memory's latency and bandwidth, a GATHER by its banks and rows. Loops take none. The stalls of a SCATTER_ADD are
/// exact if its list of rows is known; for lists that are data (tokens) they are those of rows drawn at random, all
/// rows of the table equally likely.
double cycles_of(const operation_list& list, const step_operation& operation, const step_device& device);

/// Estimated cycles of a GATHER of so many slices of `bytes` each at random places of a table, whose slices are `pitch`
/// bytes apart: where the table is larger than a DRAM's open rows, most slices open one.
double gather_cycles(std::uint64_t slices, std::uint64_t bytes, std::uint64_t pitch, std::uint64_t table_slices,
                     const memory_estimate& memory);

/// Estimated cycles of a program, and busy cycles of each unit in a step.
struct step_estimate {
    double cycles = 0;                             ///< of the program
    double step_cycles = 0;                        ///< of a step that follows another one
    double engines = 0, vector = 0, transfers = 0; ///< of a step
};

/// Follows the commands as the device issues them, after it has fetched the program: in order, one command of the
/// engines, one vector instruction and one transfer at a time, each after earlier commands that use the same bytes.
/// Simulates the first iterations of a loop; the others take as long as the last of these.
step_estimate estimate_of(const operation_list& list, const step_places& places, const step_device& device);

} // namespace tensorloom::workloads
