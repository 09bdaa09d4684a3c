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

/// Throws base::input_error when the technology does not have an energy of this device or a cost of its memory.
void require_energies(const fetta_options& device, const common_options& common, const costs::technology& technology);

/// Common results of a testbench with one FETTA.
struct fetta_findings {
    fetta_costs costs; ///< of all programs
    std::vector<activity::module_energy> energy_models;
    die on;
    process_usage usage;
    std::unique_ptr<fetta_testbed> testbed; ///< with its log

    /// Simulates `testbed`; then all other fields are known.
    void run(const fetta_options& device, const common_options& common, const costs::technology& technology);
    /// All other fields, without `usage`, from the programs that `of` has run.
    void take_costs(const fetta_testbed& of, const fetta_options& device, const common_options& common,
                    const costs::technology& technology);
};

/// latency.csv, energy.csv, trace.json and banks.csv of these programs, which all belong to this job.
void write_program_files(const output_directory& directory, const fetta_options& device, const common_options& common,
                         const fetta_findings& findings, const std::string& job);

/// Only trace.json, with the records of a log of one of the programs; null: without records.
void write_trace_file(const output_directory& directory, const fetta_options& device, const common_options& common,
                      const fetta_findings& findings, const activity::program_log* log);

/// Adds the option name to an error about a missing entry of a technology file.
std::string with_technology_option(const std::string& error);

/// Bytes of memory on the bus available for data. An SRAM is made as large as needed.
std::uint64_t data_room(const common_options& common);

/// A testbench with one FETTA. Options: run_options with a member `device` (fetta_options); Findings: fetta_findings
/// with passed().
template <class Options, class Findings> class fetta_run : public testbench_run {
public:
    explicit fetta_run(const Options& options) : m_options(options) {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {fetta::device_area(technology, energy_settings_of(m_options.device, m_options.common))};
    }

    void prepare(const costs::technology& technology) override
    {
        require_energies(m_options.device, m_options.common, technology);
    }
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
