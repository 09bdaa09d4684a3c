#include <algorithm>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/workloads/contraction/run.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include "contract/contract.h"
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/fetta/fetta_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

struct operands {
    std::vector<float> a, b;
};

// Only where somebody reads it.
activity::log_detail detail_of(const contract_options& o)
{
    return o.profile && !o.common.out ? activity::log_detail::per_command : o.detail();
}

// What a plan takes is known; the loops of a user's own program may go on for ever.
run_limits limits_of(const contract_options& o)
{
    if (!o.program) { return {}; }
    constexpr std::uint64_t most_records = 1'000'000;
    return {o.max_cycles, std::min(most_records, available_memory_bytes() / 2 / log_bytes(1))};
}

// A CONTRACT has up to six, other commands have fewer. How often a user's own commands run is not known.
std::uint64_t most_records(const contract_job& job)
{
    std::uint64_t commands = 0;
    for (const auto& p : job.programs) { commands += p.descriptions.size(); }
    return 6 * commands;
}

// What a run holds at once: the tensors, the memory and the log from begin to end; and, one after the other, an operand
// as read and in double precision, a tensor as it lies in memory and as packed, the reference, the result as it is
// written.
std::uint64_t needed_bytes(const contract_options& o, const contract_job& job)
{
    const auto& p = o.problem;
    const std::uint64_t a = p.extent(p.a), b = p.extent(p.b), c = p.extent(p.c);
    const std::uint64_t log = detail_of(o) == activity::log_detail::totals ? 0 : log_bytes(most_records(job));
    const std::uint64_t reading = std::max(a, b) * sizeof(double) * (o.inputs.empty() ? 1 : 2);
    const std::uint64_t moving = std::max({a, b, c}) * sizeof(float) * 2;
    const std::uint64_t checking = o.common.check ? c * 2 * sizeof(double) : 0;
    const std::uint64_t writing = o.output ? c * sizeof(float) : 0;
    return (a + b + c) * sizeof(float) + std::max({reading, moving, checking, writing}) + job.data_bytes() + log;
}

std::vector<float> operand(const contract_options& o, std::size_t which)
{
    const auto& modes = which == 0 ? o.problem.a : o.problem.b;
    // Operands differ, and so do those of neighbouring seeds.
    if (o.inputs.empty()) {
        const auto values = workloads::random_values<double>(o.problem.extent(modes), 2 * o.common.seed + which);
        return workloads::rounded_operand(values, o.device.config.limits.operand);
    }
    return operand_of_file(o, o.inputs[which]);
}

// What the device finds wrong with a CONTRACT of a program, in words: its register has room for a code alone. Empty
// where that is all there is to say, as with an iteration of a loop behind the first.
std::string reason_of(const std::vector<std::uint8_t>& program, std::uint32_t command, const fetta::device_limits& g)
{
    using fetta::contract_command;
    for (const auto& c : isa::program_commands(program)) {
        if (c.index != command) { continue; }
        const bool contract = c.header.opcode == static_cast<std::uint8_t>(fetta::opcode::contract) && c.is_whole() &&
                              c.payload_bytes() == contract_command::payload_bytes;
        if (!contract) { return {}; }
        const auto refused = fetta::check(contract_command::decode(c.header.flags, c.payload), g);
        return refused ? ": " + refused->text : std::string();
    }
    return {};
}

std::vector<float> run_on(workloads::fetta_session& session, const contract_options& o, const contract_job& job,
                          const operands& x)
{
    if (job.plan) { return run_planned(session, job, x.a, x.b); }
    try {
        return workloads::run_own_program(session, o.problem, o.store_bf16(), job.programs.front().bytes, x.a, x.b).c;
    } catch (const workloads::program_error& e) {
        throw base::input_error("--program: " + *o.program + ": " + e.what() +
                                reason_of(job.programs.front().bytes, e.command(), o.device.config.limits));
    } catch (const isa::device_failure&) {
        throw base::input_error("--program: " + *o.program + ": not done after " + grouped_text(o.max_cycles) +
                                " cycles, expected it to end (or a larger --max-cycles)");
    }
}

// What a plan of several programs, which are no file, could do with.
void require_one_program(const contract_job& job)
{
    if (job.programs.size() == 1) { return; }
    const auto reorders = [](const auto& p) { return p.phase != workloads::program_phase::contract; };
    const bool ordered = std::any_of(job.programs.begin(), job.programs.end(), reorders);
    throw base::input_error("--save-program: the plan has " + std::to_string(job.programs.size()) + " programs, " +
                            (ordered ? "including those that permute tensors for --layout offchip, expected one "
                                       "(another --layout)"
                                     : "because one would be too long for the device, expected one (smaller sizes, "
                                       "or larger --bank-bytes)"));
}

void save_program(const contract_options& o, const contract_job& job)
{
    const auto& bytes = job.programs.front().bytes;
    base::write_whole_file(*o.save_program, {bytes.begin(), bytes.end()});
}

/// Loads or makes the operands, plans, runs in a simulation, checks and writes the result. An error that the device
/// reports of a user's own program is an base::input_error, of any other one an isa::device_failure.
class contract_run : public fetta_run<contract_options, contract_findings> {
public:
    using fetta_run::fetta_run;

    void simulate(const costs::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        shown.show("planning");
        m_found.job = make_job(m_options, technology, [&](std::size_t plan, std::size_t plans) {
            shown.show("simulating plan " + std::to_string(plan) + " of " + std::to_string(plans));
        });
        if (m_options.save_program) { require_one_program(m_found.job); }
        require_memory(needed_bytes(m_options, m_found.job), "smaller tensors");
        shown.show("generating the operands");
        const operands x{operand(m_options, 0), operand(m_options, 1)};

        std::vector<float> c;
        m_found.testbed = make_fetta_testbed(
            "platform", m_options.device, m_options.common, sram_bytes_for(m_found.job.data_bytes()),
            detail_of(m_options),
            [&](workloads::fetta_session& session) { c = run_on(session, m_options, m_found.job, x); }, &shown,
            limits_of(m_options));
        run_testbed(technology);
        if (m_options.common.check) { shown.show("checking the result"); }
        take_result(m_options, {x.a, x.b, c}, m_found);
        take_details(m_options, technology, *m_found.testbed, m_found);
        if (m_options.save_program) { save_program(m_options, m_found.job); }
    }

    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.device, m_options.common, m_found, m_options.einsum);
    }
    std::string failure() const override { return failure_text(m_options, m_found); }
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("contract", argc, argv, read_contract_options,
                          [](const contract_options& o) -> std::unique_ptr<testbench_run> {
                              if (o.serve) { return make_contract_server(o); }
                              return std::make_unique<contract_run>(o);
                          });
}
