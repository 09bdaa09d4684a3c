#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/workloads/gemt_check.h>
#include "orbital/class_run.h"
#include "orbital/fft_baselines.h"
#include "orbital/measured_run.h"
#include "platform/torus/orbit_job.h"
#include "platform/torus/torus_options.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// Options of a run of orbital.
struct orbital_options : orbit_job, run_options {
    torus_options device;
    std::optional<double> keep;
    std::vector<torus::shape3> watch; ///< nodes

    bool compares = false;            ///< also runs on a TriADA
    std::vector<std::uint32_t> sweep; ///< cubes of these sizes instead of one problem; empty: none
    bool baselines = false;           ///< counts fast Fourier transforms on the same nodes
    wire_settings wires;
    std::optional<class_request> product; ///< of matrices, I x J x K the shape, instead of a transform

    bool is_one_run() const { return sweep.empty() && !compares; }
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<orbital_options> read_orbital_options(int argc, char** argv, std::ostream& out);

/// The problem, or those of a sweep.
std::vector<orbit_job> problems_of(const orbital_options& options);

/// Results of a run.
struct orbital_findings {
    std::vector<measured_run> runs;    ///< by size, the torus before the TriADA
    process_usage usage;               ///< of the simulation only
    std::optional<std::uint64_t> kept; ///< elements that --keep left, over the batch
    /// For a comparison, by size: the largest modulus of the difference between the results of torus and TriADA.
    std::vector<double> differences;
    std::vector<fft_baseline> baselines; ///< empty: not asked for
};

/// Table and summary.
void write_report(run_report& report, const orbital_options& options, const orbital_findings& findings);

// ---- comparisons and sweeps (comparison_report.cpp) ----

/// All measurements of a device.
json run_json(const orbital_options& options, const measured_run& run);
/// Tables: for one problem both devices side by side, for a sweep a line per size and device.
void print_runs(run_report& report, const orbital_options& options, const orbital_findings& findings);
/// comparison.csv: a row per size and device.
std::string comparison_csv(const orbital_options& options, const orbital_findings& findings);

} // namespace tensorloom::testbench
