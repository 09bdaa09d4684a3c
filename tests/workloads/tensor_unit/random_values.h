#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace tensorloom::test {

/// Whole numbers, uniform from low to high, both included.
inline std::vector<std::int64_t> random_whole(std::mt19937_64& source, std::size_t n, std::int64_t low,
                                              std::int64_t high)
{
    std::uniform_int_distribution<std::int64_t> one(low, high);
    std::vector<std::int64_t> values(n);
    for (auto& v : values) { v = one(source); }
    return values;
}

/// Real numbers, uniform in [-1, 1).
inline std::vector<double> random_real(std::mt19937_64& source, std::size_t n)
{
    std::uniform_real_distribution<double> one(-1, 1);
    std::vector<double> values(n);
    for (auto& v : values) { v = one(source); }
    return values;
}

} // namespace tensorloom::test
