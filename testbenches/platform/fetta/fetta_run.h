#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/costs/technology.h>
#include "platform/fetta/fetta_options.h"
#include "platform/process/process_resources.h"
#include "platform/report/testbench_run.h"
#include "platform/fetta/fetta_testbed.h"

namespace tensorloom::testbench {

/// What every run of a testbench with one FETTA finds.
struct fetta_findings {
    fetta_costs costs; ///< of all programs
    std::vector<activity::module_energy> energy_models;
    die on;
    process_usage usage;
    std::unique_ptr<fetta_testbed> testbed; ///< with its log

    /// Simulates what `testbed` is to do; then all else is known.
    void run(const fetta_options& device, const common_options& common, const costs::technology& technology);
};

/// latency.csv, energy.csv, trace.json and banks.csv of these programs, which all do this job.
void write_program_files(const output_directory& directory, const fetta_options& device, const common_options& common,
                         const fetta_findings& findings, const std::string& job);

/// trace.json alone, of what a log has of one of the programs; null: of nothing.
void write_trace_file(const output_directory& directory, const fetta_options& device, const common_options& common,
                      const fetta_findings& findings, const activity::program_log* log);

/// What a technology file lacks shows where it is needed: a complaint about one, with the option that names it.
std::string with_technology_option(const std::string& error);

/// Bytes of memory on the bus that data may take. An SRAM is made as large as they are.
std::uint64_t data_room(const common_options& common);

/// A testbench with one FETTA. Options: run_options with a member `device` (fetta_options); Findings: fetta_findings
/// with passed().
template <class Options, class Findings> class fetta_run : public testbench_run {
public:
    explicit fetta_run(const Options& options) : m_options(options) {}

    bool passed() const override { return m_found.passed(); }
    std::string explained(const std::string& error) const override { return with_technology_option(error); }

protected:
    void run_testbed(const costs::technology& technology)
    {
        m_found.run(m_options.device, m_options.common, technology);
    }

    const Options& m_options;
    Findings m_found;
};

} // namespace tensorloom::testbench
