#pragma once
#include <cstddef>

namespace tensorloom::costs {

/// A technology that ships with the project, read when the library is built (write_technologies.cpp): parsing its YAML
/// takes longer than a small simulation.
struct shipped_technology {
    struct number {
        const char* key;
        double value;
        const char* unit;
        const char* process;
        const char* source;
        bool estimate;
    };

    const char* name;
    const char* process;
    const char* second_source; ///< its name, or empty
    const char* text;          ///< the YAML file
    const number* numbers;
    std::size_t count;
};

extern const shipped_technology shipped_technologies[];
extern const std::size_t shipped_technologies_count;

} // namespace tensorloom::costs
