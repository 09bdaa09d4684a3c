#pragma once
#include <complex>
#include <tensorloom/models/arithmetic/bfloat16.h>

namespace tensorloom::arithmetic {

/// An element as waveforms show it, integers to 53 bits; the imaginary part is 0 in real formats.
struct traced_element {
    double re = 0;
    double im = 0;
};

template <class R> traced_element shown(R x) { return {static_cast<double>(x), 0}; }
inline traced_element shown(bfloat16 x) { return shown(static_cast<float>(x)); }
template <class R> traced_element shown(std::complex<R> x) { return {x.real(), x.imag()}; }

} // namespace tensorloom::arithmetic
