#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/transaction_sink.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/process_usage.h"
#include "platform/transform_job.h"
#include "platform/transform_run.h"
#include "soc/soc_activity.h"
#include "soc/soc_options.h"

namespace tensorloom::testbench {

/// Hierarchical names in the simulation.
inline constexpr std::array<const char*, soc_devices> soc_device_names{"platform.large", "platform.small"};

/// Roughly what a run allocates.
std::uint64_t needed_bytes(const soc_options& options);

/// What went through a port of the router.
struct soc_traffic {
    std::string port;
    bus::port_traffic traffic;
};

/// What a simulation gave, apart from the tensors.
struct soc_measured {
    std::uint64_t cycles = 0; ///< of the devices' clock, until both hosts were done
    std::array<std::vector<std::uint64_t>, soc_devices> run_cycles; ///< START to DONE, of each run
    std::vector<soc_traffic> initiators;
    std::vector<soc_traffic> targets;
    std::uint64_t sram_bytes = 0;
    double dram_peak_bytes_per_ns = 0;
    process_usage usage; ///< of the simulation alone
};

template <class T> struct soc_result {
    using results = std::vector<workloads::tensor<arithmetic::accumulator_of<T>>>;
    std::array<results, soc_devices> y;             ///< of the last run; empty for an idle device
    std::array<bool, soc_devices> same{true, true}; ///< every run of a job gave the same bits
    soc_measured measured;
};

/// Where the data of both jobs lies.
struct soc_layout {
    std::array<transform_layout, soc_devices> jobs;
    std::uint64_t sram_bytes = 0;
};

/// Throws arch::input_error when the data does not fit the memory.
template <class T>
soc_layout lay_out(const soc_options& options, const std::array<transform_problem<T>, soc_devices>& problems);

/// Runs both jobs at once: each host writes its program through its driver, starts its device and waits for the
/// interrupt, run after run. The tensors X of the problems are gone afterwards. `recording`: for recorders, or nullptr.
template <class T>
soc_result<T> simulate(const soc_options& options, std::array<transform_problem<T>, soc_devices>& problems,
                       const soc_layout& layout, soc_activity& activity, bus::transaction_sink* recording);

/// Costs of a device's events, with the leakage of its mesh.
arch::energy_model device_energy(const soc_options& options, const arch::technology& technology, std::size_t device);

/// Energy of everything over the time measured, each module once: components "large.mac", "sram", "dram", "leakage",
/// ...
std::vector<arch::component_energy> energy_of(const soc_options& options, const arch::technology& technology,
                                              const soc_activity& activity, const soc_measured& measured);

} // namespace tensorloom::testbench
