#pragma once
#include <cstdint>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include "platform/mmv_station.h"
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

// What every report says of what was run, and on what.

std::string device_text(const segmented_options& options); ///< "int64, s = 16, 64 lanes, fast"

/// The fields of a summary before the results: schema, testbench, version.
nlohmann::ordered_json summary_head(const char* schema);

/// The configuration of a summary, every default filled in. `scratchpad_bytes`: as energy takes it.
nlohmann::ordered_json configuration_json(const segmented_options& options, const mmv_station& station,
                                          std::uint64_t scratchpad_bytes);

} // namespace tensorloom::testbench
