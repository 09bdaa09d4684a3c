#include <cmath>
#include <tensorloom/models/arithmetic/gemm_kernels.h>
#include <tensorloom/models/arithmetic/gemm_tile.h>

namespace tensorloom::arithmetic {
namespace {

template <class R> struct one {
    using real = R;
    using vector = R;
    static constexpr unsigned width = 1;
    static vector zero() { return R(0); }
    static vector load(const R* p) { return *p; }
    static void store(R* p, vector v) { *p = v; }
    static vector broadcast(R x) { return x; }
    static vector fma(vector x, vector y, vector sum) { return std::fma(x, y, sum); }
};

} // namespace

template <class R> const gemm_kernel<R>& portable_gemm_kernel()
{
    static constexpr gemm_kernel<R> kernel{"portable",
                                           4,
                                           4,
                                           &gemm_tile_rows<one<R>, 4, 4>,
                                           &scan_row<R>,
                                           &scan_columns<R>,
                                           &mac_row<R>,
                                           &mac_row_complex<complex_row_factors<R>, R>};
    return kernel;
}

template const gemm_kernel<double>& portable_gemm_kernel<double>();
template const gemm_kernel<float>& portable_gemm_kernel<float>();

} // namespace tensorloom::arithmetic
