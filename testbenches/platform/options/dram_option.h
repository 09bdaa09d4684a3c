#pragma once
#include <tensorloom/models/arch/dram/dram_config.h>
#include "platform/options/options.h"
#include "platform/report/run_files.h"

namespace tensorloom::testbench {

/// Adds --dram.
void add_dram_option(option_table& table);

/// What --dram names: a configuration that ships with the project, or a file, which becomes an input of `files`. Throws
/// arch::input_error.
arch::dram_config read_dram_option(const option_values& values, run_files& files);

} // namespace tensorloom::testbench
