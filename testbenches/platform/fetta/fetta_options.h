#pragma once
#include <cstdint>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// FETTA options of a testbench, checked.
struct fetta_options {
    fetta_options();
    fetta::config config;            ///< without the settings that every testbench has
    fetta::contraction_trace traced; ///< in the waveform
    fetta::energy_settings table;    ///< interpretation of Table III; energy_settings_of() adds the rest
};

/// Adds --operand --psum --engines --array --bank-bytes --accumulator-bytes --lanes --no-overlap --watch --distributed
/// --memory-rows --table-psum --padding-share.
void add_fetta_options(option_table& table);

/// Throws base::input_error.
fetta_options read_fetta_options(const option_values& values, const common_options& common);

/// The device; throws base::input_error when it cannot be built so.
fetta::config device_config(const fetta_options& options, const common_options& common);

/// Parameters of its energy for fetta::device_energy().
fetta::energy_settings energy_settings_of(const fetta_options& options, const common_options& common);

/// The device's fields of a summary's configuration, with all defaults.
nlohmann::ordered_json device_json(const fetta_options& options, const common_options& common);

} // namespace tensorloom::testbench
