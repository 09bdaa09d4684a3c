#include <tensorloom/models/plugin/tensorloom_plugin.h>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/config_lines.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/plugin/module_kinds.h>

namespace {

using namespace tensorloom;

using plugin::module_kind;

// The kinds of the plug-in: a host makes no calls of ours.
const std::vector<const module_kind*>& offered_kinds()
{
    static const std::vector<const module_kind*> all = [] {
        std::vector<const module_kind*> kinds;
        for (const auto& kind : plugin::module_kinds()) {
            if (!kind.needs_calls) { kinds.push_back(&kind); }
        }
        return kinds;
    }();
    return all;
}

const module_kind* find_kind(const char* name)
{
    for (const auto* kind : offered_kinds()) {
        if (name != nullptr && kind->name == name) { return kind; }
    }
    return nullptr;
}

const module_kind& offered(const char* name)
{
    if (const auto* const kind = find_kind(name)) { return *kind; }
    std::string names;
    for (const auto* kind : offered_kinds()) { names += (names.empty() ? "" : ", ") + kind->name; }
    base::refuse("kind", base::in_quotes(name), "one of " + names);
}

std::unique_ptr<sc_core::sc_module> made(const char* kind, const char* name, const char* properties)
{
    if (kind == nullptr || name == nullptr || *name == 0) { throw base::input_error("expected a kind and a name"); }
    if (std::strpbrk(name, ". \t\r\n") != nullptr) {
        base::refuse("name", base::in_quotes(name), "one without dots and blanks");
    }
    const auto settings = offered(kind).defaults();
    auto wrong = base::set_lines([&] { return settings->fields(); }, properties == nullptr ? "" : properties);
    if (!wrong) { wrong = settings->validate(); }
    if (wrong) { throw base::input_error(std::string(name) + ": " + *wrong); }
    if (sc_core::sc_get_status() >= sc_core::SC_BEFORE_END_OF_ELABORATION) {
        throw base::input_error(std::string(name) + ": found a simulation that has started, expected elaboration");
    }
    auto* const parent = sc_core::sc_get_curr_simcontext()->hierarchy_curr();
    if (sc_core::sc_hierarchical_name_exists(parent, name)) {
        throw base::input_error(std::string(name) + ": found a name in use, expected another one");
    }
    return settings->make(name);
}

void* create(const char* kind, const char* name, const char* properties, char* error, std::size_t error_bytes)
{
    std::string reason;
    try {
        return made(kind, name, properties).release();
    } catch (const sc_core::sc_report& report) {
        reason = report.get_msg();
    } catch (const std::exception& failure) {
        reason = failure.what();
    }
    if (error != nullptr && error_bytes > 0) {
        const std::string line = base::on_one_line(reason).substr(0, error_bytes - 1);
        std::memcpy(error, line.c_str(), line.size() + 1);
    }
    return nullptr;
}

void destroy(void* module)
{
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) { return; } // its processes would still be started
    delete static_cast<sc_core::sc_module*>(module);
}

const char* fields(const char* kind)
{
    static std::string text;
    text.clear();
    const auto* const found = find_kind(kind);
    if (found == nullptr) { return nullptr; }
    const auto settings = found->defaults();
    for (const auto& field : settings->fields()) {
        text +=
            std::string(field.says.name) + "\t" + field.text() + "\t" + field.values + "\t" + field.says.help + "\n";
    }
    return text.c_str();
}

const char* const* kind_names()
{
    static const std::vector<const char*> names = [] {
        std::vector<const char*> all;
        for (const auto* kind : offered_kinds()) { all.push_back(kind->name.c_str()); }
        all.push_back(nullptr);
        return all;
    }();
    return names.data();
}

} // namespace

const tensorloom_plugin* tensorloom_plugin_entry()
{
    static const tensorloom_plugin plugin = {
        tensorloom_plugin_interface, TENSORLOOM_VERSION, SC_VERSION, kind_names(), create, destroy, fields};
    return &plugin;
}
