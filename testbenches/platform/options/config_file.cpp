#include "platform/options/config_file.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <tensorloom/models/arch/files/yaml_document.h>

namespace tensorloom::testbench {
namespace {

using arch::input_error;
using arch::yaml_value;

constexpr std::size_t max_bytes = arch::largest_yaml_file;

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
        if (text.size() > max_bytes) { throw input_error("--config is '" + path + "', expected at most 1 MiB"); }
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
    try {
        return arch::parse_yaml(text);
    } catch (const arch::yaml_error& e) {
        throw input_error(at(path, e.line) + ": not valid YAML: " + e.what());
    }
}

} // namespace

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
