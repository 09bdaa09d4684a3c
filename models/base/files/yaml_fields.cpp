#include <tensorloom/models/base/files/yaml_fields.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::base {

std::string yaml_fields::place_of(const yaml_value& value) const { return m_origin + ":" + std::to_string(value.line); }

void yaml_fields::refuse(const yaml_value& value, const std::string& expected) const
{
    base::refuse(place_of(value), value.described(), expected);
}

void yaml_fields::read_map(const yaml_value& map, const key_readers& readers) const
{
    std::string names;
    for (const auto& [name, reader] : readers) { names += (names.empty() ? "" : ", ") + name; }
    if (map.what != yaml_value::kind::map) { refuse(map, "a map with some of " + names); }
    std::map<std::string, unsigned> seen;
    for (const auto& [key, value] : map.entries) {
        const auto reader = readers.find(key->text);
        if (key->what != yaml_value::kind::text || reader == readers.end()) { refuse(*key, "one of " + names); }
        if (++seen[key->text] > 1) { refuse(*key, "each key once"); }
        reader->second(*value);
    }
}

const std::string& yaml_fields::text_of(const yaml_value& value) const
{
    if (value.what != yaml_value::kind::text || value.text.empty()) { refuse(value, "a single value"); }
    return value.text;
}

double yaml_fields::real(const yaml_value& value) const
{
    const auto read = parse_number<double>(text_of(value));
    if (!read) { refuse(value, "a number"); }
    return *read;
}

float yaml_fields::number(const yaml_value& value) const { return static_cast<float>(real(value)); }

std::uint64_t yaml_fields::whole(const yaml_value& value) const
{
    const auto read = parse_number<std::uint64_t>(text_of(value));
    if (!read) { refuse(value, "a whole number"); }
    return *read;
}

bool yaml_fields::flag(const yaml_value& value) const
{
    const auto on = on_off_value(text_of(value));
    if (!on) { refuse(value, "on or off"); }
    return *on;
}

std::vector<std::uint64_t> yaml_fields::numbers(const yaml_value& value, char between, const char* example) const
{
    constexpr std::uint64_t largest = (std::uint64_t{1} << 31) - 1;
    std::vector<std::uint64_t> all;
    for (const auto part : split(text_of(value), between)) {
        const auto read = parse_number<std::uint64_t>(part);
        if (!read || *read < 1 || *read > largest) {
            refuse(value, std::string("whole numbers from 1 to 2147483647, like ") + example);
        }
        all.push_back(*read);
    }
    return all;
}

yaml_node read_yaml(const std::string& text, const std::string& origin)
{
    try {
        return parse_yaml(text);
    } catch (const yaml_error& e) {
        throw input_error(origin + ":" + std::to_string(e.line) + ": not valid YAML: " + e.what());
    }
}

} // namespace tensorloom::base
