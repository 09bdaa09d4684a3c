#include "compare_devices/mode_products.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/workloads/result_check.h>

namespace tensorloom::testbench {
namespace {

std::vector<double> in_double(const std::vector<arithmetic::bfloat16>& values)
{
    std::vector<double> all(values.size());
    std::transform(values.begin(), values.end(), all.begin(),
                   [](arithmetic::bfloat16 x) { return static_cast<double>(static_cast<float>(x)); });
    return all;
}

// y[r][n] by matrix[n][k] as [k][r]: the last mode is summed over, and what it has become is the first one.
products_reference summed_over_last(const products_reference& x, const std::vector<double>& matrix, std::size_t n,
                                    std::size_t k)
{
    constexpr double to_spare = 32, own = 0x1p-53;
    constexpr double of_tiny_sum = 0x1p-149, of_tiny_result = 0x1p-133; // the smallest f32 and bfloat16 above 0
    const std::size_t rows = x.y.size() / n;
    const auto terms = static_cast<double>(n);
    const double rounds = (terms + to_spare) * x.of.of_sum + terms * own;
    products_reference result{x.of, std::vector<double>(k * rows), std::vector<double>(k * rows)};
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t at = 0; at < n; ++at) {
            const double value = x.y[r * n + at], off = x.bound[r * n + at];
            const double spread = off + rounds * (std::fabs(value) + off);
            for (std::size_t to = 0; to < k; ++to) {
                const double m = matrix[at * k + to];
                result.y[to * rows + r] += value * m;
                result.bound[to * rows + r] += spread * std::fabs(m);
            }
        }
    }
    for (std::size_t e = 0; e < result.y.size(); ++e) {
        result.bound[e] += terms * of_tiny_sum;
        result.bound[e] += x.of.of_result * (std::fabs(result.y[e]) + result.bound[e]) + of_tiny_result;
    }
    return result;
}

} // namespace

std::array<std::uint64_t, 3> mode_products::macs_of_products() const
{
    std::array<std::uint64_t, 3> macs{};
    auto sizes = shape;
    for (std::size_t s = 0; s < macs.size(); ++s) {
        const std::size_t m = order[s] - 1;
        macs[s] = workloads::volume_of(sizes) * out_shape[m];
        sizes[m] = out_shape[m];
    }
    return macs;
}

std::uint64_t mode_products::macs() const
{
    const auto parts = macs_of_products();
    return parts[0] + parts[1] + parts[2];
}

products_reference reference_of(const mode_products& work, const rounding& of)
{
    products_reference result{of, in_double(work.x.data), std::vector<double>(work.x.data.size())};
    for (const unsigned mode : mode_products::order) {
        const std::size_t m = mode - 1;
        result = summed_over_last(result, in_double(work.matrices[m]), work.shape[m], work.out_shape[m]);
    }
    return result;
}

products_check check_products(const products_reference& reference, const std::vector<double>& y)
{
    workloads::result_errors errors(static_cast<double>(std::numeric_limits<float>::min()));
    const bool same_size = y.size() == reference.y.size();
    for (std::size_t e = 0; same_size && e < y.size(); ++e) { errors.add(y[e], reference.y[e], reference.bound[e]); }
    products_check check;
    check.passed = same_size && !errors.first_wrong();
    check.max_abs_error = errors.max_abs_error();
    check.max_rel_error = errors.max_rel_error();
    check.worst_of_bound = errors.worst_of_bound();
    check.bound = errors.bound();
    return check;
}

} // namespace tensorloom::testbench
