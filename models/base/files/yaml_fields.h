#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::base {

/// The keys of a map, each with what reads its value.
using key_readers = std::map<std::string, std::function<void(const yaml_value&)>>;

/// Reads values of a YAML file, whose messages begin with its name and the line: every function throws
/// input_error, one line, for a value that is not of its type.
class yaml_fields {
public:
    /// `origin`: the file as messages call it.
    explicit yaml_fields(std::string origin) : m_origin(std::move(origin)) {}

    const std::string& origin() const { return m_origin; }
    std::string place_of(const yaml_value& value) const; ///< "origin:line"
    [[noreturn]] void refuse(const yaml_value& value, const std::string& expected) const;

    /// Each key at most once, and none but these.
    void read_map(const yaml_value& map, const key_readers& readers) const;
    const std::string& text_of(const yaml_value& value) const;
    float number(const yaml_value& value) const;
    double real(const yaml_value& value) const;
    std::uint64_t whole(const yaml_value& value) const;
    bool flag(const yaml_value& value) const;
    /// Numbers from 1 to 2^31 - 1.
    std::vector<std::uint64_t> numbers(const yaml_value& value, char between, const char* example) const;
    /// A value by its name; `names` are others that a message lists, too, each with ", ".
    template <class E, std::size_t N>
    E named(const yaml_value& value, const named_value (&all)[N], std::string names = {}) const
    {
        for (const auto& one : all) {
            if (text_of(value) == one.name) { return static_cast<E>(one.value); }
            names += std::string(one.name) + ", ";
        }
        refuse(value, "one of " + names.substr(0, names.size() - 2));
    }

private:
    std::string m_origin;
};

/// The root of the text of a YAML file, which messages call `origin`. Throws input_error for text that is not valid
/// YAML.
yaml_node read_yaml(const std::string& text, const std::string& origin);

} // namespace tensorloom::base
