#include "platform/options/options.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::testbench {
namespace {

using base::parse_number;
using base::parse_three;
using base::range_text;
using base::shortest_text;

constexpr std::size_t max_quoted = 80;

std::string quote(const std::string& text)
{
    return text.size() <= max_quoted ? "'" + text + "'" : "'" + text.substr(0, max_quoted) + "...'";
}

base::input_error wrong(const std::string& origin, const std::string& text, const std::string& expected)
{
    return base::input_error(origin + " is " + quote(text) + ", expected " + expected);
}

template <class T>
T number_in_range(const std::string& origin, const std::string& text, const char* kind, const T& min, const T& max)
{
    const std::optional<T> value = parse_number<T>(text);
    if (!value || *value < min || *value > max) { throw wrong(origin, text, kind + range_text(min, max)); }
    return *value;
}

std::string join(const std::vector<std::string>& words, const char* between)
{
    std::string all;
    for (const auto& w : words) { all += (all.empty() ? "" : between) + w; }
    return all;
}

} // namespace

bool is_program_control(const std::string& name)
{
    return name == "config" || name == "help" || name == "help-json" || name == "version";
}

const option_definition& option_values::definition(const std::string& name) const
{
    const auto found = std::find_if(m_definitions.begin(), m_definitions.end(),
                                    [&](const option_definition& d) { return d.name == name; });
    if (found == m_definitions.end()) { throw std::logic_error("no such option: " + name); }
    return *found;
}

const option_values::given_value& option_values::given(const std::string& name) const
{
    definition(name);
    auto found = m_given.find(name);
    if (found == m_given.end()) {
        found = m_defaults.find(name);
        if (found == m_defaults.end()) { throw std::logic_error("option without value and default: " + name); }
    }
    return found->second;
}

const std::string& option_values::single(const std::string& name) const { return given(name).texts.front(); }

bool option_values::has(const std::string& name) const
{
    definition(name);
    return m_given.count(name) != 0;
}

bool option_values::get_flag(const std::string& name) const
{
    if (!has(name)) { return false; }
    return get_switch(name);
}

bool option_values::get_switch(const std::string& name) const
{
    const auto value = base::on_off_value(single(name));
    if (!value) { throw error(name, "on or off"); }
    return *value;
}

bool option_values::asks_for(const std::string& name) const
{
    return has(name) && (definition(name).kind != option_kind::flag || get_flag(name));
}

std::string option_values::get_string(const std::string& name) const { return single(name); }

std::int64_t option_values::get_integer(const std::string& name, std::int64_t min, std::int64_t max) const
{
    return number_in_range(given(name).origin, single(name), "an integer", min, max);
}

std::uint64_t option_values::get_unsigned(const std::string& name, std::uint64_t min, std::uint64_t max) const
{
    return number_in_range(given(name).origin, single(name), "an integer", min, max);
}

std::uint64_t option_values::get_power_of_two(const std::string& name, std::uint64_t min, std::uint64_t max) const
{
    const auto value = number_in_range(given(name).origin, single(name), "a power of two", min, max);
    if ((value & (value - 1)) != 0) { throw error(name, "a power of two" + range_text(min, max)); }
    return value;
}

double option_values::get_number(const std::string& name, double min, double max) const
{
    return number_in_range(given(name).origin, single(name), "a number", min, max);
}

double option_values::get_number_between(const std::string& name, double low, double high) const
{
    const auto value = parse_number<double>(single(name));
    if (!value || *value <= low || *value >= high) {
        throw error(name, "a number above " + shortest_text(low) + " and below " + shortest_text(high));
    }
    return *value;
}

