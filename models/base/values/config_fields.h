#pragma once
#include <array>
#include <cstddef>
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

/// Name and texts of a configuration field.
struct field_texts {
    const char* name;      ///< for set() and as an option: "step-cycles"
    const char* key;       ///< in a summary: "step_cycles"
    const char* form;      ///< of a value, with its unit: "CYCLES"; "" for a flag
    const char* help;      ///< one sentence
    std::string found{};   ///< a wrong value in an error message: "step of # cycles", followed by the expected values
                           ///< unless it names them; "": the error is reported elsewhere
    const char* zero = ""; ///< of a number that is 0 by default: the meaning of 0, "as its side"
    const char* synonym = ""; ///< another name, for set() and as an option
};

enum class config_kind { flag, on_off, number, fraction, name, sizes };

/// One field of a configuration object: its range, and its value as text.
struct config_field {
    field_texts says;
    config_kind kind;
    std::function<std::string()> text; ///< its value
    /// Sets the value, or returns what was expected and changes nothing.
    std::function<std::optional<std::string>(const std::string&)> read;
    std::function<std::optional<std::string>()> error; ///< of its present value
    std::string values{}; ///< in words: "an integer from 1 to 64"; read() may accept less where fields depend on others
    std::string owner{};  ///< the member struct that has it: "dma"

    std::string member() const; ///< of the configuration struct: "dma.outstanding"; its name with _ for -
    std::string unit() const;   ///< of a number: "bytes", "per cycle"; "" for none
};

/// The fields of a configuration, in order, made by the fields_of(config) beside each configuration. Options,
/// summaries, error messages and set() use this one table. A field's range may depend on other fields: the table is
/// valid for the values that it was made with. It refers to `config`.
using config_fields = std::vector<config_field>;

/// Access to a whole number, a bool or a value of an enumeration.
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
    std::uint64_t least, most;  ///< both inclusive
    std::uint64_t multiple = 1; ///< the value must be a multiple of this
    bool power_of_two = false;
};
using names_of_values = std::vector<std::pair<std::string, std::uint64_t>>;

/// A value that is on or off, which set() also takes as true or false. As an option, a flag has no value; a switch has
/// one, because it may be on by default.
config_field flag(field_place at, field_texts says);
config_field on_off(field_place at, field_texts says);
config_field number(field_place at, const number_range& range, field_texts says);
config_field power_of_two(field_place at, std::uint64_t least, std::uint64_t most, field_texts says);
config_field fraction(double& at, double least, double most, field_texts says);
config_field sizes(std::array<std::uint32_t, 3>& at, const number_range& range, field_texts says); ///< "4x5x6"
/// One of several values; a number when all their names are numbers. `expected` replaces "one of ..." in messages.
config_field choice(field_place at, names_of_values values, field_texts says, std::string expected = {});
config_field format(element_type& at, const element_types& formats, field_texts says);
/// Some of these names, or "none": bits from bit 0 on.
config_field some_of(field_place bits, std::vector<std::string> names, field_texts says);
/// Any text that `read` takes (config_field::read), `values` in words; its errors are found elsewhere.
config_field text_field(std::function<std::string()> text,
                        std::function<std::optional<std::string>(const std::string&)> read, std::string values,
                        field_texts says);

// ---- functions on a table ----

/// These fields, as those of a member struct.
config_fields members_of(const char* owner, config_fields fields);

/// The fields with these names, in the order of the names; std::logic_error when one is missing.
config_fields fields_named(const config_fields& fields, std::initializer_list<const char*> names);

/// The place in the table of the field that set() finds by this name; the size of the table when there is none.
std::size_t place_in(const config_fields& fields, std::string_view name);
/// The error of the first field with an invalid value.
std::optional<std::string> validate(const config_fields& fields);
/// The value of a text that is on, off, true or false.
std::optional<bool> on_off_value(std::string_view text);
/// Sets the field of this name: "lanes", "128"; "step_cycles" is "step-cycles". Returns an error of one line when there
/// is no such field or the value is invalid; nothing has changed then.
std::optional<std::string> set(const config_fields& fields, std::string_view name, const std::string& text);
/// Names and values.
std::vector<std::pair<std::string, std::string>> list(const config_fields& fields);

/// Likewise for a configuration that has fields_of(). validate(config) checks in addition whether the fields fit each
/// other.
template <class Config> std::optional<std::string> set(Config& config, std::string_view name, const std::string& text)
{
    return set(fields_of(config), name, text);
}
template <class Config> std::vector<std::pair<std::string, std::string>> list(Config config)
{
    return list(fields_of(config));
}

} // namespace tensorloom::base
