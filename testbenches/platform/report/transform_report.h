#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

/// The ways of elements into an array.
struct memory_port {
    std::uint64_t elements = 0; ///< that its memory port takes per cycle
    std::uint64_t face = 0;     ///< places on its largest face
    unsigned dma_ports = 1;
    base::element_type format = base::element_type::f64;
};
/// "8 elements per cycle, the DMA brings 16": where the port takes another number of elements than the DMA brings; with
/// what the memory brings and a face takes, if that is less. Empty where both agree.
std::string memory_port_text(const common_options& common, const memory_port& port);
/// The line of it.
void print_memory_port(run_report& report, const memory_port& port);

/// Places on the largest face of an array.
std::uint64_t largest_face(const std::array<std::uint32_t, 3>& sizes);

/// Lines and field of a check; none: not done.
void write_check(run_report& report, base::element_type format, const std::optional<workloads::check_result>& check);

/// Line and field of the elements kept by --keep, over the batch.
void write_kept(run_report& report, const std::optional<std::uint64_t>& kept);

/// The steps of a job's chain as texts; null without a chain.
json chain_texts(const transform_job& job);

} // namespace tensorloom::testbench
