#include "platform/options/options.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/number_text.h>
#include "platform/options/config_file.h"
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {
namespace {

namespace po = boost::program_options;
using base::input_error;

constexpr std::size_t help_column = 28;
constexpr std::size_t help_width = 110;

// What the form of a value stands for.
struct value_form {
    std::string_view form;
    const char* type;
    const char* unit = nullptr;
};
constexpr value_form value_forms[] = {
    {"AMOUNT", "number"},
    {"B", "integer", "bits"},
    {"BITS", "integer", "bits"},
    {"BURSTS", "integer", "bursts"},
    {"BYTES", "integer", "bytes"},
    {"COUNT", "integer"},
    {"CYCLES", "integer", "cycles"},
    {"DIR", "directory"},
    {"EPS", "number"},
    {"FACTOR", "number"},
    {"FRACTION", "number"},
    {"GB/s", "number", "GB/s"},
    {"GHZ", "number", "GHz"},
    {"INTEGER", "integer"},
    {"K", "integer"},
    {"L", "integer"},
    {"LENGTH", "integer"},
    {"M", "integer"},
    {"MM", "number", "mm"},
    {"N", "integer"},
    {"P", "integer"},
    {"PER_CYCLE", "integer", "per cycle"},
    {"PER_PITCH", "number", "cycles per pitch"},
    {"R", "integer"},
    {"ROWS", "integer", "rows"},
    {"SECONDS", "number", "s"},
    {"SIDE", "integer"},
    {"TIME", "time"},
    {"V", "number", "V"},
    {"X", "number"},
    {"Z", "integer"},
};

// What a form alone does not say.
struct option_unit {
    std::string_view name;
    std::string_view form;
    const char* unit;
};
constexpr option_unit option_units[] = {
    {"edges", "COUNT", "edges"},
    {"in-words", "PER_CYCLE", "words per cycle"},
    {"lanes", "COUNT", "words per cycle"},
    {"latency", "L", "time units of the model"},
    {"link", "BYTES", "bytes per cycle"},
    {"load-elements", "PER_CYCLE", "elements per cycle"},
    {"out-words", "PER_CYCLE", "words per cycle"},
    {"macs-per-cycle", "PER_CYCLE", "multiply-adds per cycle"},
    {"scalar-ops", "PER_CYCLE", "operations per cycle"},
    {"words-per-cycle", "PER_CYCLE", "elements per cycle"},
};

bool is_choice(const std::string& form)
{
    const auto is_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '|';
    };
    return form.find('|') != std::string::npos && std::all_of(form.begin(), form.end(), is_name);
}

value_form value_form_of(const option_definition& d)
{
    if (d.kind == option_kind::flag) { return {d.form, "flag"}; }
    if (is_choice(d.form)) { return {d.form, "choice"}; }
    for (const auto& known : value_forms) {
        if (d.form != known.form) { continue; }
        auto form = known;
        for (const auto& more : option_units) {
            if (d.name == more.name && d.form == more.form) { form.unit = more.unit; }
        }
        return form;
    }
    if (d.form.rfind("NAME|FILE", 0) == 0) { return {d.form, "file"}; }
    const bool file = d.form.find('.') == d.form.rfind('.') && d.form.find(',') == std::string::npos &&
                      (d.form.rfind("FILE", 0) == 0 || d.form.find(".npy") != std::string::npos);
    return {d.form, file ? "file" : "text"};
}

// All values stay text here: the getters of option_values know what each one means, and complain in our words.
po::options_description describe(const std::vector<option_definition>& definitions)
{
    po::options_description description;
    for (const auto& d : definitions) {
        auto* value = po::value<std::string>();
        if (d.kind == option_kind::flag) { value->implicit_value("true"); }
        description.add_options()(d.name.c_str(), value);
        if (!d.synonym.empty()) { description.add_options()(d.synonym.c_str(), po::value<std::string>()); }
    }
    return description;
}

// "--quiet", but not "--+".
bool names_an_option(const std::string& argument)
{
    return argument.rfind("--", 0) == 0 &&
           (argument.size() == 2 || std::isalnum(static_cast<unsigned char>(argument[2])) != 0);
}

std::string without_dashes(const std::string& token)
{
    const std::string name = token.substr(0, token.find('='));
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

nlohmann::ordered_json text_or_null(const char* text)
{
    return text != nullptr ? nlohmann::ordered_json(text) : nullptr;
}

void print_wrapped(std::ostream& out, const std::string& text, std::size_t column)
{
    std::istringstream words(text);
    std::size_t at = column;
    for (std::string word; words >> word; at += word.size() + 1) {
        if (at > column && at + word.size() > help_width) {
            out << '\n' << std::string(column, ' ');
            at = column;
        }
        out << (at > column ? " " : "") << word;
    }
    out << '\n';
}

} // namespace

option_table::option_table(std::string program, std::string purpose)
    : m_program(std::move(program)), m_purpose(std::move(purpose))
{}

void option_table::begin_group(const std::string& title) { m_group = title; }

void option_table::add_value(const std::string& name, const std::string& form, const std::string& help,
                             const std::string& default_value)
{
    add({name, option_kind::single, form, help, default_value, m_group});
}

void option_table::add_list(const std::string& name, const std::string& form, const std::string& help)
{
    add({name, option_kind::list, form, help, {}, m_group});
}

void option_table::add_flag(const std::string& name, const std::string& help)
{
    add({name, option_kind::flag, {}, help, {}, m_group});
}

void option_table::add_synonym(const std::string& synonym)
{
    if (find(synonym) != nullptr) { throw std::logic_error("option declared twice: " + synonym); }
    m_definitions.back().synonym = synonym;
}

void option_table::add(option_definition definition)
{
    if (find(definition.name) != nullptr) { throw std::logic_error("option declared twice: " + definition.name); }
    m_definitions.push_back(std::move(definition));
}

const option_definition* option_table::find(const std::string& name) const
{
    const auto found = std::find_if(m_definitions.begin(), m_definitions.end(), [&](const option_definition& d) {
        return d.name == name || (!d.synonym.empty() && d.synonym == name);
    });
    return found == m_definitions.end() ? nullptr : &*found;
}

std::optional<option_values> option_table::parse(int argc, const char* const* argv, std::ostream& out) const
{
    option_values values;
    values.m_definitions = m_definitions;
    for (const auto& d : m_definitions) {
        if (!d.default_value.empty()) { values.m_defaults[d.name] = {"the default of --" + d.name, {d.default_value}}; }
    }
    read_command_line(argc, argv, values);
    if (find("help") != nullptr && values.get_flag("help")) {
        print_help(out);
        return std::nullopt;
    }
    if (find("help-json") != nullptr && values.get_flag("help-json")) {
        print_help_json(out);
        return std::nullopt;
    }
    if (find("version") != nullptr && values.get_flag("version")) {
        out << m_program << ' ' << version() << '\n';
        return std::nullopt;
    }
    if (find("config") != nullptr && values.has("config")) { read_config_file(values.get_string("config"), values); }
    for (const auto& d : m_definitions) {
        if (d.kind == option_kind::flag) { values.get_flag(d.name); }
    }
    return values;
}

void option_table::read_command_line(int argc, const char* const* argv, option_values& values) const
{
    const po::options_description description = describe(m_definitions);
    namespace style = po::command_line_style;
    po::basic_parsed_options<char> parsed(nullptr);
    try {
        parsed = po::command_line_parser(std::vector<std::string>(argv + std::min(argc, 1), argv + argc))
                     .options(description)
                     .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                     .run();
    } catch (const po::unknown_option& e) {
        check_unknown(without_dashes(e.get_option_name()));
    } catch (const po::invalid_command_line_syntax& e) {
        const option_definition* d = find(without_dashes(e.get_option_name()));
        throw input_error("--" + without_dashes(e.get_option_name()) + " has no value" +
                          (d != nullptr && !d->form.empty() ? ", expected " + d->form : ""));
    } catch (const po::error& e) {
        throw input_error(std::string("command line: ") + e.what());
    }

    const auto check_argument = [](const std::string& argument) {
        throw input_error("unexpected argument '" + argument + "', expected --name value (see --help)");
    };
    for (const auto& option : parsed.options) {
        const std::string value = option.value.empty() ? "" : option.value.front();
        if (option.string_key.empty()) { check_argument(value); }
        const option_definition& d = *find(option.string_key);
        const std::string as_given = "--" + option.string_key;
        const bool in_next_argument = option.original_tokens.size() > 1;
        if (d.kind == option_kind::flag && in_next_argument) { check_argument(value); }
        if (d.kind != option_kind::flag && (value.empty() || (in_next_argument && names_an_option(value)))) {
            throw input_error(as_given + " has no value, expected " + d.form); // --out --quiet
        }
        auto& given = values.m_given[d.name];
        if (!given.texts.empty() && d.kind != option_kind::list) {
            throw input_error(given.origin == as_given
                                  ? as_given + " is given twice"
                                  : given.origin + " and " + as_given + " are both given, expected one of them");
        }
        given.origin = as_given;
        given.texts.push_back(value.empty() ? "true" : value);
    }
}

void option_table::read_config_file(const std::string& path, option_values& values) const
{
    if (const auto run = read_recorded_run(path)) {
        repeat(path, *run, values);
        return;
    }
    std::map<std::string, std::string> keys; // as they stand in the file, by the option's name
    for (const auto& entry : read_config(path)) {
        const auto [known, is_new] = keys.emplace(option_named_by(entry).name, entry.key);
        if (!is_new) {
            throw input_error(entry.origin + " is the same option as " + known->second + ", expected one of them");
        }
        take(entry, values);
    }
}

void option_table::repeat(const std::string& path, const recorded_run& run, option_values& values) const
{
    if (run.testbench != m_program) {
        throw input_error("--config is '" + path + "', a summary of " + run.testbench + ", expected one of " +
                          m_program);
    }
    std::set<std::string> seen;
    for (const auto& entry : run.options) {
        const auto& d = option_named_by(entry);
        if (!seen.insert(d.name).second) {
            throw input_error(entry.origin + " is given twice" + (d.synonym.empty() ? "" : ", or with its synonym"));
        }
        if (d.repeated) { take(entry, values); }
    }
    values.m_recorded_inputs = run.inputs;
}

const option_definition& option_table::option_named_by(const config_entry& entry) const
{
    const option_definition* d = find(entry.key);
    if (d == nullptr) { throw input_error(entry.origin + " is not an option of " + m_program); }
    return *d;
}

void option_table::take(const config_entry& entry, option_values& values) const
{
    const option_definition& d = option_named_by(entry);
    if (is_program_control(entry.key)) { throw input_error(entry.origin + " is allowed on the command line only"); }
    if (entry.sequence && d.kind != option_kind::list) {
        throw input_error(entry.origin + " is a list, expected a single value");
    }
    option_values::given_value from_file{entry.origin, entry.values};
    if (d.kind == option_kind::flag && !base::on_off_value(from_file.texts.front())) {
        throw input_error(entry.origin + " is " + base::in_quotes(from_file.texts.front()) + ", expected on or off");
    }
    if (!from_file.texts.empty()) { values.m_given.emplace(d.name, std::move(from_file)); }
}

void option_table::check_unknown(const std::string& name) const
{
    std::string longer;
    for (const auto& d : m_definitions) {
        for (const auto& known : {d.name, d.synonym}) {
            const bool begins = known.rfind(name, 0) == 0;
            const bool ends = known.size() > name.size() && known.substr(known.size() - name.size() - 1) == "-" + name;
            if (!name.empty() && (begins || ends)) { longer += (longer.empty() ? "--" : ", --") + known; }
        }
    }
    throw input_error("unknown option --" + name +
                      (longer.empty() ? " (see --help)" : " (names are not abbreviated: " + longer + ")"));
}

void option_table::print_help(std::ostream& out) const
{
    out << "Usage: " << m_program << " [--name value]...\n\n" << m_purpose << '\n';
    std::string group;
    for (const auto& d : m_definitions) {
        if (d.group != group) {
            group = d.group;
            out << '\n' << group << ":\n";
        }
        std::string left = "  --" + d.name + (d.form.empty() ? "" : " " + d.form);
        if (left.size() + 2 > help_column) {
            out << left << '\n';
            left.clear();
        }
        left.resize(help_column, ' ');
        out << left;
        std::string help = d.help;
        if (d.kind == option_kind::list) { help += " Can be repeated."; }
        if (!d.synonym.empty()) { help += " Synonym: --" + d.synonym + "."; }
        if (!d.default_value.empty()) { help += " (default: " + d.default_value + ")"; }
        print_wrapped(out, help, help_column);
    }
}

void option_table::print_help_json(std::ostream& out) const
{
    nlohmann::ordered_json listing = {
        {"schema", "tensorloom-options-1"}, {"program", m_program}, {"purpose", m_purpose}};
    auto& options = listing["options"] = nlohmann::ordered_json::array();
    for (const auto& d : m_definitions) {
        const auto form = value_form_of(d);
        nlohmann::ordered_json choices;
        if (is_choice(d.form)) {
            for (const auto& choice : base::split(d.form, '|')) { choices.push_back(choice); }
        }
        options.push_back({{"name", d.name},
                           {"synonym", text_or_null(d.synonym.empty() ? nullptr : d.synonym.c_str())},
                           {"group", d.group},
                           {"type", form.type},
                           {"unit", text_or_null(form.unit)},
                           {"choices", choices},
                           {"form", text_or_null(d.form.empty() ? nullptr : d.form.c_str())},
                           {"computes", d.repeated},
                           {"default", text_or_null(d.default_value.empty() ? nullptr : d.default_value.c_str())},
                           {"repeatable", d.kind == option_kind::list},
                           {"help", d.help}});
    }
    out << listing.dump(2) << '\n';
}

} // namespace tensorloom::testbench
