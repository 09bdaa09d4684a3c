// Partial sums in the order of a device: of an ordered product, and of one multiply-add in each PE.
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/kernels/ordered_loops.h>
#include <tensorloom/models/arithmetic/kernels/pe_rows_loop.h>
#include <tensorloom/models/arithmetic/kernels/psum_vectors_avx2.h>

namespace tensorloom::arithmetic {

namespace {

struct tile_f32 : eight_f32 {
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 3;
};
struct tile_bf16 : eight_bf16 {
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 2;
};

void multiply_rounding_down(const ordered_tile& tile) { rounding_down(&multiply<tile_bf16>, tile); }

void multiply_pe_rows_bf16(const pe_rows& work) { rounding_down(&multiply_pe_rows<eight_bf16>, work); }

} // namespace

template <>
const ordered_kernel<psum_f32> ordered_kernel<psum_f32>::avx2 = make_ordered_kernel<psum_f32, tile_f32>("avx2");
template <>
const ordered_kernel<psum_bf16>
    ordered_kernel<psum_bf16>::avx2 = make_ordered_kernel<psum_bf16, tile_bf16>("avx2", &multiply_rounding_down);

const pe_rows_kernel pe_rows_kernel::avx2{"avx2", &multiply_pe_rows<eight_f32>, &multiply_pe_rows_bf16};

} // namespace tensorloom::arithmetic
