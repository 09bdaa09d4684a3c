#include <tensorloom/models/arithmetic/kernels/ordered_kernels.h>
#include <tensorloom/models/arithmetic/kernels/ordered_loops.h>
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

} // namespace

template <> const ordered_kernel& avx2_ordered_kernel<psum_f32>()
{
    static constexpr auto kernel = make_ordered_kernel<tile_f32>("avx2", &multiply<tile_f32>);
    return kernel;
}
template <> const ordered_kernel& avx2_ordered_kernel<psum_bf16>()
{
    static constexpr auto kernel = make_ordered_kernel<tile_bf16>("avx2", &multiply_rounding_down);
    return kernel;
}

} // namespace tensorloom::arithmetic
