#include <tensorloom/models/plugin/module_kinds.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/plugin/module_kind_table.h>
#include <tensorloom/tlm/router.h>

namespace tensorloom::plugin {
const std::vector<module_kind>& module_kinds()
{
    static const std::vector<module_kind> all = [] {
        auto kinds = device_kinds();
        kinds.push_back(
            {"sram", "models/memory/sram.h", "Static memory", defaults_of<memory::sram_config, memory::sram>});
        kinds.push_back({"dram", "models/memory/dram.h", "DRAM", defaults_of<memory::dram_settings, memory::dram>});
        kinds.push_back({"router", "tlm/router.h", "Router", defaults_of<bus::router_config, bus::router>, true});
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
