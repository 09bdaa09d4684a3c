#pragma once
#include <cmath>
#include <vector>
#include <gtest/gtest.h>

namespace tensorloom::test {

/// The norm of the difference is within the tolerance of the norm.
inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance)
{
    ASSERT_EQ(found.size(), expected.size());
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        difference += (found[i] - expected[i]) * (found[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm));
}

/// Central differences of a function by each element. One that is linear in each has no error but rounding.
template <class Function> std::vector<double> central_differences(std::vector<double>& elements, Function function)
{
    std::vector<double> all;
    for (double& element : elements) {
        const double kept = element;
        element = kept + 0.5;
        const double above = function();
        element = kept - 0.5;
        all.push_back(above - function());
        element = kept;
    }
    return all;
}

} // namespace tensorloom::test
