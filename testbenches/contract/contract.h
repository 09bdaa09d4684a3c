#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/program.h>
#include <tensorloom/workloads/contraction/reference.h>
#include "platform/fetta/fetta_options.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"
#include "platform/fetta/fetta_run.h"

namespace tensorloom::testbench {

/// What a run of contract is asked to do.
struct contract_options : run_options {
    std::string einsum; ///< as given
    workloads::contraction problem;
    workloads::contraction_settings settings; ///< without costs, which a technology gives
    fetta_options device;

    std::vector<std::string> inputs;         ///< .npy files of A and B; none: random ones
    std::optional<std::string> program;      ///< a user's own
    std::optional<std::string> save_program; ///< where to write the plan's
    std::uint64_t max_cycles = 0;            ///< that a user's own program may take
    bool profile = false;

    bool store_bf16() const { return settings.request.store_bf16; }
};

std::string sizes_text(const workloads::contraction& problem); ///< "b=8,i=64": of all letters, by first appearance

/// Reads the command line; nothing when it asked for help or version. Throws base::input_error.
std::optional<contract_options> read_contract_options(int argc, char** argv, std::ostream& out);

/// A contraction's planned programs, or a user's own one.
struct contract_job {
    std::optional<workloads::contraction_plan> plan; ///< of what is planned
    workloads::contraction_addresses addresses;      ///< where the tensors lie
    std::vector<workloads::contraction_program>
        programs; ///< in the order that they run; without descriptions when it is a user's

    std::uint64_t data_bytes() const; ///< that the tensors take in memory
};

/// Plans the contraction, or loads the user's program: binary when the file begins with the bytes TLPM, else the text
/// of the assembler (isa/export/assembler.h). What the program says is for the device to check. Throws
/// base::input_error.
contract_job make_job(const contract_options& options, const costs::technology& technology);

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
std::vector<block_power> steady_power(const costs::technology& technology, const fetta::energy_settings& settings,
                                      const fetta::counts& counts, std::uint64_t tcu_cycles);

/// What permuting tensors through memory took.
struct reordering_costs {
    std::uint64_t cycles = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
};

/// What one run gave.
struct contract_findings : fetta_findings {
    contract_job job;
    std::optional<workloads::contraction_check> check;
    reordering_costs reordering;  ///< of those that permute tensors through memory
    std::uint64_t tcu_cycles = 0; ///< that the tensor contraction unit worked, conflicts included
    std::vector<block_power> steady_power;

    /// The unit worked as long as the plan's closed form says; true also where there is no plan.
    bool as_closed_form() const;
    /// Values within their bound, cycles as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && as_closed_form()); }
};

/// Table and summary; at the end of the table the profile, when it is asked for.
void write_report(run_report& report, const contract_options& options, const contract_findings& findings);

/// One line that says what is wrong with findings that have not passed.
std::string failure_text(const contract_options& options, const contract_findings& findings);

/// What every command of the run's programs took, over all its turns in a loop, and what their fetching and ends took:
/// cycles and energy sum to those of the run. The log must keep commands apart.
void print_profile(std::ostream& out, const contract_findings& findings);

} // namespace tensorloom::testbench
