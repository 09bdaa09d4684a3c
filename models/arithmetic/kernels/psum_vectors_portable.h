#pragma once
#include <tensorloom/models/arithmetic/kernels/vectors_portable.h>
#include <tensorloom/models/arithmetic/psum.h>

// The "vectors" of partial sums of the portable kernels, of one number each; psum_vectors_avx2.h says what their
// functions promise.
namespace {

template <class Psum> struct one_psum : one<float> {
    static float mac(float acc, float a, float b) { return Psum::mac(acc, a, b); }
    static float add(float left, float right) { return Psum::add(left, right); }
    static float canonical(float sum) { return sum; }
};

} // namespace
