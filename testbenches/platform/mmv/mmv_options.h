#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/mmv/config.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// A processing element of the array: row and column, from 0.
using watched_element = std::pair<unsigned, unsigned>;

/// MMU/VCU options of a testbench, checked. The testbench sets the side of the array and the format.
struct mmv_options {
    mmv::config config;                            ///< without side, format, size of the scratchpad and common settings
    std::optional<std::uint64_t> scratchpad_bytes; ///< as given; none: as large as the run needs
    std::vector<watched_element> watched;          ///< of the detailed array, in the waveform
};

/// Adds --lanes --banks --scratchpad --in-words --out-words --call-latency --blocks --word-bits --scalar-ops --overlap
/// --watch.
void add_mmv_options(option_table& table);

/// Throws base::input_error. `side`: rows and columns of the array.
mmv_options read_mmv_options(const option_values& values, const common_options& common, unsigned side);

/// The device, one of several in a simulation. If no size is given, its scratchpad is the largest possible one, or its
/// part of half of the address space that a limit leaves: the bytes used by a run are known only afterwards, and cycles
/// do not depend on the size. Throws base::input_error when the device cannot be built.
mmv::config device_config(const mmv_options& options, const common_options& common, unsigned side,
                          base::element_type format, std::size_t devices = 1);

/// The device's fields of a summary's configuration, with all defaults. `scratchpad_bytes`: size for energy.
nlohmann::ordered_json device_json(const mmv::config& device, const common_options& common,
                                   std::uint64_t scratchpad_bytes);

} // namespace tensorloom::testbench
