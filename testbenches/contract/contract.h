#pragma once
#include <cstdint>
#include <functional>
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
#include <tensorloom/workloads/fetta/session.h>
#include "platform/fetta/fetta_options.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"
#include "platform/fetta/fetta_run.h"
#include "platform/fetta/simulated_search.h"

namespace tensorloom::testbench {

/// Options of a run of contract.
struct contract_options : run_options {
    std::string einsum; ///< as given
    workloads::contraction problem;
    workloads::contraction_settings settings; ///< without costs, which come from the technology
    fetta_options device;

    bool allow_nonfinite = false;            ///< of the files
    std::vector<std::string> inputs;         ///< .npy files of A and B; none: random ones
    std::optional<std::string> program;      ///< file of a custom program
    std::optional<std::string> save_program; ///< file for the planned program
    std::uint64_t max_cycles = 0;            ///< limit of a custom program
    bool profile = false;
    bool serve = false; ///< requests from standard input in place of one contraction (contract_server.cpp)

    bool store_bf16() const { return settings.request.store_bf16; }
};

std::string sizes_text(const workloads::contraction& problem); ///< "b=8,i=64": of all letters, by first appearance

/// The shape of an operand, real and not empty, of a .npy file. Throws base::input_error.
std::vector<std::size_t> shape_of_file(const std::string& path);

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<contract_options> read_contract_options(int argc, char** argv, std::ostream& out);

/// A contraction's planned programs, or a custom program.
struct contract_job {
    std::optional<workloads::contraction_plan> plan; ///< none: a custom program
    std::size_t simulated_plans = 0;                 ///< compared by simulation to find it
    workloads::contraction_addresses addresses;      ///< addresses of the tensors
    std::vector<workloads::contraction_program>
        programs; ///< in the order of execution; a custom program has no descriptions

    std::uint64_t data_bytes() const; ///< of all tensors in memory
};

/// Plans the contraction, or loads a custom program: binary if the file begins with the bytes TLPM, else assembler text
/// (isa/export/assembler.h). The device checks the program's commands. Throws base::input_error.
/// `show(plan, plans)` is called before each simulation of the search, `cost` simulates (simulated_search.h).
contract_job make_job(const contract_options& options, const costs::technology& technology,
                      const std::function<void(std::size_t, std::size_t)>& show, const program_cost& cost = {});

/// Power of one block.
struct block_power {
    std::string component;
    double mw = 0;       ///< as long as the tensor contraction unit works
    double table_mw = 0; ///< with the activity that Table III of the paper is read with
    bool estimate = false;

    double share() const { return table_mw > 0 ? mw / table_mw : 0; }
};

/// Power of each block while CONTRACTs run, without transfers and vector instructions, and in a cycle of Table III: one
/// multiply-add per PE, an element at every port lane of one (or both) distribution networks, of the reduction network,
/// of the accumulation unit and of the vector unit, and a row (or two) of every bank. Blocks in the order of the
/// events.
std::vector<block_power> steady_power(const costs::technology& technology, const fetta::energy_settings& settings,
                                      const fetta::counts& counts, std::uint64_t tcu_cycles);

/// Costs of permuting tensors through memory.
struct reordering_costs {
    std::uint64_t cycles = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
};

/// Results of a run.
struct contract_findings : fetta_findings {
    contract_job job;
    std::optional<workloads::contraction_check> check;
    reordering_costs reordering;  ///< of programs that permute tensors through memory
    std::uint64_t tcu_cycles = 0; ///< cycles in which the tensor contraction unit worked, including conflicts
    std::vector<block_power> steady_power;

    /// The unit's cycles equal the plan's closed form; also true without a plan.
    bool as_closed_form() const;
    /// Values within their bound, cycles equal to the closed form; also true if nothing was checked.
    bool passed() const { return !check || (check->passed && as_closed_form()); }
};

/// An operand rounded for the device. Throws base::input_error, which begins with `where`, for what is not finite, if
/// that is not allowed, and for what rounding makes infinite.
std::vector<float> operand_of(const contract_options& options, const std::vector<double>& values,
                              const std::vector<std::size_t>& shape, const std::string& where);
std::vector<float> operand_of_file(const contract_options& options, const std::string& path);

/// The result of a planned job. Throws workloads::program_error when the device reports an error.
std::vector<float> run_planned(workloads::fetta_session& session, const contract_job& job, const std::vector<float>& a,
                               const std::vector<float>& b);

/// Operands and result of a contraction.
struct contract_values {
    const std::vector<float>&a, &b, &c;
};

/// After a run, of which `found` has the job and the costs: checks, and writes the result to its file, as the options
/// say.
void take_result(const contract_options& options, const contract_values& values, contract_findings& found);
/// All other fields, for the report.
void take_details(const contract_options& options, const costs::technology& technology, const fetta_testbed& testbed,
                  contract_findings& found);

/// One device for many contractions, which are requests on standard input (contract_server.cpp).
std::unique_ptr<testbench_run> make_contract_server(const contract_options& options);

/// Table and summary, with the profile at the end of the table if requested.
void write_report(run_report& report, const contract_options& options, const contract_findings& findings);

/// Error message for results that have not passed.
std::string failure_text(const contract_options& options, const contract_findings& findings);

/// Costs of every command of the run's programs, over all loop iterations, and of fetching and ends of programs: cycles
/// and energy add up to those of the run. Requires a log that separates commands.
void print_profile(std::ostream& out, const contract_findings& findings);

} // namespace tensorloom::testbench
