#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/costs/energy.h>
#include "platform/run/device_runs.h"

namespace tensorloom::testbench {

/// Cycles by cause, in order of first appearance.
using cause_list = std::vector<std::pair<std::string, std::uint64_t>>;

/// Costs of programs of any device: cycles and energy.
struct program_costs {
    std::uint64_t programs = 0;
    std::uint64_t cycles = 0;                    ///< START to DONE of every program
    cause_list cycles_by_cause;                  ///< their sum is `cycles`
    base::freed_cycles freed;                    ///< `cycles` with each resource free in turn
    std::uint64_t bus_read_bytes = 0;            ///< by the DMA, including programs
    std::uint64_t bus_written_bytes = 0;         ///< by the DMA
    std::uint64_t bus_stalled_cycles = 0;        ///< of the DMA's ports, in which they waited for answers
    std::vector<costs::component_energy> energy; ///< by component, including the memory

    std::uint64_t bus_bytes() const { return bus_read_bytes + bus_written_bytes; }
    std::uint64_t cycles_of(const std::string& cause) const; ///< 0 when there is none of that name
    double pj() const { return costs::total_pj(energy); }
    double pj_of(const std::string& component) const; ///< 0 when there is none of that name
};

void add_cause(cause_list& causes, std::string_view cause, std::uint64_t cycles);
void add_causes(cause_list& causes, const activity::program_log& log); ///< adds those of a program

/// Adds the DMA's bytes and stalls of a program.
void add_traffic(program_costs& costs, const activity::program_log& log);

/// Adds a program: its log and its energy.
void add_program(program_costs& costs, const activity::program_log& log, const activity::energy_report& energy);

/// Adds costs on the same device.
void add_costs(program_costs& costs, const program_costs& others);

/// Number of the command to which a record belongs, in a program of so many commands: fetching belongs to the first,
/// the end of the program to the last one.
std::size_t command_number(const activity::phase_record& record, std::size_t commands);

/// Adds one record of a program.
void add_record(program_costs& costs, const activity::program_log& log, std::size_t record,
                const activity::energy_report& energy);

/// Costs of the programs `first` to `end` - 1 of a device. `models`: of the device and of the memory.
program_costs program_costs_of(const device_runs& runs, std::size_t first, std::size_t end, double clock_period_ns,
                               const std::vector<activity::module_energy>& models);

/// Adds the device's counts of these programs to `counts`, by its event table.
void add_device_counts(const device_runs& runs, std::size_t first, std::size_t end, std::uint64_t* counts);

} // namespace tensorloom::testbench
