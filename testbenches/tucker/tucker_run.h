#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include "platform/device_jobs.h"
#include "platform/process_usage.h"
#include "tucker/device_ttm.h"
#include "tucker/tucker_check.h"
#include "tucker/tucker_options.h"

namespace tensorloom::testbench {

/// Hierarchical names in the simulation.
inline constexpr char tucker_device_name[] = "platform.device";
inline constexpr char tucker_memory_name[] = "platform.memory";

/// The chains that the device has done, each a job.
class tucker_jobs : public device_jobs {
public:
    explicit tucker_jobs(activity::log_detail detail) : device_jobs(tucker_device_name, detail) {}
    void log(const std::string& device, const bus::log_record& record) override;

    /// Active cells of every time-step, added up.
    std::uint64_t active_cell_steps() const { return m_active_cell_steps; }

private:
    std::uint64_t m_active_cell_steps = 0;
};

/// Loads or fills the tensor and rounds it to the device's format. Throws arch::input_error: the file, data that is not
/// finite or zero, or of a norm that the format cannot hold.
workloads::tensor<double> make_tensor(const tucker_options& options);

/// Roughly what a run allocates.
std::uint64_t needed_bytes(const tucker_options& options);

/// What a simulation gave. Chain i is job i of the device.
struct tucker_result {
    workloads::tucker_decomposition found;
    workloads::tensor<double> expanded; ///< X~
    double error = 0;                   ///< |X - X~| / |X|, element by element
    std::vector<chain_record> chains;   ///< of the decomposition, then one that compresses and one that expands
    std::vector<std::size_t> ends;      ///< by iteration: how many chains were done at its end
    std::optional<tucker_check> check;
    std::uint64_t memory_bytes = 0;      ///< size of the SRAM
    std::uint64_t active_cell_steps = 0; ///< of all chains
    std::uint64_t end_ps = 0;            ///< when the host's program was done
    process_usage usage;                 ///< of the simulation of the chains alone
};

/// Decomposes x in one simulation: the host's program finds factors and has every chain done by the device, over the
/// bus; then the device compresses x once with the factors found, and expands the core. A detailed platform is left
/// alive until the process ends (it takes long to tear down).
tucker_result simulate(const tucker_options& options, const workloads::tensor<double>& x, tucker_jobs& jobs);

} // namespace tensorloom::testbench
