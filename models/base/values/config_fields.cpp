#include <tensorloom/models/base/values/config_fields.h>
#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::base {
namespace {

using wrong = std::optional<std::string>;

// Message about an invalid value, in the words of its field.
std::string told(std::string found, const std::string& value, const std::string& expected)
{
    const auto mark = found.find('#');
    if (mark == std::string::npos) { return found; }
    const bool complete = found.find(", expected ") != std::string::npos;
    return found.replace(mark, 1, value) + (complete ? "" : ", expected " + expected);
}

wrong told_of_number(const number_range& range, const std::string& found, std::uint64_t value)
{
    std::string expected;
    if (value < range.least || value > range.most) {
        expected = std::to_string(range.least) + " to " + std::to_string(range.most);
    } else if (value % range.multiple != 0) {
        expected = "a multiple of " + std::to_string(range.multiple);
    } else if (range.power_of_two && !is_power_of_two(value)) {
        expected = "a power of two";
    }
    return expected.empty() ? std::nullopt : wrong(told(found, std::to_string(value), expected));
}

} // namespace

std::string config_field::member() const
{
    std::string name = says.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return owner.empty() ? name : owner + "." + name;
}

std::string config_field::unit() const
{
    std::string form = says.form;
    const bool is_number = kind == config_kind::number || kind == config_kind::fraction;
    if (!is_number || form == "COUNT" || form == "SIDE" || form.find('|') != std::string::npos) { return {}; }
    for (auto& letter : form) { letter = letter == '_' ? ' ' : static_cast<char>(std::tolower(letter)); }
    return form;
}

std::optional<bool> on_off_value(std::string_view text)
{
    if (text == "on" || text == "true") { return true; }
    if (text == "off" || text == "false") { return false; }
    return std::nullopt;
}

config_field on_off(field_place at, field_texts says)
{
    const auto text = [at] { return std::string(at.get() != 0 ? "on" : "off"); };
    const auto read = [at](const std::string& given) -> wrong {
        const auto value = on_off_value(given);
        if (!value) { return std::string("on or off"); }
        at.put(*value ? 1 : 0);
        return std::nullopt;
    };
    return {std::move(says), config_kind::on_off, text, read, [] { return wrong(); }, "on or off"};
}

config_field flag(field_place at, field_texts says)
{
    config_field f = on_off(std::move(at), std::move(says));
    f.kind = config_kind::flag;
    return f;
}

config_field number(field_place at, const number_range& range, field_texts says)
{
    const bool zero = *says.zero != 0;
    const std::uint64_t least = zero ? 1 : range.least;
    const std::string in_range = (range.power_of_two ? "a power of two" : "an integer") + range_text(least, range.most);
    const auto read = [at, zero, range, least, in_range](const std::string& text) -> wrong {
        if (zero && text == "0") { return at.put(0), std::nullopt; }
        const auto value = parse_number<std::uint64_t>(text);
        const bool inside = value && *value >= least && *value <= range.most;
        if (!inside || (range.power_of_two && !is_power_of_two(*value))) { return in_range; }
        if (*value % range.multiple != 0) { return "a multiple of " + std::to_string(range.multiple); }
        at.put(*value);
        return std::nullopt;
    };
    const auto error = [at, range, found = says.found] { return told_of_number(range, found, at.get()); };
    std::string values = in_range;
    if (range.multiple > 1) { values += ", a multiple of " + std::to_string(range.multiple); }
    if (zero) { values += ", or 0: " + std::string(says.zero); }
    return {std::move(says), config_kind::number, [at] { return std::to_string(at.get()); }, read, error, values};
}

config_field power_of_two(field_place at, std::uint64_t least, std::uint64_t most, field_texts says)
{
    return number(std::move(at), {least, most, 1, true}, std::move(says));
}

config_field fraction(double& at, double least, double most, field_texts says)
{
    const std::string in_range = "a number" + range_text(least, most);
    const auto read = [&at, least, most, in_range](const std::string& text) -> wrong {
        const auto value = parse_number<double>(text);
        if (!value || *value < least || *value > most) { return in_range; }
        at = *value;
        return std::nullopt;
    };
    const auto error = [&at, least, most, found = says.found]() -> wrong {
        if (at >= least && at <= most) { return std::nullopt; }
        return told(found, std::to_string(at), shortest_text(least) + " to " + shortest_text(most));
    };
    return {std::move(says), config_kind::fraction, [&at] { return shortest_text(at); }, read, error, in_range};
}

config_field sizes(std::array<std::uint32_t, 3>& at, const number_range& range, field_texts says)
{
    const auto text = [&at] {
        return std::to_string(at[0]) + "x" + std::to_string(at[1]) + "x" + std::to_string(at[2]);
    };
    const std::string three_sizes = "three sizes" + range_text(range.least, range.most) + ", like 4x5x6";
    const auto read = [&at, range, three_sizes](const std::string& given) -> wrong {
        const auto three = parse_three<std::uint64_t>(given, 'x', range.least, range.most);
        if (!three) { return three_sizes; }
        std::copy(three->begin(), three->end(), at.begin());
        return std::nullopt;
    };
    const auto error = [&at, range, found = says.found]() -> wrong {
        for (std::size_t m = 0; m < at.size(); ++m) {
            if (auto bad = told_of_number(range, found + " " + std::to_string(m + 1), at[m])) { return bad; }
        }
        return std::nullopt;
    };
    return {std::move(says), config_kind::sizes, text, read, error, three_sizes};
}

