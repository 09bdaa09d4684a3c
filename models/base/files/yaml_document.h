#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

struct yaml_value;
using yaml_node = std::shared_ptr<const yaml_value>; ///< never null; the value of an alias is shared

/// A value of a YAML file, as written; the reader interprets its text.
struct yaml_value {
    enum class kind {
        nothing, ///< omitted, ~ or null
        text,
        list,
        map
    };

    kind what = kind::nothing;
    unsigned line = 0;                                    ///< where it begins, from 1; 0 in an empty file
    std::string text;                                     ///< of a text
    std::vector<yaml_node> items;                         ///< of a list
    std::vector<std::pair<yaml_node, yaml_node>> entries; ///< of a map, in order; keys may be repeated

    bool is_empty() const { return what == kind::nothing || (what == kind::text && text.empty()); }
    /// For messages: "nothing", "a list", "a map", or the text in quotes.
    std::string described() const;
};

/// The reason why a text is not a valid YAML document; what() names neither the file nor the position.
class yaml_error : public input_error {
public:
    yaml_error(unsigned at_line, unsigned at_column, const std::string& found)
        : input_error(found), line(at_line), column(at_column)
    {}

    unsigned line, column; ///< from 1
};

/// Reads one YAML document; an empty text is `nothing`. Throws yaml_error.
///
/// Memory and time are bounded by the text: reading ends at a second document, values nest at most 64 deep, and aliases
/// may expand to at most 1 MiB, where a value counts as its characters plus one. An alias inside the value that it
/// names is refused.
yaml_node parse_yaml(const std::string& text);

/// Far above any file of this project.
inline constexpr std::size_t largest_yaml_file = std::size_t{1} << 20;

} // namespace tensorloom::base
