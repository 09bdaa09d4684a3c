#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::base {

/// How a field of a configuration is called, and told to people.
struct field_texts {
    const char* name;      ///< to set(), and as an option: "step-cycles"
    const char* key;       ///< in a summary: "step_cycles"
    const char* form;      ///< of a value, with its unit: "CYCLES"; "" of a flag
    const char* help;      ///< one sentence
    std::string found{};   ///< a wrong value in a complaint: "step of # cycles"; what was expected follows, unless this
                           ///< says it. "": somebody else complains
    const char* zero = ""; ///< of a number that is 0 until somebody says another: what it is then, "as its side"
};

enum class config_kind { flag, number, fraction, name, sizes };

/// One field of a configuration that stands somewhere: what it may be, and its value as text.
struct config_field {
    field_texts says;
    config_kind kind;
    std::function<std::string()> text; ///< its value
    /// Takes a value; else says what was expected, and nothing has changed.
    std::function<std::optional<std::string>(const std::string&)> read;
    std::function<std::optional<std::string>()> error; ///< of its value, however that came there
};

/// The fields of a configuration, in order. fields_of(config) makes them, beside each configuration: one table, which
/// options, summaries, complaints and set() come from. What a field may be can depend on what others are: the table
/// holds for the values that it was made with. It lives as long as the configuration.
using config_fields = std::vector<config_field>;

/// Where a whole number, a bool or a value of an enumeration stands.
struct field_place {
    std::function<std::uint64_t()> get;
    std::function<void(std::uint64_t)> put;

    field_place(std::function<std::uint64_t()> read, std::function<void(std::uint64_t)> write)
        : get(std::move(read)), put(std::move(write))
    {}
    template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
    field_place(T& at) // NOLINT(google-explicit-constructor): a row of a table names a member
        : get([&at] { return static_cast<std::uint64_t>(at); }), put([&at](std::uint64_t v) { at = static_cast<T>(v); })
    {}
};

// ---- rows of a table ----

struct number_range {
    std::uint64_t least, most;  ///< both may be
    std::uint64_t multiple = 1; ///< of what it must be a multiple
    bool power_of_two = false;
};
using names_of_values = std::vector<std::pair<std::string, std::uint64_t>>;

config_field flag(field_place at, field_texts says);
config_field number(field_place at, const number_range& range, field_texts says);
config_field power_of_two(field_place at, std::uint64_t least, std::uint64_t most, field_texts says);
config_field fraction(double& at, double least, double most, field_texts says);
config_field sizes(std::array<std::uint32_t, 3>& at, const number_range& range, field_texts says); ///< "4x5x6"
/// One of some values; a number when all their names are. `expected`: in other words than "one of ...".
config_field choice(field_place at, names_of_values values, field_texts says, std::string expected = {});
config_field format(element_type& at, const element_types& formats, field_texts says);
/// Some of these names, or "none": the bits from bit 0 on.
config_field some_of(field_place bits, std::vector<std::string> names, field_texts says);

// ---- what comes from a table ----

/// Those of these names, in the order of the names; std::logic_error when there is none.
config_fields fields_named(const config_fields& fields, std::initializer_list<const char*> names);

/// The first field whose value cannot be.
std::optional<std::string> validate(const config_fields& fields);
/// Gives the field of this name a value: "lanes", "128". What is wrong, in a line, when there is no such field or it
/// cannot have that value; then nothing has changed.
std::optional<std::string> set(const config_fields& fields, std::string_view name, const std::string& text);
/// Names and values.
std::vector<std::pair<std::string, std::string>> list(const config_fields& fields);

/// The same of a configuration that has fields_of(). validate(config) tells what single fields do not: whether they
/// fit each other.
template <class Config> std::optional<std::string> set(Config& config, std::string_view name, const std::string& text)
{
    return set(fields_of(config), name, text);
}
template <class Config> std::vector<std::pair<std::string, std::string>> list(Config config)
{
    return list(fields_of(config));
}

} // namespace tensorloom::base
