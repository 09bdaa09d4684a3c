#include "compare_devices/mode_products.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tensorloom::testbench {
namespace {

// values[r][n] by matrix[n][k] as result[k][r]: the last mode is summed over, and what it has become is the first one.
std::vector<double> summed_over_last(const std::vector<double>& values, const std::vector<double>& matrix,
                                     std::size_t n, std::size_t k)
{
    const std::size_t rows = values.size() / n;
    std::vector<double> result(k * rows);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t at = 0; at < n; ++at) {
            const double x = values[r * n + at];
            for (std::size_t to = 0; to < k; ++to) { result[to * rows + r] += x * matrix[at * k + to]; }
        }
    }
    return result;
}

template <class Change>
std::vector<double> in_double(const std::vector<arithmetic::bfloat16>& values, const Change& change)
{
    std::vector<double> all(values.size());
    std::transform(values.begin(), values.end(), all.begin(),
                   [&](arithmetic::bfloat16 x) { return change(static_cast<double>(static_cast<float>(x))); });
    return all;
}

template <class Change> std::vector<double> products_of(const mode_products& work, const Change& change)
{
    auto values = in_double(work.x.data, change);
    for (const unsigned mode : mode_products::order) {
        const std::size_t m = mode - 1;
        values = summed_over_last(values, in_double(work.matrices[m], change), work.shape[m], work.out_shape[m]);
    }
    return values;
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

products_reference reference_of(const mode_products& work)
{
    return {products_of(work, [](double x) { return x; }), products_of(work, [](double x) { return std::fabs(x); })};
}

products_check check_products(const mode_products& work, const products_reference& reference,
                              const std::vector<double>& y, const rounding& of)
{
    constexpr double to_spare = 32;
    double factor = 1;
    for (const std::size_t n : work.shape) {
        factor *= 1 + (static_cast<double>(n) + to_spare) * of.of_sum + of.of_result;
    }
    products_check check;
    check.passed = y.size() == reference.y.size();
    double largest = 0;
    for (std::size_t e = 0; check.passed && e < y.size(); ++e) {
        const double error = std::fabs(y[e] - reference.y[e]), bound = reference.magnitude[e] * (factor - 1);
        const bool within = error <= bound; // not of NaN
        const double share = within ? (bound == 0 ? 0 : error / bound) : std::numeric_limits<double>::infinity();
        check.passed = within && std::isfinite(bound);
        check.max_abs_error = std::max(check.max_abs_error, error);
        largest = std::max(largest, std::fabs(reference.y[e]));
        if (share >= check.worst_of_bound) { check.worst_of_bound = share, check.bound = bound; }
    }
    check.max_rel_error = largest == 0 ? 0 : check.max_abs_error / largest;
    return check;
}

} // namespace tensorloom::testbench
