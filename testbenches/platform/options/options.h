#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/named_value.h>
#include "platform/options/config_file.h"

namespace tensorloom::testbench {

enum class option_kind {
    flag,   ///< --name, or --name=true|false
    single, ///< --name value, at most once
    list    ///< --name value, any number of times
};

/// One option of a program, without the dashes.
struct option_definition {
    std::string name;
    option_kind kind = option_kind::single;
    std::string form;          ///< of the value, with its unit: "GHZ", "N1xN2xN3", "fast|detailed"; empty for a flag
    std::string help;          ///< one sentence
    std::string default_value; ///< as it would be typed; empty when there is none
    std::string group;         ///< headline in the help text
    bool repeated = true;      ///< used when a run is repeated from its summary
    std::string synonym = {};  ///< another name, as a paper has it; empty when there is none
};

/// Options that control the program and not the computation: config, help, help-json, version.
bool is_program_control(const std::string& name);

/// An option that the user has given, on the command line or in a file.
struct given_option {
    std::string name;
    bool list = false;              ///< can be repeated
    std::vector<std::string> texts; ///< as typed; one unless it is a list
};

/// The values of a program's options: from the command line, else from the configuration file, else the default.
///
/// The getters check values. Errors are an input_error of one line: the option (or file, line and key), the value
/// found, the values expected. Ranges include both ends unless stated otherwise. A getter of an option without value
/// and default, or of an option that the table does not have, throws std::logic_error: call has() first.
class option_values {
public:
    bool has(const std::string& name) const; ///< given by the user; a default does not count
    bool get_flag(const std::string& name) const;   ///< false when not given
    bool get_switch(const std::string& name) const; ///< "on" or "off"; also "true" or "false"
    bool asks_for(const std::string& name) const; ///< given, and not a flag that is false
    std::string get_string(const std::string& name) const;
    std::int64_t get_integer(const std::string& name, std::int64_t min, std::int64_t max) const;
    std::uint64_t get_unsigned(const std::string& name, std::uint64_t min, std::uint64_t max) const;
    std::uint64_t get_power_of_two(const std::string& name, std::uint64_t min, std::uint64_t max) const;
    double get_number(const std::string& name, double min, double max) const;          ///< finite
    double get_number_between(const std::string& name, double low, double high) const; ///< without the ends
    /// "0", "250ps", "10ns", "1.5us", "1ms": picoseconds, a whole number of them.
    std::uint64_t get_time_ps(const std::string& name, std::uint64_t max_ps) const;
    std::string get_choice(const std::string& name, const std::vector<std::string>& choices) const;
    std::array<std::size_t, 3> get_shape(const std::string& name, std::size_t max = 65535) const; ///< "4x5x6", from 1
    std::array<unsigned, 3> get_three(const std::string& name, unsigned max) const; ///< "4,0,7", each from 0 to max
    std::vector<std::string> choices(const std::string& name) const;   ///< as its form says: "fast|detailed"
    std::vector<std::string> get_words(const std::string& name) const; ///< "dct,dct,dft": at least one, none empty
    std::vector<std::string> get_list(const std::string& name) const;  ///< of a repeatable option; empty when not given

    /// Of a repeatable option: "1,2,3", each index from 0 and below the size of the box in its mode.
    template <std::size_t Modes = 3> // 2 or 3
    std::vector<std::array<std::size_t, Modes>> get_positions(const std::string& name,
                                                              const std::array<std::size_t, Modes>& box) const;

    /// Where an option was given: "--seed", "job.yaml:3: seed".
    const std::string& origin(const std::string& name) const { return given(name).origin; }

    /// The error for a value that only the program can check: "--out is '/proc/x', expected a directory".
    base::input_error error(const std::string& name, const std::string& expected) const;

    /// All options with a value and their text, in the table's order, without those that control the program; the items
    /// of a list are separated by blanks.
    std::vector<std::pair<std::string, std::string>> all() const;
    /// The options that the user has given.
    std::vector<given_option> all_given() const;
    /// Inputs of the run that is repeated; empty if none is.
    const std::vector<run_input>& recorded_inputs() const { return m_recorded_inputs; }

private:
    friend class option_table;
    struct given_value {
        std::string origin; // "--seed", "job.yaml:3: seed"
        std::vector<std::string> texts;
    };

