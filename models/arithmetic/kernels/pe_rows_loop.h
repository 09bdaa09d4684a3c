#pragma once
#include <tensorloom/models/arithmetic/kernels/pe_rows.h>

// In an anonymous namespace on purpose: only translation units compiled for that machine may hold this code.
namespace {

using tensorloom::arithmetic::pe_rows;

/// S: vectors of partial sums (psum_vectors_avx2.h).
template <class S> void multiply_pe_rows(const pe_rows& work)
{
    for (unsigned left = work.rows; left != 0;) {
        const auto r = static_cast<unsigned>(31 - __builtin_clz(left));
        left ^= 1u << r;
        const auto ia = S::broadcast(work.ia[r]);
        for (unsigned n = 0; n < work.columns; n += S::width) {
            const auto psum = S::mac(S::load(work.sum[r] + n), ia, S::load(work.ib[r] + n));
            S::store(work.psum + r * work.pitch + n, S::canonical(psum));
        }
    }
}

} // namespace