config_field choice(field_place at, names_of_values values, field_texts says, std::string expected)
{
    bool numbers = true;
    std::string names;
    for (const auto& [name, value] : values) {
        numbers = numbers && name == std::to_string(value);
        names += (names.empty() ? "" : ", ") + name;
    }
    if (expected.empty()) { expected = (values.size() > 1 ? "one of " : "") + names; }
    const auto text = [at, values] {
        for (const auto& [name, value] : values) {
            if (value == at.get()) { return name; }
        }
        return std::to_string(at.get());
    };
    const auto read = [at, values, expected](const std::string& given) -> wrong {
        for (const auto& [name, value] : values) {
            if (name != given) { continue; }
            at.put(value);
            return std::nullopt;
        }
        return expected;
    };
    const auto error = [at, values, expected, found = says.found]() -> wrong {
        for (const auto& named : values) {
            if (named.second == at.get()) { return std::nullopt; }
        }
        return told(found, std::to_string(at.get()), expected);
    };
    return {std::move(says), numbers ? config_kind::number : config_kind::name, text, read, error, expected};
}

config_field format(element_type& at, const element_types& formats, field_texts says)
{
    names_of_values values;
    for (const auto f : formats) { values.emplace_back(element_type_name(f), static_cast<std::uint64_t>(f)); }
    const auto mark = says.found.find('#');
    if (mark != std::string::npos) { says.found.replace(mark, 1, element_type_name(at)); }
    return choice(at, std::move(values), std::move(says));
}

config_field some_of(field_place bits, std::vector<std::string> names, field_texts says)
{
    const auto text_of = [names](std::uint64_t set) {
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if ((set >> i & 1) != 0) { text += (text.empty() ? "" : ",") + names[i]; }
        }
        return text.empty() ? "none" : text;
    };
    const std::string some = "none, or some of " + text_of(~std::uint64_t{0}) + ", each once";
    const auto read = [bits, names, some, form = says.form](const std::string& text) -> wrong {
        const auto words = split(text, ',');
        if (std::find(words.begin(), words.end(), "") != words.end()) {
            return std::string("words with a comma between them (") + form + ")";
        }
        std::uint64_t set = 0;
        for (const auto& word : text == "none" ? std::vector<std::string_view>{} : words) {
            const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), word) - names.begin());
            if (at == names.size() || (set >> at & 1) != 0) { return some; }
            set |= std::uint64_t{1} << at;
        }
        bits.put(set);
        return std::nullopt;
    };
    return text_field([bits, text_of] { return text_of(bits.get()); }, read, some, std::move(says));
}

config_field text_field(std::function<std::string()> text,
                        std::function<std::optional<std::string>(const std::string&)> read, std::string values,
                        field_texts says)
{
    const auto no_error = [] { return wrong(); };
    return {std::move(says), config_kind::name, std::move(text), std::move(read), no_error, std::move(values)};
}

config_fields members_of(const char* owner, config_fields fields)
{
    for (auto& field : fields) { field.owner = owner; }
    return fields;
}

config_fields fields_named(const config_fields& fields, std::initializer_list<const char*> names)
{
    config_fields found;
    for (const std::string_view name : names) {
        const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.says.name == name; });
        if (at == fields.end()) { throw std::logic_error("no such field: " + std::string(name)); }
        found.push_back(*at);
    }
    return found;
}

std::size_t place_in(const config_fields& fields, std::string_view name)
{
    std::string spelt(name);
    std::replace(spelt.begin(), spelt.end(), '_', '-');
    const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& f) {
        return f.says.name == spelt || (!spelt.empty() && f.says.synonym == spelt);
    });
    return static_cast<std::size_t>(at - fields.begin());
}

std::optional<std::string> validate(const config_fields& fields)
{
    for (const auto& f : fields) {
        auto bad = f.says.found.empty() ? std::nullopt : f.error();
        if (bad) { return bad; }
    }
    return std::nullopt;
}

std::optional<std::string> set(const config_fields& fields, std::string_view name, const std::string& text)
{
    const auto at = place_in(fields, name);
    if (at == fields.size()) {
        std::string names;
        for (const auto& f : fields) { names += (names.empty() ? "" : ", ") + std::string(f.says.name); }
        return "no field " + in_quotes(name) + ", expected one of " + names;
    }
    const auto expected = fields[at].read(text);
    return expected ? wrong(std::string(name) + " is " + in_quotes(text) + ", expected " + *expected) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> list(const config_fields& fields)
{
    std::vector<std::pair<std::string, std::string>> values;
    for (const auto& f : fields) { values.emplace_back(f.says.name, f.text()); }
    return values;
}

} // namespace tensorloom::base
