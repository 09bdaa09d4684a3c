#include <tensorloom/models/arithmetic/rotated_product.h>
#include <complex>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {
namespace {

template <class Element, class R> accumulator_of<Element> sum_at(const R* value, [[maybe_unused]] std::size_t plane)
{
    if constexpr (number_format<Element>::parts == 2) {
        return {value[0], value[plane]};
    } else {
        return *value;
    }
}

} // namespace

template <class Element> void rotated_product<Element>::run(const problem& p)
{
    std::array<std::size_t, 3> from{}, to{};
    for (unsigned m = 0; m < 3; ++m) { from[m] = to[m] = p.blocks * p.block[m]; }
    to[p.mode] = p.blocks * p.made;
    const std::size_t depth = p.block[p.mode];
    const std::size_t x_plane = from[0] * from[1] * from[2], y_plane = to[0] * to[1] * to[2];
    real* y = p.y;
    std::array<std::size_t, 3> i{};
    for (i[0] = 0; i[0] < to[0]; ++i[0]) {
        for (i[1] = 0; i[1] < to[1]; ++i[1]) {
            for (i[2] = 0; i[2] < to[2]; ++i[2], ++y) {
                std::size_t block = 0;
                for (unsigned m = 0; m < 3; ++m) {
                    block += p.advance[m] * (i[m] / (m == p.mode ? p.made : p.block[m]));
                }
                auto sum = p.accumulate ? sum_at<Element>(p.y + (y - p.y), y_plane) : accumulator_of<Element>{};
                for (std::size_t t = 0; t < p.blocks; ++t, block += p.ascending ? 1 : p.blocks - 1) {
                    for (std::size_t j = 0; j < depth; ++j) {
                        auto at = i;
                        at[p.mode] = block % p.blocks * depth + j;
                        const real* const x = p.x + (at[0] * from[1] + at[1]) * from[2] + at[2];
                        sum = mac(sum, narrowed<Element>(sum_at<Element>(x, x_plane), 0).value,
                                  p.coefficients[at[p.mode] * to[p.mode] + i[p.mode]]);
                    }
                }
                if constexpr (parts == 2) {
                    y[0] = sum.real();
                    y[y_plane] = sum.imag();
                } else {
                    y[0] = sum;
                }
            }
        }
    }
}

template class rotated_product<double>;
template class rotated_product<float>;
template class rotated_product<std::complex<double>>;
template class rotated_product<std::complex<float>>;
template class rotated_product<bfloat16>;

} // namespace tensorloom::arithmetic
