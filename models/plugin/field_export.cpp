#include <tensorloom/models/plugin/field_export.h>
#include <algorithm>
#include <string_view>
#include <tensorloom/models/plugin/module_kinds.h>

namespace tensorloom::plugin {
namespace {

std::string in_cell(std::string text)
{
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) { text.insert(at, "\\"); }
    return text;
}

} // namespace

std::string field_table(const std::string& kind)
{
    std::string text = "| name | member | unit | values | default | meaning |\n|---|---|---|---|---|---|\n";
    const auto defaults = module_kind_of(kind).defaults();
    for (const auto& f : defaults->fields()) {
        const std::string unit = f.unit();
        const bool is_argument = f.says.name == std::string_view("bus-width");
        text += "| `" + std::string(f.says.name) + "` | " +
                (is_argument ? std::string("template argument") : "`" + f.member() + "`") + " | " +
                (unit.empty() ? "-" : unit) + " | " + in_cell(f.values) + " | `" + f.text() + "` | " +
                in_cell(f.says.help) + " |\n";
    }
    return text;
}

std::string field_list(const std::string& kind)
{
    const auto defaults = module_kind_of(kind).defaults();
    const auto fields = defaults->fields();
    std::size_t widest_name = 0, widest_value = 0;
    for (const auto& f : fields) {
        widest_name = std::max(widest_name, std::string(f.says.name).size());
        widest_value = std::max(widest_value, f.text().size());
    }
    std::string text;
    for (const auto& f : fields) {
        std::string name = f.says.name, value = f.text();
        name.resize(widest_name + 2, ' ');
        value.resize(widest_value + 2, ' ');
        text += name + value + f.says.help + "\n" + std::string(widest_name + widest_value + 4, ' ') + f.values +
                (f.unit().empty() ? "" : " (" + f.unit() + ")") + "\n";
    }
    return text;
}

} // namespace tensorloom::plugin
