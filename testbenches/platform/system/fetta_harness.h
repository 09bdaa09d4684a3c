#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <tensorloom/models/arch/fetta/driver.h>
#include <tensorloom/models/fetta/device.h>
#include <tensorloom/workloads/fetta/runtime.h>
#include "platform/system/connected_device.h"
#include "platform/options/fetta_options.h"
#include "platform/system/harness.h"

namespace tensorloom::testbench {

/// A FETTA, to what is written once for every device (platform, runtime, harness).
struct fetta_traits {
    using body = fetta::device_body;
    using config = fetta::config;
    using driver = arch::fetta::driver;
    using runtime = workloads::fetta_runtime;
    static constexpr const arch::device_description& description = arch::fetta::description;

    /// What programs must keep to, as the device itself says.
    static const arch::fetta::geometry& limits_of(const driver& found, const config&) { return found.geometry(); }
};

template <>
connected_device<fetta::device_body> make_device<fetta_traits>(const char* name, const fetta::config& config,
                                                               unsigned dma_bits, bus::activity_sink* activity);

/// A platform of its own with a FETTA and a DRAM or an SRAM.
using fetta_harness = device_harness<fetta_traits>;
using fetta_costs = device_costs<arch::fetta::counts>;

/// Memory that an SRAM needs for programs and so many bytes of data.
std::uint64_t sram_bytes_for(std::uint64_t data_bytes);

/// Elaboration. `sram_bytes`: size of an SRAM. Throws arch::input_error when a limit on the address space leaves no
/// room for the memory.
std::unique_ptr<fetta_harness> make_fetta_harness(const std::string& name, const fetta_options& options,
                                                  const common_options& common, std::uint64_t sram_bytes,
                                                  activity::log_detail detail, fetta_harness::program_type program,
                                                  progress* shown = nullptr, const run_limits& limits = {});

} // namespace tensorloom::testbench
