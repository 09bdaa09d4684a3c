#pragma once
#include <cstdint>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// What the options of a testbench say about its FETTA, checked.
struct fetta_options {
    fetta_options();
    fetta::config config;            ///< but what every testbench has
    fetta::contraction_trace traced; ///< in the waveform
    fetta::energy_settings table;    ///< how Table III is read; energy_settings_of() says the rest
};

/// Adds --operand --psum --engines --side --bank-bytes --accumulator-bytes --lanes --no-overlap --watch --distributed
/// --memory-rows --table-psum --padding-share.
void add_fetta_options(option_table& table);

/// Throws base::input_error.
fetta_options read_fetta_options(const option_values& values, const common_options& common);

/// What the table of a testbench with a FETTA has by default: the technology of its paper, and why.
common_defaults fetta_defaults();

/// The device; throws base::input_error when it cannot be built so.
fetta::config device_config(const fetta_options& options, const common_options& common);

/// What its energy depends on, to fetta::device_energy().
fetta::energy_settings energy_settings_of(const fetta_options& options, const common_options& common);

/// The fields of a summary's configuration that say what the device is, every default filled in.
nlohmann::ordered_json device_json(const fetta_options& options, const common_options& common);

} // namespace tensorloom::testbench
