#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/tlm/arbitration.h>
#include <tensorloom/tlm/dma_config.h>
#include "platform/options/run_files.h"
#include "platform/triada/gemt_job.h"

namespace tensorloom::testbench {

/// The two devices of the platform, in this order everywhere.
enum soc_device : std::size_t { large_device, small_device, soc_devices };

/// Initiators of the router, in the order of its sockets.
inline constexpr std::array<const char*, 4> soc_initiators{"large_host", "small_host", "large.dma", "small.dma"};

/// Job of one device.
struct soc_job {
    std::string name; ///< "large", "small"
    gemt_job transform;
    std::uint32_t runs = 1; ///< consecutive runs of the job; 0: the device is idle
    std::optional<std::string> output;
};

/// Options of a run of soc.
struct soc_options : run_options {
    std::array<soc_job, soc_devices> jobs;

    std::uint64_t quantum_ps = 0; ///< global quantum
    bus::arbitration_kind arbitration = bus::arbitration_kind::round_robin;
    bus::initiator_ranks ranks;                                ///< priorities or weights, by the kind of arbitration
    std::array<double, soc_initiators.size()> share_percent{}; ///< of `weighted`
    bus::dma_transport transport = bus::dma_transport::blocking;
    unsigned link_bytes = 0; ///< bytes per cycle of the router's links; 0: no limit
    unsigned sram_banks = 1;
    bool checkers = false;     ///< protocol checkers in every connection
    bool power_gating = false; ///< a device has no supply, and does not leak, while its host has no run for it

    /// False: initiators run ahead of the simulation, and their calls are served in order of arrival.
    bool arbitrates() const { return transport == bus::dma_transport::non_blocking || quantum_ps == 0; }
};

/// Further files in --out, besides those of output_directory.
inline const std::vector<std::string> soc_bus_files{"transactions.csv", "transactions.txlog", "traffic.csv"};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<soc_options> read_soc_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
