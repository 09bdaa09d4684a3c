// tensorloom-modules: the kinds of modules, the fields of their configurations, and the check of a property file.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/property_file.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/tool_main.h>
#include <tensorloom/models/plugin/module_kinds.h>

namespace {

using namespace tensorloom;

// Before SystemC's main() starts: it has no other switch for its banner.
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

constexpr std::size_t longest_page = 16u << 20;

constexpr const char* usage = R"(Usage: tensorloom-modules COMMAND

Lists what a platform can set of a module, and checks property files without a simulation. COMMAND is one of

  --list                            the kinds of modules, a line for each
  --fields KIND                     the fields of a kind: name, default, meaning, values
  --check FILE INSTANCE=KIND ...    read this property file (YAML) and set the properties of these instances; every
                                    property must belong to one of them. Prints the values that differ from the defaults
  --markdown PAGE                   the page, with its generated tables of fields updated
  --help                            print this text and stop
)";

std::string in_cell(std::string text)
{
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) { text.insert(at, "\\"); }
    return text;
}

// The fields of a kind as a Markdown table: name, member of the configuration struct, unit, values, default, meaning.
std::string field_table(const std::string& kind)
{
    std::string text = "| name | member | unit | values | default | meaning |\n|---|---|---|---|---|---|\n";
    const auto defaults = plugin::module_kind_of(kind).defaults();
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

// The same as plain text in columns.
std::string field_list(const std::string& kind)
{
    const auto defaults = plugin::module_kind_of(kind).defaults();
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

std::pair<std::string, std::string> instance_of(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        base::refuse("argument", base::in_quotes(text), "INSTANCE=KIND");
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void check(const std::vector<std::string>& arguments)
{
    if (arguments.size() < 2) { throw base::input_error("--check needs FILE INSTANCE=KIND ... (see --help)"); }
    std::vector<std::pair<std::string, const plugin::module_kind*>> instances;
    for (auto at = arguments.begin() + 1; at != arguments.end(); ++at) {
        const auto [name, kind] = instance_of(*at);
        const auto is_known = [name = name](const auto& known) { return known.first == name; };
        if (std::any_of(instances.begin(), instances.end(), is_known)) {
            base::refuse("instance", base::in_quotes(name) + " again", "each instance once");
        }
        instances.emplace_back(name, &plugin::module_kind_of(kind));
    }
    const auto file = base::property_file::read(arguments[0]);
    std::string text;
    for (const auto& [name, kind] : instances) {
        const auto settings = kind->defaults();
        const auto before = base::list(settings->fields());
        file.apply(
            name, [&] { return settings->fields(); }, [&] { return settings->validate(); });
        const auto after = base::list(settings->fields());
        for (std::size_t i = 0; i < after.size(); ++i) {
            if (after[i] == before[i]) { continue; }
            text += name + "." + after[i].first + ": " + after[i].second + "\n";
        }
    }
    file.expect_all_used();
    std::cout << text;
}

std::string section(const std::string& name)
{
    const std::string prefix = "fields of ";
    if (name.rfind(prefix, 0) != 0) { base::refuse("generated section", base::in_quotes(name), "fields of KIND"); }
    return field_table(name.substr(prefix.size()));
}

void run(const std::vector<std::string>& arguments)
{
    const std::string command = arguments.empty() ? "" : arguments[0];
    const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
    const auto only = [&](const char* form) {
        if (rest.size() != 1) { throw base::input_error(command + " needs one " + form + " (see --help)"); }
        return rest[0];
    };
    if ((command == "--help" || command == "--list") && !rest.empty()) {
        base::refuse("argument", base::in_quotes(rest[0]), "nothing after " + command);
    }
    if (command == "--help") {
        std::cout << usage;
    } else if (command == "--list") {
        for (const auto& kind : plugin::module_kinds()) { std::cout << kind.name << "  " << kind.about << "\n"; }
    } else if (command == "--fields") {
        std::cout << field_list(only("KIND"));
    } else if (command == "--check") {
        check(rest);
    } else if (command == "--markdown") {
        const std::string path = only("PAGE");
        const std::string page = base::read_whole_file(path, longest_page);
        std::cout << base::complaining_of(path, [&] { return isa::with_generated_sections(page, section); });
    } else {
        throw base::input_error((command.empty() ? "found no command" : "found " + base::in_quotes(command)) +
                                ", expected one of --list, --fields, --check, --markdown, --help");
    }
}

} // namespace

int sc_main(int argc, char* argv[]) { return isa::tool_main("tensorloom-modules", argc, argv, run); }
