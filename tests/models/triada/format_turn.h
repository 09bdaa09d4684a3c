#pragma once
#include <complex>
#include <cstdint>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::test {

/// Calls test(Element{}) for the format whose turn it is: f64, f32, c128, c64, bf16, int8, f64, ...
template <class Test> void with_format_of_turn(std::uint64_t turn, const Test& test)
{
    switch (turn % 6) {
    case 0: return test(double{});
    case 1: return test(float{});
    case 2: return test(std::complex<double>{});
    case 3: return test(std::complex<float>{});
    case 4: return test(arithmetic::bfloat16{});
    default: return test(std::int8_t{});
    }
}

} // namespace tensorloom::test