std::uint64_t option_values::get_time_ps(const std::string& name, std::uint64_t max_ps) const
{
    const std::string& text = single(name);
    if (text == "0") { return 0; }
    static constexpr std::pair<const char*, double> units[] = {
        {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    for (const auto& [unit, ps_per_unit] : units) {
        const std::string_view end(unit);
        if (text.size() <= end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0) { continue; }
        const auto value = parse_number<double>(text.substr(0, text.size() - end.size()));
        if (!value) { continue; }
        const double ps = *value * ps_per_unit;
        if (ps < 0 || ps > static_cast<double>(max_ps) || std::fabs(ps - std::round(ps)) > 1e-6) { break; }
        return static_cast<std::uint64_t>(std::round(ps));
    }
    throw error(name, "a time such as 0, 250ps, 10ns, 1us or 1ms, at most " + std::to_string(max_ps) + "ps");
}

std::string option_values::get_choice(const std::string& name, const std::vector<std::string>& choices) const
{
    const std::string& text = single(name);
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
        throw error(name, (choices.size() > 1 ? "one of " : "") + join(choices, ", "));
    }
    return text;
}

std::vector<std::string> option_values::choices(const std::string& name) const
{
    const auto parts = base::split(definition(name).form, '|');
    return {parts.begin(), parts.end()};
}

std::array<std::size_t, 3> option_values::get_shape(const std::string& name, std::size_t max) const
{
    const auto shape = parse_three<std::size_t>(single(name), 'x', 1, max);
    if (!shape) { throw error(name, "three sizes" + range_text<std::size_t>(1, max) + ", like 4x5x6"); }
    return *shape;
}

std::array<unsigned, 3> option_values::get_three(const std::string& name, unsigned max) const
{
    const auto numbers = parse_three<unsigned>(single(name), ',', 0, max);
    if (!numbers) {
        throw error(name, "three integers" + range_text(0u, max) + " with a comma between them, like 0,1,2");
    }
    return *numbers;
}

std::vector<std::string> option_values::get_words(const std::string& name) const
{
    const auto parts = base::split(single(name), ',');
    std::vector<std::string> words(parts.begin(), parts.end());
    if (std::any_of(words.begin(), words.end(), [](const std::string& w) { return w.empty(); })) {
        throw error(name, "words with a comma between them (" + definition(name).form + ")");
    }
    return words;
}

std::vector<std::string> option_values::get_list(const std::string& name) const
{
    return has(name) ? given(name).texts : std::vector<std::string>{};
}

template <std::size_t Modes>
std::vector<std::array<std::size_t, Modes>>
option_values::get_positions(const std::string& name, const std::array<std::size_t, Modes>& box) const
{
    std::vector<std::array<std::size_t, Modes>> positions;
    for (const auto& text : get_list(name)) {
        const auto parts = base::split(text, ',');
        std::array<std::size_t, Modes> position{};
        bool right = parts.size() == box.size();
        for (std::size_t m = 0; right && m < box.size(); ++m) {
            const auto index = parse_number<std::size_t>(parts[m]);
            right = index && *index < box[m];
            position[m] = index.value_or(0);
        }
        if (!right) {
            std::string inside, like;
            for (const auto size : box) {
                inside += (inside.empty() ? "" : "x") + std::to_string(size);
                like += like.empty() ? "0" : ",0";
            }
            throw wrong(given(name).origin, text,
                        std::string(Modes == 2 ? "two" : "three") + " indices from 0 inside " + inside + ", like " +
                            like);
        }
        positions.push_back(position);
    }
    return positions;
}

template std::vector<std::array<std::size_t, 2>> option_values::get_positions(const std::string&,
                                                                              const std::array<std::size_t, 2>&) const;
template std::vector<std::array<std::size_t, 3>> option_values::get_positions(const std::string&,
                                                                              const std::array<std::size_t, 3>&) const;

base::input_error option_values::error(const std::string& name, const std::string& expected) const
{
    const given_value& value = given(name);
    return wrong(value.origin, join(value.texts, " "), expected);
}

std::vector<std::pair<std::string, std::string>> option_values::all() const
{
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& d : m_definitions) {
        if (m_given.count(d.name) + m_defaults.count(d.name) != 0 && !is_program_control(d.name)) {
            pairs.emplace_back(d.name, join(given(d.name).texts, " "));
        }
    }
    return pairs;
}

std::vector<given_option> option_values::all_given() const
{
    std::vector<given_option> options;
    for (const auto& d : m_definitions) {
        const auto found = m_given.find(d.name);
        if (found == m_given.end() || is_program_control(d.name)) { continue; }
        options.push_back({d.name, d.kind == option_kind::list, found->second.texts});
    }
    return options;
}

std::vector<std::string> names_of(const base::named_values& values)
{
    std::vector<std::string> names;
    for (const auto& v : values) { names.emplace_back(v.name); }
    return names;
}

std::string form_of(const std::vector<std::string>& choices)
{
    std::string form;
    for (const auto& name : choices) { form += (form.empty() ? "" : "|") + name; }
    return form;
}

void throw_conflict(const std::string& option, const std::string& with, const std::string& expected)
{
    throw base::input_error("--" + option + " is given with " + with + ", expected it " + expected);
}

void check_absent(const option_values& values, const std::vector<std::string>& options, const std::string& with,
                  const std::string& expected)
{
    for (const auto& option : options) {
        if (values.asks_for(option)) { throw_conflict(option, with, expected); }
    }
}

void require_at_most_one(const option_values& values, const std::string& one, const std::string& other)
{
    if (!values.asks_for(one) || !values.asks_for(other)) { return; }
    throw base::input_error(values.origin(one) + " and " + values.origin(other) +
                            " are both given, expected one of them");
}

void require_one_of(const option_values& values, const std::string& one, const std::string& other)
{
    require_at_most_one(values, one, other);
    if (values.asks_for(one) || values.asks_for(other)) { return; }
    throw base::input_error("neither --" + one + " nor --" + other + " is given, expected one of them");
}

void require_both(const option_values& values, const std::string& option, const std::string& with)
{
    if (!values.asks_for(option) || values.asks_for(with)) { return; }
    throw base::input_error("--" + option + " is given without --" + with + ", expected both");
}

} // namespace tensorloom::testbench
