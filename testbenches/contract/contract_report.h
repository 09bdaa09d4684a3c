#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/models/arch/fetta/costs.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/workloads/contraction/reference.h>
#include "contract/contract_job.h"
#include "contract/contract_options.h"
#include "platform/system/fetta_harness.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// Power of one block.
struct block_power {
    std::string component;
    double mw = 0;       ///< as long as the tensor contraction unit works
    double table_mw = 0; ///< with the activity that Table III of the paper is read with
    bool estimate = false;

    double share() const { return table_mw > 0 ? mw / table_mw : 0; }
};

/// What each block takes while CONTRACTs run, transfers and vector instructions left out, beside what it takes in a
/// cycle of Table III: as many multiply-adds as there are PEs, an element at every port lane of one (or both)
/// distribution networks, of the reduction network, of the accumulation unit and of the vector unit, and a row (or two)
/// of every bank. Blocks in the order of the events.
std::vector<block_power> steady_power(const arch::technology& technology, const arch::fetta::energy_settings& settings,
                                      const arch::fetta::counts& counts, std::uint64_t tcu_cycles);

/// What permuting tensors through memory took.
struct reordering_costs {
    std::uint64_t cycles = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
};

/// What one run gave.
struct contract_findings {
    contract_job job;
    std::optional<workloads::contraction_check> check;
    fetta_costs costs;            ///< of all programs
    reordering_costs reordering;  ///< of those that permute tensors through memory
    std::uint64_t tcu_cycles = 0; ///< that the tensor contraction unit worked, conflicts included
    std::vector<arch::fetta::component_area> areas;
    std::vector<block_power> steady_power;
    std::vector<activity::module_energy> energy_models;
    process_usage usage;
    std::unique_ptr<fetta_harness> harness; ///< with its log

    /// The unit worked as long as the plan's closed form says; true also where there is no plan.
    bool as_closed_form() const;
    /// Values within their bound, cycles as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && as_closed_form()); }
    double utilisation(std::uint64_t cycles, const arch::fetta::geometry& g) const; ///< of the PEs in so many cycles
};

/// Table and summary; at the end of the table the profile, when it is asked for.
void tell(run_report& report, const contract_options& options, const contract_findings& findings);

/// One line that says what is wrong with findings that have not passed.
std::string failure_text(const contract_options& options, const contract_findings& findings);

/// What every command of the run's programs took, over all its turns in a loop, and what their fetching and ends took:
/// cycles and energy sum to those of the run. The log must keep commands apart.
void print_profile(std::ostream& out, const contract_findings& findings);

} // namespace tensorloom::testbench
