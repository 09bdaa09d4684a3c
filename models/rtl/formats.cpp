#include <tensorloom/models/rtl/formats.h>
#include <verilated_formats.h>

namespace tensorloom::rtl {

std::optional<std::string> missing() { return std::nullopt; }

bool has(base::element_type format)
{
    for (const auto built : built_formats) {
        if (built == format) { return true; }
    }
    return false;
}

std::optional<std::string> missing(base::element_type format)
{
    if (has(format)) { return std::nullopt; }
    return "rtl is not built for " + std::string(base::element_type_name(format)) + ", but for " + formats_text;
}

} // namespace tensorloom::rtl
