#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <tensorloom/models/fetta/device.h>
#include "platform/system/testbed_device.h"
#include "platform/fetta/fetta_options.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

extern template testbed_device<fetta::device_base> make_device<fetta::traits>(const char*, const fetta::config&,
                                                                              unsigned, bus::activity_sink*);

/// A separate platform with a FETTA and a memory.
using fetta_testbed = device_testbed<fetta::traits>;
using fetta_costs = device_costs<fetta::counts>;

/// Size of an SRAM for programs and this many bytes of data.
std::uint64_t sram_bytes_for(std::uint64_t data_bytes);

/// Elaboration. `sram_bytes`: size of an SRAM. Throws base::input_error when a limit on the address space leaves no
/// room for the memory.
std::unique_ptr<fetta_testbed> make_fetta_testbed(const std::string& name, const fetta_options& options,
                                                  const common_options& common, std::uint64_t sram_bytes,
                                                  activity::log_detail detail, fetta_testbed::program_type program,
                                                  progress* shown = nullptr, const run_limits& limits = {});

} // namespace tensorloom::testbench
