#pragma once
#include <cstddef>

namespace tensorloom::base {

/// A text file of the source tree that is built into the library (cmake/EmbedText.cmake).
struct embedded_text {
    const char* name; ///< file name without extension
    const char* text;
};

extern const embedded_text shipped_drams[];
extern const std::size_t shipped_drams_count;

} // namespace tensorloom::base
