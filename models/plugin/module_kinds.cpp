#include <tensorloom/models/plugin/module_kinds.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/plugin/module_kind_table.h>

namespace tensorloom::plugin {
namespace {

template <unsigned WIDTH> using sram_of = memory::sram<WIDTH>;
template <unsigned WIDTH> using dram_of = memory::dram<WIDTH>;

} // namespace

const std::vector<module_kind>& module_kinds()
{
    static const std::vector<module_kind> all = [] {
        auto kinds = device_kinds();
        kinds.push_back({"sram", "models/memory/sram.h", "Static memory", defaults_of<memory::sram_config, sram_of>});
        kinds.push_back({"dram", "models/memory/dram.h", "DRAM", defaults_of<memory::dram_settings, dram_of>});
        return kinds;
    }();
    return all;
}

const module_kind& module_kind_of(const std::string& name)
{
    std::string names;
    for (const auto& kind : module_kinds()) {
        if (kind.name == name) { return kind; }
        names += (names.empty() ? "" : ", ") + kind.name;
    }
    base::refuse("kind", base::in_quotes(name), "one of " + names);
}

} // namespace tensorloom::plugin
