#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

struct yaml_value;
using yaml_node = std::shared_ptr<const yaml_value>; ///< never null; what an alias stands for is shared

/// A value of a YAML file, as written: what its text means is its reader's business.
struct yaml_value {
    enum class kind {
        nothing, ///< left out, ~ or null
        text,
        list,
        map
    };

    kind what = kind::nothing;
    unsigned line = 0;                                    ///< where it begins, from 1; 0 in an empty file
    std::string text;                                     ///< of a text
    std::vector<yaml_node> items;                         ///< of a list
    std::vector<std::pair<yaml_node, yaml_node>> entries; ///< of a map, in their order; a key may stand there again

    bool is_empty() const { return what == kind::nothing || (what == kind::text && text.empty()); }
    /// As a complaint calls it: "nothing", "a list", "a map", or the text in quotes.
    std::string described() const;
};

/// Why a text is not a YAML document that is read here: what() has neither the file nor the place.
class yaml_error : public input_error {
public:
    yaml_error(unsigned at_line, unsigned at_column, const std::string& found)
        : input_error(found), line(at_line), column(at_column)
    {}

    unsigned line, column; ///< from 1
};

/// Reads a text of one YAML document; one of an empty text is nothing. Throws yaml_error.
///
/// Memory and time are bounded by the text: a second document ends the reading, values are nested at most 64 deep, and
/// aliases stand for at most 1 MiB, counting a value for its characters and one more; one inside the value that it
/// names is refused.
yaml_node parse_yaml(const std::string& text);

/// No file of this project comes near to it.
inline constexpr std::size_t largest_yaml_file = std::size_t{1} << 20;

} // namespace tensorloom::base
