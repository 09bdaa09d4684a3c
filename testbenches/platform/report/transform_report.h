#pragma once
#include <optional>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/report/run_report.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

// Common parts of reports of transforms on any device.

/// Additions and multiplications of fast Fourier transforms of this size, and of the device's multiply-adds.
struct operation_counts {
    double fft = 0;
    double device = 0;
};
operation_counts operations_of(const transform_job& job, std::uint64_t macs);

/// Field "operations".
void write_operations(run_report& report, const operation_counts& operations);
/// The line that compares both, with the device's time and energy.
void print_operations(run_report& report, const operation_counts& operations, double ns, double pj);

/// The line about single precision that follows from the data and not from an option.
void print_format_of_data(run_report& report, const run_options& options, base::element_type format);

/// Lines and field of a check; none: not done.
void write_check(run_report& report, base::element_type format, const std::optional<workloads::check_result>& check);

/// Line and field of the elements kept by --keep, over the batch.
void write_kept(run_report& report, const std::optional<std::uint64_t>& kept);

} // namespace tensorloom::testbench
