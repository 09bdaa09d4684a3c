#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor.h>
#include "compare_devices/compared_device.h"
#include "compare_devices/equal_sizes.h"
#include "platform/process/process_resources.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// Most cycles of a multiply-add.
inline constexpr unsigned most_mac_latency = 64;

/// Options of a run of compare_devices.
struct compare_devices_options : run_options {
    workloads::shape3 shape{}, out_shape{};
    bool allow_nonfinite = false;                             ///< of these files
    std::vector<std::string> inputs;                          ///< .npy files of X, A, B, C; none: random ones
    std::vector<std::shared_ptr<comparable_device>> compared; ///< in the order of --devices
    device_budget budget;                                     ///< --equal, --budget
    std::optional<unsigned> mac_latency;                      ///< none: by gates and technology
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<compare_devices_options> read_compare_devices_options(int argc, char** argv, std::ostream& out);

/// Results of a run.
struct compare_devices_findings {
    std::uint64_t macs = 0;   ///< of the work
    unsigned mac_latency = 1; ///< cycles of a multiply-add
    std::vector<device_result> runs;
    std::vector<chosen_size> sizes; ///< of each of them, where --equal searches
    /// A device that does not hold the work, and why.
    struct left_out_device {
        std::string device, title, reason;
    };
    std::vector<left_out_device> left_out;
    process_usage usage;

    std::optional<bool> passed() const; ///< none: not checked
};

/// Table and summary.
void write_report(run_report& report, const compare_devices_options& options, const compare_devices_findings& findings);
/// comparison.csv: a row per device.
std::string comparison_csv(const compare_devices_options& options, const compare_devices_findings& findings);

} // namespace tensorloom::testbench
