#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include "platform/system/testbed_device.h"
#include "platform/mmv/mmv_options.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

extern template testbed_device<mmv::device_base> make_device<mmv::traits>(const char*, const mmv::config&, unsigned,
                                                                          bus::activity_sink*);

/// A separate platform with an MMU/VCU pair and a memory.
using mmv_testbed = device_testbed<mmv::traits>;

/// Size of the simulated memory for an algorithm whose largest array has this many elements of at most 16 bytes:
/// programs plus a multiple of the array.
std::uint64_t mmv_memory_for(std::uint64_t elements);

/// What is told after numbers that are out of the range of the device's words.
std::string range_remedy(const mmv::config& device);

/// Elaboration. An overflow on the device is a wrong_result. Throws base::input_error when a limit on the address space
/// leaves no room for scratchpad and memory.
std::unique_ptr<mmv_testbed> make_mmv_testbed(const std::string& name, const mmv::config& device,
                                              const common_options& common, std::uint64_t simulated_memory_bytes,
                                              activity::log_detail detail, mmv_testbed::program_type program,
                                              progress* shown = nullptr);

/// What the device costs in energy. `scratchpad_bytes`: its size, for energy; `scale`: factor on the estimated
/// energies of the vector unit. Throws base::input_error for what the technology misses.
costs::energy_model device_energy(const mmv::config& device, const platform_options& around,
                                  const costs::technology& tech, std::uint64_t scratchpad_bytes, double scale = 1);

/// Its area on a die, likewise.
costs::floor_plan device_area(const mmv::config& device, const platform_options& around,
                              const costs::technology& technology, std::uint64_t scratchpad_bytes);

/// Throws base::input_error when the technology does not have an energy of this device or a cost of its memory.
void require_energies(const costs::technology& technology, const mmv::config& device, const platform_options& around);

} // namespace tensorloom::testbench
