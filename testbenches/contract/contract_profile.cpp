#include "contract/contract.h"
#include <iomanip>
#include <sstream>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/isa/export/assembler.h>

namespace tensorloom::testbench {
namespace {

/// What one command of a program took, over all its turns in a loop.
struct profiled_command {
    std::string text;              ///< as the assembler takes it
    std::string description;       ///< of a planned one
    std::uint64_t cycles = 0;      ///< by which it made the program longer
    std::uint64_t busy_cycles = 0; ///< that its unit worked, beside others or not
    double pj = 0;
};

/// A program's commands, and what its fetching and its ends took.
struct profiled_program {
    std::vector<profiled_command> commands;
    std::uint64_t other_cycles = 0;
    double other_pj = 0;
};

std::vector<profiled_command> commands_of(const workloads::contraction_program& program)
{
    std::istringstream text(isa::disassemble(program.bytes, "program", fetta::description));
    std::vector<profiled_command> commands;
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line.front() == ';' || line.front() == '.') { continue; } // the head
        profiled_command command;
        command.text = line;
        if (commands.size() < program.descriptions.size()) {
            command.description = program.descriptions[commands.size()];
        }
        commands.push_back(std::move(command));
    }
    return commands;
}

// Fetching is the program's, not its first command's.
bool is_of_command(const activity::phase_record& record, const std::vector<profiled_command>& commands)
{
    return record.cause != "fetch" && record.cause != "other" && record.command < commands.size();
}

std::vector<profiled_program> profile_of(const contract_findings& f)
{
    std::vector<profiled_program> programs;
    const auto& runs = f.testbed->runs().all();
    for (std::size_t p = 0; p < runs.size(); ++p) {
        auto& program = programs.emplace_back();
        program.commands = commands_of(f.job.programs[p]);
        const auto& log = *runs[p].log;
        const activity::energy_report energy(log, f.testbed->clock_period_ns(), f.energy_models);
        for (std::size_t r = 0; r < log.records().size(); ++r) {
            const auto& record = log.records()[r];
            const double pj = energy.record_total_pj(r);
            if (is_of_command(record, program.commands)) {
                program.commands[record.command].cycles += record.cycles;
                program.commands[record.command].busy_cycles += record.busy_cycles;
                program.commands[record.command].pj += pj;
            } else {
                program.other_cycles += record.cycles;
                program.other_pj += pj;
            }
        }
    }
    return programs;
}

} // namespace

void print_profile(std::ostream& out, const contract_findings& findings)
{
    const auto programs = profile_of(findings);
    std::ostringstream text;
    text << std::right << std::fixed << std::setprecision(3);
    const auto line = [&text](const std::string& index, std::uint64_t cycles, const std::string& busy, double pj,
                              const std::string& command) {
        text << std::setw(9) << index << std::setw(14) << cycles << std::setw(14) << busy << std::setw(18) << pj << "  "
             << command << "\n";
    };
    std::uint64_t cycles = 0;
    double pj = 0;
    text << "profile: program.command, cycles added to the run, busy cycles of its unit, pJ, "
            "command\n";
    for (std::size_t p = 0; p < programs.size(); ++p) {
        const auto& program = programs[p];
        for (std::size_t i = 0; i < program.commands.size(); ++i) {
            const auto& c = program.commands[i];
            line(std::to_string(p) + "." + std::to_string(i), c.cycles, std::to_string(c.busy_cycles), c.pj,
                 c.text + (c.description.empty() ? "" : "    ; " + c.description));
            cycles += c.cycles;
            pj += c.pj;
        }
        line(std::to_string(p), program.other_cycles, "-", program.other_pj, "fetch and end of the program");
        cycles += program.other_cycles;
        pj += program.other_pj;
    }
    line("total", cycles, "-", pj, "");
    out << text.str();
}

} // namespace tensorloom::testbench
