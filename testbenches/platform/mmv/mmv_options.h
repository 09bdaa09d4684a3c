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

/// What the options of a testbench say about its MMU/VCU pair, checked. The side of the array and the format belong to
/// the testbench.
struct mmv_options {
    mmv::config config; ///< but side, format, size of the scratchpad and what every testbench has
    std::optional<std::uint64_t> scratchpad_bytes; ///< as given; none: as large as the run needs
    std::vector<watched_element> watched;          ///< of the detailed array, in the waveform
};

/// Adds --lanes --banks --scratchpad --in-words --out-words --call-latency --blocks --word-bits --scalar-ops --overlap
/// --watch.
void add_mmv_options(option_table& table);

/// Throws base::input_error. `side`: rows and columns of the array.
mmv_options read_mmv_options(const option_values& values, const common_options& common, unsigned side);

/// The device, one of so many in a simulation. Without a size given its scratchpad is the largest there is, or its part
/// of half of what a limit on the address space leaves: what a run used of it is known only afterwards, and cycles do
/// not depend on it. Throws base::input_error when the device cannot be built so.
mmv::config device_config(const mmv_options& options, const common_options& common, unsigned side,
                          base::element_type format, std::size_t devices = 1);

/// The fields of a summary's configuration that say what the device is, every default filled in. `scratchpad_bytes`: as
/// energy takes it.
nlohmann::ordered_json device_json(const mmv::config& device, const common_options& common,
                                   std::uint64_t scratchpad_bytes);

} // namespace tensorloom::testbench
