#include <tensorloom/models/arithmetic/kernels/ordered_kernels.h>
#include <tensorloom/models/arithmetic/kernels/ordered_loops.h>
#include <tensorloom/models/arithmetic/kernels/psum_vectors_portable.h>

namespace tensorloom::arithmetic {

namespace {

template <class Psum> struct tile_of : one_psum<Psum> {
    static constexpr std::size_t rows = 4;
    static constexpr std::size_t vectors = 1;
};

} // namespace

template <> const ordered_kernel& portable_ordered_kernel<psum_f32>()
{
    using sums = tile_of<psum_f32>;
    static constexpr auto kernel = make_ordered_kernel<sums>("portable", &multiply<sums>);
    return kernel;
}
template <> const ordered_kernel& portable_ordered_kernel<psum_bf16>()
{
    using sums = tile_of<psum_bf16>;
    static constexpr auto kernel = make_ordered_kernel<sums>("portable", &multiply<sums>);
    return kernel;
}

} // namespace tensorloom::arithmetic
