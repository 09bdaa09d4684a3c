#pragma once
#include <cmath>
#include <cstddef>
#include <vector>
#include <tensorloom/workloads/training/training_run.h>

namespace tensorloom::test {

/// The length of a vector.
inline double norm(const std::vector<double>& x)
{
    double sum = 0;
    for (const double v : x) { sum += v * v; }
    return std::sqrt(sum);
}

/// Of a loss, a function of all parameters, with respect to one of them: central differences.
template <class Loss>
std::vector<double> gradient_of(const Loss& loss, workloads::parameter_values values, std::size_t parameter)
{
    constexpr float step = 1.0f / 1024;
    std::vector<double> all;
    for (float& x : values[parameter]) {
        const float at = x;
        x = at + step;
        const double above = x, right = loss(values);
        x = at - step;
        all.push_back((right - loss(values)) / (above - x));
        x = at;
    }
    return all;
}

} // namespace tensorloom::test
