#pragma once
#include <cmath>
#include <random>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::test {

/// To 8 bits of mantissa, to nearest, ties to even; of normal numbers.
inline double rounded_to_bf16(double x)
{
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(x, 8 - exponent)), exponent - 8);
}

/// acc + a b of numbers of few bits and similar size, whose exact sum is a double: rounded once, to the format of the
/// sums.
inline float oracle_mac(base::element_type psum, float acc, float a, float b)
{
    const double exact = double{acc} + double{a} * double{b};
    return static_cast<float>(psum == base::element_type::bf16 ? rounded_to_bf16(exact) : exact);
}

/// Values of bfloat16 between 1/8 and 8, of both signs.
inline float random_bf16(std::mt19937& random)
{
    const int mantissa = std::uniform_int_distribution<int>(128, 255)(random);
    const int exponent = std::uniform_int_distribution<int>(-10, -5)(random);
    const float x = std::ldexp(static_cast<float>(mantissa), exponent);
    return random() % 2 == 0 ? x : -x;
}

inline std::vector<float> random_row(unsigned elements, std::mt19937& random)
{
    std::vector<float> row(elements);
    for (float& x : row) { x = random_bf16(random); }
    return row;
}

} // namespace tensorloom::test