    const option_definition& definition(const std::string& name) const;
    const given_value& given(const std::string& name) const;
    const std::string& single(const std::string& name) const;

    std::vector<option_definition> m_definitions;
    std::map<std::string, given_value> m_given;
    std::map<std::string, given_value> m_defaults;
    std::vector<run_input> m_recorded_inputs;
};

/// The choices of an option whose values have names, as get_choice() takes them.
std::vector<std::string> names_of(const base::named_values& values);
/// Choices as the form of an option: "any|contiguous".
std::string form_of(const std::vector<std::string>& choices);

/// The value that a choice's name stands for.
template <class T, std::size_t N>
T get_named(const option_values& values, const std::string& name, const base::named_value (&known)[N])
{
    const auto chosen = values.get_choice(name, names_of(known));
    std::size_t i = 0;
    while (chosen != known[i].name) { ++i; }
    return static_cast<T>(known[i].value);
}

/// The error for options that contradict each other: "--bits is given with --compare, expected it with a single run".
[[noreturn]] void throw_conflict(const std::string& option, const std::string& with, const std::string& expected);

// A flag that is false counts as not given in the functions below.

/// The same for each of these options that was given.
void check_absent(const option_values& values, const std::vector<std::string>& options, const std::string& with,
                  const std::string& expected);
/// Rejects both options: "--model and job.yaml:2: workloads are both given, expected one of them".
void require_at_most_one(const option_values& values, const std::string& one, const std::string& other);

/// Rejects both options and neither: "--input and --shape are both given, expected one of them".
void require_one_of(const option_values& values, const std::string& one, const std::string& other);
/// Rejects an option without the other: "--watch is given without --vcd, expected both".
void require_both(const option_values& values, const std::string& option, const std::string& with);

using base::complaining_of;

/// The declaration of a program's options; command line, configuration file and help text follow from it.
///
/// Options are long, `--name value` or `--name=value`, never abbreviated. Errors are input_error: an unknown option,
/// a missing value, an option given twice, an argument that belongs to no option.
///
/// If the table has `config`, the YAML file can set any other option by name (flags as true or false, lists as
/// sequences); the command line overrides the file. A summary.json instead of a YAML file repeats the run with the
/// options that were given to it, except those of one_run_alone(). An unknown or repeated key, a nested value or
/// invalid YAML is an input_error.
class option_table {
public:
    option_table(std::string program, std::string purpose);

    void begin_group(const std::string& title); ///< of the options added next; only for the help text
    void add_value(const std::string& name, const std::string& form, const std::string& help,
                   const std::string& default_value = {});
    void add_list(const std::string& name, const std::string& form, const std::string& help);
    void add_flag(const std::string& name, const std::string& help);
    /// The option added last does not affect the computation: paths of results, display. A repeated run ignores it.
    void one_run_alone() { m_definitions.back().repeated = false; }
    /// Gives the option added last a second name for users; the getters take the first. Both at once: input_error.
    void add_synonym(const std::string& synonym);

    /// Reads the command line and the file it names. For `help`, `help-json` and `version`: prints to `out` and
    /// returns nothing.
    std::optional<option_values> parse(int argc, const char* const* argv, std::ostream& out) const;

    void print_help(std::ostream& out) const;
    /// The options as JSON for programs: group, type, unit, choices, form, default and help of each
    /// (docs/options.schema.json). Type and unit follow from the form.
    void print_help_json(std::ostream& out) const;

private:
    void add(option_definition definition);
    const option_definition* find(const std::string& name) const; ///< by either of its names
    void read_command_line(int argc, const char* const* argv, option_values& values) const;
    void read_config_file(const std::string& path, option_values& values) const;
    void repeat(const std::string& path, const recorded_run& run, option_values& values) const;
    void take(const config_entry& entry, option_values& values) const;
    const option_definition& option_named_by(const config_entry& entry) const;
    [[noreturn]] void check_unknown(const std::string& name) const;

    std::string m_program;
    std::string m_purpose;
    std::string m_group = "Options";
    std::vector<option_definition> m_definitions;
};

} // namespace tensorloom::testbench
