#pragma once
#include <cstdlib>
#include <fstream>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/torus/isa/schedule.h>

namespace tensorloom::test {

/// A table of the golden file, which a simulation with labelled blocks has made.
inline nlohmann::json golden_torus(const char* table)
{
    std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/torus_counts.json");
    return nlohmann::json::parse(file).at(table);
}

inline torus::block_sizes cubic_blocks(std::uint32_t size) { return {{size, size, size}, {size, size, size}}; }

inline torus::block_sizes golden_blocks(const nlohmann::json& b)
{
    if (b.is_number()) { return cubic_blocks(b); }
    return {b[0].get<std::array<std::uint32_t, 3>>(), b[1].get<std::array<std::uint32_t, 3>>()};
}

inline torus::direction golden_direction(const nlohmann::json& name)
{
    return name == "forward" ? torus::direction::forward : torus::direction::inverse;
}

} // namespace tensorloom::test
