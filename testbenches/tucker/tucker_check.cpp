#include "tucker/tucker_check.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/tucker/unfolding_svd.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>

namespace tensorloom::testbench {
namespace {

using workloads::tensor;

template <class T> constexpr double epsilon = std::numeric_limits<T>::epsilon();

template <class T> tensor<double> rounded(const tensor<double>& values)
{
    tensor<double> result(values.shape);
    std::transform(values.data.begin(), values.data.end(), result.data.begin(),
                   [](double value) { return static_cast<T>(value); });
    return result;
}

// What is not a number is worse than any.
double worse(double one, double other)
{
    return std::isnan(one) || std::isnan(other) ? std::numeric_limits<double>::infinity() : std::max(one, other);
}

} // namespace

template <class T> double tucker_checker<T>::bound(const tensor<double>& x, const workloads::ttm_chain& chain) const
{
    double summed = 0, sums = 1, dropped = 0;
    for (std::size_t s = 3; s > 0; --s) { // from the last stage on
        const tensor<double>* matrix = chain[m_order[s - 1] - 1];
        if (matrix == nullptr) { continue; }
        summed += static_cast<double>(matrix->shape[0]);
        sums *= static_cast<double>(workloads::column_abs_sum(matrix->data, matrix->shape[0]));
        dropped += sums;
    }
    const double threshold = m_settings.esop ? m_settings.zero_threshold : 0;
    return 8 * epsilon<T> * summed * std::sqrt(workloads::squared_norm(x)) +
           summed * static_cast<double>(std::numeric_limits<T>::denorm_min()) + threshold * dropped;
}

template <class T>
tensor<double> tucker_checker<T>::multiply(const tensor<double>& x, const workloads::ttm_chain& chain)
{
    auto y = m_engine.multiply(x, chain);
    std::array<tensor<double>, 3> matrices; // as the device has them
    workloads::ttm_chain same{};
    for (std::size_t m = 0; m < 3; ++m) {
        if (chain[m] == nullptr) { continue; }
        matrices[m] = rounded<T>(*chain[m]);
        same[m] = &matrices[m];
    }
    const auto expected = m_host.multiply(rounded<T>(x), same);
    double error = 0, largest = 0;
    for (std::size_t i = 0; i < y.data.size(); ++i) {
        error = worse(error, std::abs(y.data[i] - expected.data[i]));
        largest = std::max(largest, std::abs(expected.data[i]));
    }
    const double limit = bound(x, chain);
    if (m_found.chains == 0 || error * m_found.bound > m_found.max_abs_error * limit) {
        m_found.max_abs_error = error;
        m_found.bound = limit;
    }
    ++m_found.chains;
    m_found.max_rel_error = worse(m_found.max_rel_error, error == 0 ? 0 : error / largest);
    m_found.passed = m_found.passed && error <= limit;
    return y;
}

template <class T>
void tucker_checker<T>::truncated(const tensor<double>& y, std::size_t mode, const tensor<double>& factor)
{
    const auto quality = workloads::check_factor(y, mode, factor);
    m_found.orthonormality = worse(m_found.orthonormality, quality.orthonormality);
    m_found.missed_energy = worse(m_found.missed_energy, quality.missed_energy);
    m_found.passed = m_found.passed && quality.orthonormality <= 1e-12 && quality.missed_energy <= 1e-11;
}

template <class T>
tucker_check tucker_checker<T>::result(const tensor<double>& x, const workloads::tucker_request& request,
                                       const workloads::tucker_tensor& form, double error) const
{
    tucker_check check = m_found;
    const auto sizes = static_cast<double>(x.shape[0] + x.shape[1] + x.shape[2]);
    const double lacking = 1 - workloads::squared_norm(form.core) / workloads::squared_norm(x);
    check.norm_gap = std::abs(error * error - lacking);
    check.tolerance_slack = 8 * epsilon<T> * sizes;
    if (m_settings.esop && m_settings.zero_threshold > 0) { return check; }
    check.passed = check.passed && check.norm_gap <= 32 * epsilon<T> * sizes;
    if (!request.ranks) {
        check.tolerance_kept = error <= request.tolerance;
        check.passed = check.passed && error <= request.tolerance + check.tolerance_slack;
    }
    return check;
}

template class tucker_checker<double>;
template class tucker_checker<float>;

} // namespace tensorloom::testbench
