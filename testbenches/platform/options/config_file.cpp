#include "platform/options/config_file.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <nlohmann/json.hpp>
#include <tensorloom/models/arch/files/yaml_document.h>

namespace tensorloom::testbench {
namespace {

using arch::input_error;
using arch::yaml_value;

constexpr std::size_t max_bytes = arch::largest_yaml_file;
constexpr std::size_t largest_summary = 64u << 20;

bool may_be_json(const std::string& text) { return !text.empty() && text.front() == '{'; }

std::string read_text(const std::string& path)
{
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_fifo(status) || std::filesystem::is_socket(status)) { // opening would wait for a writer
        throw input_error("--config is '" + path + "', expected a regular file");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    char piece[4096];
    while (file.read(piece, sizeof piece) || file.gcount() > 0) {
        text.append(piece, static_cast<std::size_t>(file.gcount()));
        if (text.size() > (may_be_json(text) ? largest_summary : max_bytes)) {
            throw input_error("--config is '" + path + "', expected at most " +
                              (may_be_json(text) ? "64 MiB" : "1 MiB"));
        }
    }
    if (!file.eof()) {
        throw input_error("--config is '" + path + "', expected a readable file: " + std::strerror(errno));
    }
    return text;
}

std::string at(const std::string& path, unsigned line) { return path + ":" + std::to_string(line); }

std::string scalar(const yaml_value& value, const std::string& origin)
{
    if (value.is_empty()) { throw input_error(origin + " has no value"); }
    if (value.what != yaml_value::kind::text) { throw input_error(origin + " is nested, expected a single value"); }
    return value.text;
}

arch::yaml_node document(const std::string& path)
{
    const std::string text = read_text(path);
    if (text.size() > max_bytes) { throw input_error("--config is '" + path + "', expected at most 1 MiB"); }
    try {
        return arch::parse_yaml(text);
    } catch (const arch::yaml_error& e) {
        throw input_error(at(path, e.line) + ": not valid YAML: " + e.what());
    }
}

using json = nlohmann::json;

// Throws json::exception for a value of another kind.
config_entry option_of(const std::string& path, const std::string& name, const json& value)
{
    config_entry entry{name, path + ": options_given." + name, value.is_array(), {}};
    for (const auto& text : value.is_array() ? value : json::array({value})) {
        entry.values.push_back(text.get_ref<const std::string&>());
    }
    return entry;
}

} // namespace

std::optional<recorded_run> read_recorded_run(const std::string& path)
{
    const std::string text = read_text(path);
    if (!may_be_json(text)) { return std::nullopt; }
    constexpr int deepest = 32;
    const auto shallow = [](int depth, json::parse_event_t, json&) { return depth < deepest; };
    const json summary = json::parse(text, shallow, false);
    if (!summary.is_object() || !summary.contains("testbench") || !summary.contains("configuration")) {
        return std::nullopt;
    }
    try {
        recorded_run run;
        run.testbench = summary.at("testbench").get<std::string>();
        const json& configuration = summary.at("configuration");
        for (const auto& [name, value] : configuration.at("options_given").items()) {
            run.options.push_back(option_of(path, name, value));
        }
        for (const auto& input : configuration.at("inputs")) {
            run.inputs.push_back({input.at("option"), input.at("name"), input.at("sha256")});
        }
        return run;
    } catch (const json::exception&) {
        throw input_error("--config is '" + path +
                          "', a summary that does not say how its run was asked for, expected testbench, "
                          "configuration.options_given and configuration.inputs");
    }
}

std::vector<config_entry> read_config(const std::string& path)
{
    const arch::yaml_node root = document(path);
    std::vector<config_entry> entries;
    if (root->what == yaml_value::kind::nothing) { return entries; }
    if (root->what != yaml_value::kind::map) {
        throw input_error(at(path, root->line) + ": expected lines of the form 'option: value'");
    }

    std::set<std::string> seen;
    for (const auto& [key, value] : root->entries) {
        const std::string place = at(path, key->line) + ": ";
        if (key->what != yaml_value::kind::text) { throw input_error(place + "a key is not a plain name"); }
        config_entry entry;
        entry.key = key->text;
        entry.origin = place + entry.key;
        if (!seen.insert(entry.key).second) { throw input_error(entry.origin + " is given twice"); }
        if (value->what == yaml_value::kind::list) {
            entry.sequence = true;
            for (const auto& item : value->items) { entry.values.push_back(scalar(*item, entry.origin)); }
        } else {
            entry.values.push_back(scalar(*value, entry.origin));
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace tensorloom::testbench
