// Products of matrices, dense and by lists of coefficients, and the rounding of their sums.
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding_loop.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/gemm_loops.h>
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_portable.h>

namespace tensorloom::arithmetic {

namespace {

template <class R> struct tile_of_ones : one<R> {
    using half = one<R>;
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 4;
    static R minus_itself(R v) { return v - v; }
    static R merged(R x, R y) { return x + y; } // each +0 or NaN

    using counts = std::uint32_t;
    static unsigned count(bool nonzero) { return nonzero ? 1 : 0; }
    static counts no_counts() { return 0; }
    static counts increased(counts sum, bool nonzero) { return sum + count(nonzero); }
    static void add_counts(std::uint32_t* to, counts sum, std::size_t) { *to += sum; }
};

} // namespace

template <>
const gemm_kernel<double> gemm_kernel<double>::portable = make_gemm_kernel<tile_of_ones<double>>("portable");
template <> const gemm_kernel<float> gemm_kernel<float>::portable = make_gemm_kernel<tile_of_ones<float>>("portable");

template <>
const list_kernel<double> list_kernel<double>::portable = make_list_kernel<one<double>, 8, one<double>>("portable", 0.9,
                                                                                                        0.9);
template <>
const list_kernel<float> list_kernel<float>::portable = make_list_kernel<one<float>, 8, one<float>>("portable", 0.9,
                                                                                                    0.9);

const bfloat16_rounding bfloat16_rounding::portable{"portable", &round_to_bfloat16};

} // namespace tensorloom::arithmetic
