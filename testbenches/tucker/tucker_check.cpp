#include "tucker/tucker_check.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/result_check.h>
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

tensor<double> moduli_of(const tensor<double>& values)
{
    tensor<double> result(values.shape);
    std::transform(values.data.begin(), values.data.end(), result.data.begin(),
                   [](double value) { return std::fabs(value); });
    return result;
}

// What is not a number is worse than any.
double worse(double one, double other)
{
    return std::isnan(one) || std::isnan(other) ? std::numeric_limits<double>::infinity() : std::max(one, other);
}

} // namespace

template <class T> double tucker_checker<T>::summed_indices(const workloads::ttm_chain& chain)
{
    double summed = 0;
    for (const tensor<double>* matrix : chain) {
        if (matrix != nullptr) { summed += static_cast<double>(matrix->shape[0]); }
    }
    return summed;
}

template <class T> double tucker_checker<T>::dropped(const workloads::ttm_chain& chain) const
{
    double sums = 1, all = 0;
    for (std::size_t s = 3; s > 0; --s) { // from the last stage on
        const tensor<double>* matrix = chain[m_order[s - 1] - 1];
        if (matrix == nullptr) { continue; }
        sums *= static_cast<double>(workloads::column_abs_sum(matrix->data, matrix->shape[0]));
        all += sums;
    }
    const double threshold = m_settings.esop ? m_settings.zero_threshold : 0;
    return summed_indices(chain) * static_cast<double>(std::numeric_limits<T>::denorm_min()) + threshold * all;
}

template <class T>
tensor<double> tucker_checker<T>::multiply(const tensor<double>& x, const workloads::ttm_chain& chain)
{
    auto y = m_engine.multiply(x, chain);
    std::array<tensor<double>, 3> matrices, moduli; // as the device has them
    workloads::ttm_chain same{}, of_moduli{};
    for (std::size_t m = 0; m < 3; ++m) {
        if (chain[m] == nullptr) { continue; }
        matrices[m] = rounded<T>(*chain[m]);
        moduli[m] = moduli_of(matrices[m]);
        same[m] = &matrices[m];
        of_moduli[m] = &moduli[m];
    }
    const auto device_x = rounded<T>(x);
    const auto expected = m_host.multiply(device_x, same), magnitude = m_host.multiply(moduli_of(device_x), of_moduli);
    const double indices = summed_indices(chain), lost = dropped(chain);
    const double growth = 1.01 * (workloads::rounding_growth(indices, epsilon<T> / 2) +
                                  workloads::rounding_growth(indices, workloads::f64_unit));
    workloads::result_errors errors(static_cast<double>(std::numeric_limits<T>::min()));
    for (std::size_t i = 0; i < y.data.size(); ++i) {
        const double bound = std::min(growth * magnitude.data[i] + lost, std::numeric_limits<double>::max());
        errors.add(y.data[i], expected.data[i], bound);
        const double error = static_cast<double>(workloads::error_of(y.data[i], expected.data[i]));
        const double share = workloads::share_of_bound(error, bound);
        if ((m_found.chains == 0 && i == 0) || share > m_found.worst_of_bound) {
            m_found.worst_of_bound = share;
            m_found.max_abs_error = error;
            m_found.bound = bound;
        }
    }
    ++m_found.chains;
    m_found.max_rel_error = std::max(m_found.max_rel_error, errors.max_rel_error());
    m_found.passed = m_found.passed && !errors.first_wrong();
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
