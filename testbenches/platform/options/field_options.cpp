#include "platform/options/field_options.h"
#include <nlohmann/json.hpp>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::testbench {
namespace {

nlohmann::ordered_json value_of(const base::config_field& field)
{
    const std::string text = field.text();
    switch (field.kind) {
    case base::config_kind::flag: return base::on_off_value(text).value();
    case base::config_kind::number: return *base::parse_number<std::uint64_t>(text);
    case base::config_kind::fraction: return *base::parse_number<double>(text);
    case base::config_kind::sizes: return *base::parse_three<std::uint64_t>(text, 'x', 0, UINT64_MAX);
    case base::config_kind::on_off:
    case base::config_kind::name: break;
    }
    return text;
}

} // namespace

base::config_fields with_option_name(base::config_fields fields, const char* field, const char* name)
{
    for (auto& f : fields) {
        if (f.says.name == std::string_view(field)) { f.says.name = name, f.says.synonym = field; }
    }
    return fields;
}

void add_field(option_table& table, const base::config_field& field, const std::string& default_in_words)
{
    const auto& says = field.says;
    if (field.kind == base::config_kind::flag) {
        table.add_flag(says.name, says.help);
    } else if (default_in_words.empty()) {
        table.add_value(says.name, says.form, says.help, field.text());
    } else {
        std::string help = says.help;
        help.pop_back(); // the full stop
        table.add_value(says.name, says.form, help + " (default: " + default_in_words + ").");
    }
    if (*says.synonym != 0) { table.add_synonym(says.synonym); }
}

void add_fields(option_table& table, const base::config_fields& fields)
{
    for (const auto& field : fields) { add_field(table, field, field.says.zero); }
}

void read_field(const option_values& values, const base::config_field& field)
{
    const auto& says = field.says;
    if (!values.has(says.name)) { return; }
    const std::string text = values.get_string(says.name);
    const bool is_default = *says.zero != 0 && text == "0"; // which stands for not giving the option
    if (const auto expected = field.read(is_default ? "" : text)) { throw values.error(says.name, *expected); }
}

void read_fields(const option_values& values, const base::config_fields& fields)
{
    for (const auto& field : fields) { read_field(values, field); }
}

nlohmann::ordered_json json_of(const base::config_fields& fields)
{
    nlohmann::ordered_json json;
    for (const auto& field : fields) { json[field.says.key] = value_of(field); }
    return json;
}

} // namespace tensorloom::testbench
