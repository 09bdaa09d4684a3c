#pragma once
#include <cstdint>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/arch/dram/dram_config.h>
#include <tensorloom/models/arch/fetta/costs.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>
#include "platform/report/run_files.h"
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// What the options of a testbench say about its FETTA and the memory on its bus, checked.
struct fetta_options {
    fetta_options();
    fetta::config config;               ///< but what every testbench has
    bool in_dram = true;                ///< memory on the bus: a DRAM, or an SRAM
    std::string dram;                   ///< a configuration that ships with the project, or a file
    arch::dram_config dram_config;      ///< what it says
    fetta::contraction_trace traced;    ///< in the waveform
    arch::fetta::energy_settings table; ///< how Table III is read; energy_settings_of() says the rest
};

/// Adds --operand --psum --engines --side --bank-bytes --accumulator-bytes --lanes --no-overlap --memory --dram
/// --outstanding --watch --distributed --memory-rows --table-psum --padding-share --idle-share.
void add_fetta_options(option_table& table);

/// Throws arch::input_error. A file of --dram becomes an input of `files`.
fetta_options read_fetta_options(const option_values& values, const common_options& common, run_files& files);

/// The device; throws arch::input_error when it cannot be built so.
fetta::config device_config(const fetta_options& options, const common_options& common);

/// What its energy depends on, to arch::fetta::device_energy().
arch::fetta::energy_settings energy_settings_of(const fetta_options& options, const common_options& common);

/// The fields of a summary's configuration that say what the device is, every default filled in.
nlohmann::ordered_json device_json(const fetta_options& options, const common_options& common);

} // namespace tensorloom::testbench
