// Partial sums in the order of a device: of an ordered product, and of one multiply-add in each PE.
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/kernels/ordered_loops.h>
#include <tensorloom/models/arithmetic/kernels/pe_rows_loop.h>
#include <tensorloom/models/arithmetic/kernels/vectors_portable.h>

namespace tensorloom::arithmetic {

namespace {

template <class Psum> struct tile_of : one_psum<Psum> {
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 1;
};

} // namespace

template <>
const ordered_kernel<psum_f32>
    ordered_kernel<psum_f32>::portable = make_ordered_kernel<psum_f32, tile_of<psum_f32>>("portable");
template <>
const ordered_kernel<psum_bf16>
    ordered_kernel<psum_bf16>::portable = make_ordered_kernel<psum_bf16, tile_of<psum_bf16>>("portable");

const pe_rows_kernel pe_rows_kernel::portable{"portable", &multiply_pe_rows<one_psum<psum_f32>>,
                                              &multiply_pe_rows<one_psum<psum_bf16>>};

} // namespace tensorloom::arithmetic
