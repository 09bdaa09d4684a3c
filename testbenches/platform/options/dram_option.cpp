#include "platform/options/dram_option.h"
#include <algorithm>
#include <tensorloom/models/arch/dram/dram_config.h>

namespace tensorloom::testbench {

void add_dram_option(option_table& table)
{
    table.add_value("dram", "NAME|FILE", "The DRAM: one that ships with the project, or a YAML file.", "lpddr4-3200");
}

arch::dram_config read_dram_option(const option_values& values, run_files& files)
{
    const auto name = values.get_string("dram");
    const auto shipped = arch::shipped_dram_names();
    if (std::find(shipped.begin(), shipped.end(), name) == shipped.end()) { files.add_input("--dram", name); }
    try {
        return arch::load_dram(name);
    } catch (const arch::input_error& e) {
        throw arch::input_error(std::string("--dram: ") + e.what());
    }
}

} // namespace tensorloom::testbench
