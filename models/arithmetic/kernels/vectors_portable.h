#pragma once
#include <cmath>
#include <cstddef>
#include <tensorloom/models/arithmetic/psum.h>

// The "vectors" of the portable kernels, of one number each; list_tile.h and gemm_loops.h define their functions, and
// psum_vectors_avx2.h those for partial sums.
namespace {

template <class R> struct one {
    using real = R;
    using vector = R;
    using mask = bool;
    static constexpr unsigned width = 1;
    static vector zero() { return R(0); }
    static vector load(const R* p) { return *p; }
    static void store(R* p, vector v) { *p = v; }
    static vector broadcast(R x) { return x; }
    static vector fma(vector x, vector y, vector sum) { return std::fma(x, y, sum); }
    static mask nonzero(vector x) { return x != R(0); }
    static mask either(mask a, mask b) { return a || b; }
    static vector fma_where(mask m, vector x, vector y, vector sum) { return m ? std::fma(x, y, sum) : sum; }
    static bool any_nan(vector x) { return x != x; }
};

/// Of partial sums.
template <class Psum> struct one_psum : one<float> {
    static float mac(float acc, float a, float b) { return Psum::mac(acc, a, b); }
    static float add(float left, float right) { return Psum::add(left, right); }
    static float canonical(float sum) { return sum; }
};

} // namespace
