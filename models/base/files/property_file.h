#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

/// The properties of a platform: values for the fields of its modules, from one YAML file, by dotted names.
///
///     board.transform.mesh: 16x16x16
///     board.transform.burst-bytes: 1024
///     board:
///       training: {engines: 16, overlap: off}
///       bus.priorities: [3, 1]
///
/// A property is INSTANCE.FIELD; maps in maps are the same as dots, a list is the text "3,1", and an empty list "none".
/// A field has the names that set() takes. Fields are set in the order of their table, whatever the order in the file:
/// those on which the ranges of others depend come first there.
///
/// Throws input_error, one line with file and line: text that is not YAML, a property without a dot, a field given
/// twice.
///
/// Example
///
///     const auto properties = base::property_file::read("board.yaml");
///     triada::config config;
///     properties.apply("board.transform", config);
///     triada::device<> transform("transform", config);
///     properties.expect_all_used();
class property_file {
public:
    struct property {
        std::string name;  ///< "board.transform.mesh"
        std::string text;  ///< "16x16x16"
        std::string place; ///< file and line
    };

    static property_file read(const std::string& path);
    static property_file parse(const std::string& text, const std::string& origin);

    /// Sets the fields of an instance that the file has properties for. Throws input_error for a property that is not a
    /// field, a value out of range, and values that do not fit each other; `config` is unchanged then.
    template <class Config> void apply(const std::string& instance, Config& config) const
    {
        Config changed = config;
        apply(
            instance, [&] { return fields_of(changed); }, [&] { return validate(changed); });
        config = changed;
    }
    /// Likewise; `fields` is called anew for every property, `check` at the end.
    void apply(const std::string& instance, const std::function<config_fields()>& fields,
               const std::function<std::optional<std::string>()>& check) const;

    /// Throws input_error for the first property that belongs to no instance so far.
    void expect_all_used() const;

    const std::vector<property>& properties() const { return m_properties; } ///< in the order of the file

private:
    std::string m_origin;
    std::vector<property> m_properties;
    mutable std::set<std::string> m_instances; // applied so far
};

} // namespace tensorloom::base
