#include "platform/options/config_file.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>
#include <nlohmann/json.hpp>
#include <tensorloom/models/base/files/yaml_document.h>

namespace tensorloom::testbench {
namespace {

using base::input_error;
using base::yaml_value;

constexpr std::size_t max_bytes = base::largest_yaml_file;
constexpr std::size_t largest_summary = 64u << 20;

// A summary begins with a brace. Editors put a byte order mark and blanks before it.
bool may_be_json(std::string_view text)
{
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) { text.remove_prefix(byte_order_mark.size()); }
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

[[noreturn]] void check_length(const std::string& path, bool json)
{
    throw input_error("--config is '" + path + "', expected " +
                      (json ? "a summary of a run, at most 64 MiB, or options, at most 1 MiB" : "at most 1 MiB"));
}

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
    std::size_t most = max_bytes;
    char piece[4096];
    while (file.read(piece, sizeof piece) || file.gcount() > 0) {
        text.append(piece, static_cast<std::size_t>(file.gcount()));
        if (text.size() <= most) { continue; }
        const bool json = most == largest_summary || may_be_json(text);
        if (!json || text.size() > largest_summary) { check_length(path, json); }
        most = largest_summary;
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

base::yaml_node document(const std::string& path)
{
    const std::string text = read_text(path);
    if (text.size() > max_bytes) { check_length(path, may_be_json(text)); }
    try {
        return base::parse_yaml(text);
    } catch (const base::yaml_error& e) {
        throw input_error(at(path, e.line) + ": not valid YAML: " + e.what());
    }
}

// Keeps of a summary what says how its run was asked for, and reads past the rest: one pass, and memory for what is
// kept, whatever else the file holds and however deep.
class summary_reader : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit summary_reader(const std::string& path) : m_path(path) {}

    // Nothing of a JSON that is no summary. Behind the end of the text.
    std::optional<recorded_run> result()
    {
        if (!m_has_testbench || !m_has_configuration) { return std::nullopt; }
        const bool all_named = std::all_of(m_run.inputs.begin(), m_run.inputs.end(), [](const run_input& input) {
            return !input.option.empty() && !input.name.empty() && !input.sha256.empty();
        });
        if (m_wrong || !m_has_options || !m_has_inputs || !all_named) {
            throw input_error("--config is '" + m_path +
                              "', a summary without the options and inputs of its run, expected testbench, "
                              "configuration.options_given and configuration.inputs");
        }
        return std::move(m_run);
    }

    bool too_long() const { return m_kept > most_kept; }

    // json_sax; false ends the reading
    bool null() override { return scalar(nullptr); }
    bool boolean(bool) override { return scalar(nullptr); }
    bool number_integer(number_integer_t) override { return scalar(nullptr); }
    bool number_unsigned(number_unsigned_t) override { return scalar(nullptr); }
    bool number_float(number_float_t, const string_t&) override { return scalar(nullptr); }
    bool string(string_t& text) override { return scalar(&text); }
    bool binary(binary_t&) override { return scalar(nullptr); }
    bool start_object(std::size_t) override { return container(true); }
    bool start_array(std::size_t) override { return container(false); }
    bool end_object() override { return end(); }
    bool end_array() override { return end(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
    bool key(string_t& name) override
    {
        if (m_depth <= m_keys.size()) { m_keys[m_depth - 1] = name; }
        if (m_depth == 1) {
            m_has_testbench |= name == "testbench";
            m_has_configuration |= name == "configuration";
        }
        return true;
    }

private:
    static constexpr std::size_t most_kept = 4u << 20;

    enum class place { elsewhere, testbench, options, option, option_item, inputs, input, input_field };

    // Where the next value lies. A list has empty keys.
    place here() const
    {
        if (m_depth == 1 && m_keys[0] == "testbench") { return place::testbench; }
        if (m_depth < 2 || m_depth > 4 || m_keys[0] != "configuration") { return place::elsewhere; }
        const auto at = m_depth - 2;
        if (m_keys[1] == "options_given") { return std::array{place::options, place::option, place::option_item}[at]; }
        if (m_keys[1] == "inputs") { return std::array{place::inputs, place::input, place::input_field}[at]; }
        return place::elsewhere;
    }

    std::string* input_field()
    {
        auto& input = m_run.inputs.back();
        const auto& name = m_keys[3];
        return name == "option"   ? &input.option
               : name == "name"   ? &input.name
               : name == "sha256" ? &input.sha256
                                  : nullptr;
    }

    void add_option(bool sequence)
    {
        const auto& name = m_keys[2];
        m_run.options.push_back({name, m_path + ": options_given." + name, sequence, {}});
        m_kept += m_run.options.back().origin.size() + name.size();
    }

    // `text`: null for what is none.
    bool scalar(const std::string* text)
    {
        const auto at = m_wrong ? place::elsewhere : here();
        if (at == place::elsewhere) { return true; }
        std::string* const field = at == place::input_field ? input_field() : nullptr;
        if (at == place::input_field && field == nullptr) { return true; }
        m_wrong = text == nullptr || at == place::options || at == place::inputs || at == place::input ||
                  (at == place::option && m_keys[2].empty());
        if (m_wrong) { return true; }
        m_kept += text->size() + sizeof *text;
        if (at == place::testbench) {
            m_run.testbench = *text;
        } else if (field != nullptr) {
            *field = *text;
        } else {
            if (at == place::option) { add_option(false); }
            m_run.options.back().values.push_back(*text);
        }
        return !too_long();
    }

    bool container(bool object)
    {
        switch (m_wrong ? place::elsewhere : here()) {
        case place::elsewhere: break;
        case place::testbench:
        case place::option_item: m_wrong = true; break;
        case place::options: m_has_options = true; break; // an empty list will do
        case place::inputs: m_wrong = !(m_has_inputs = !object); break;
        case place::input_field: m_wrong = input_field() != nullptr; break;
        case place::option:
            m_wrong = object || m_keys[2].empty();
            if (!m_wrong) { add_option(true); }
            break;
        case place::input:
            m_wrong = !object;
            if (object) {
                m_run.inputs.emplace_back();
                m_kept += sizeof(run_input);
            }
            break;
        }
        if (m_depth < m_keys.size()) { m_keys[m_depth].clear(); }
        ++m_depth;
        return !too_long();
    }

    bool end()
    {
        --m_depth;
        return true;
    }

    std::string m_path;
    recorded_run m_run;
    std::array<std::string, 4> m_keys; // of the objects around the next value, from the outermost on
    std::size_t m_depth = 0;
    std::size_t m_kept = 0; // bytes
    bool m_has_testbench = false, m_has_configuration = false, m_has_options = false, m_has_inputs = false;
    bool m_wrong = false; // something of a run is not of the kind that a summary has
};

} // namespace

std::optional<recorded_run> read_recorded_run(const std::string& path)
{
    const std::string text = read_text(path);
    if (!may_be_json(text)) { return std::nullopt; }
    summary_reader reader(path);
    const bool is_json = nlohmann::json::sax_parse(text, &reader);
    if (reader.too_long()) {
        throw input_error("--config is '" + path + "', expected at most 4 MiB of options and inputs in a summary");
    }
    return is_json ? reader.result() : std::nullopt;
}

std::vector<config_entry> read_config(const std::string& path)
{
    const base::yaml_node root = document(path);
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
