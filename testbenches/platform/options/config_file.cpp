#include "platform/options/config_file.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <tensorloom/models/arch/values/input_error.h>
#include <yaml-cpp/yaml.h>

namespace tensorloom::testbench {
namespace {

using arch::input_error;

constexpr std::size_t max_bytes = std::size_t{1} << 20;

std::string read_text(const std::string& path)
{
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_fifo(status) || std::filesystem::is_socket(status)) { // opening would wait for a writer
        throw input_error("--config is '" + path + "', expected a regular file");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text(max_bytes + 1, '\0');
    if (file) { file.read(text.data(), static_cast<std::streamsize>(text.size())); }
    if (!file.eof() && !file) {
        throw input_error("--config is '" + path + "', expected a readable file: " + std::strerror(errno));
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > max_bytes) { throw input_error("--config is '" + path + "', expected at most 1 MiB"); }
    return text;
}

std::string at(const std::string& path, const YAML::Mark& mark)
{
    return mark.is_null() ? path : path + ":" + std::to_string(mark.line + 1);
}

std::string scalar(const YAML::Node& node, const std::string& origin)
{
    if (node.IsNull() || (node.IsScalar() && node.Scalar().empty())) { throw input_error(origin + " has no value"); }
    if (!node.IsScalar()) { throw input_error(origin + " is nested, expected a single value"); }
    return node.Scalar();
}

std::vector<YAML::Node> documents(const std::string& path)
{
    try {
        return YAML::LoadAll(read_text(path));
    } catch (const YAML::Exception& e) {
        throw input_error(at(path, e.mark) + ": not valid YAML: " + e.msg);
    }
}

} // namespace

std::vector<config_entry> read_config(const std::string& path)
{
    const std::vector<YAML::Node> all = documents(path);
    if (all.size() > 1) {
        throw input_error(path + ": holds " + std::to_string(all.size()) + " documents, expected one");
    }
    std::vector<config_entry> entries;
    if (all.empty() || all.front().IsNull()) { return entries; }
    const YAML::Node& root = all.front();
    if (!root.IsMap()) { throw input_error(at(path, root.Mark()) + ": expected lines of the form 'option: value'"); }

    std::set<std::string> seen;
    for (const auto& pair : root) {
        const std::string place = at(path, pair.first.Mark()) + ": ";
        if (!pair.first.IsScalar()) { throw input_error(place + "a key is not a plain name"); }
        config_entry entry;
        entry.key = pair.first.Scalar();
        entry.origin = place + entry.key;
        if (!seen.insert(entry.key).second) { throw input_error(entry.origin + " is given twice"); }
        if (pair.second.IsSequence()) {
            entry.sequence = true;
            for (const auto& item : pair.second) { entry.values.push_back(scalar(item, entry.origin)); }
        } else {
            entry.values.push_back(scalar(pair.second, entry.origin));
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

} // namespace tensorloom::testbench
