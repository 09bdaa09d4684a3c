#pragma once
#include <optional>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/report/run_report.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

// What reports of transforms have in common, whatever the device.

/// Additions and multiplications: of fast Fourier transforms of this size, and of the device's multiply-adds.
struct operation_counts {
    double fft = 0;
    double device = 0;
};
operation_counts operations_of(const transform_job& job, std::uint64_t macs);

/// Field "operations".
void write_operations(run_report& report, const operation_counts& operations);
/// The line that compares both, with what the device took for its own.
void print_operations(run_report& report, const operation_counts& operations, double ns, double pj);

/// The line that says that the data has decided the format: single precision that nobody has asked for.
void print_format_of_data(run_report& report, const run_options& options, base::element_type format);

/// Lines and field of a check; none: it was not done.
void write_check(run_report& report, base::element_type format, const std::optional<workloads::check_result>& check);

/// Line and field of what --keep left, over the batch.
void write_kept(run_report& report, const std::optional<std::uint64_t>& kept);

} // namespace tensorloom::testbench
