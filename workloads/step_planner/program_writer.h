#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/step_operations.h>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {

/// Purpose of a command of the program.
struct step_command {
    step_phase phase = step_phase::fp;
    std::string what; ///< "contract X.G4", "load X"
};

/// A list of operations as a program.
struct written_program {
    std::vector<std::uint8_t> bytes;
    std::vector<step_command> commands; ///< by index in the program
    std::uint64_t occupied = 0;         ///< bytes of the unified memory, from its first one
    path_counts paths;                  ///< of the operands of a step
};

/// Address of an array in memory on the bus.
using address_of_array = std::function<std::uint64_t(const bus_place&)>;

/// Writes a command for each operation, with its tensors at their places. `graphs`: those of its contractions.
written_program write_program(const operation_list& list, const std::vector<planned_graph>& graphs,
                              const step_places& places, const fetta::device_limits& g,
                              const address_of_array& address_of);

std::uint64_t program_bytes_of(const operation_list& list); ///< of its program

} // namespace tensorloom::workloads
