#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include "platform/triada/gemt_job.h"

namespace tensorloom::testbench {

/// Comparison of a decomposition with the host's computation by Eigen.
///
/// Passes when, with eps the format's machine epsilon, d its smallest subnormal, N the sum of the tensor's sizes and t
/// the zero threshold,
///     every chain     |y - y_host| <= 1.01 (gamma_n + gamma_n of float64) m + n d + t (sum over its stages of the
///                     product of S from that stage on), element by element. m: the same chain of moduli; n: summed
///                     indices; gamma: workloads/result_check.h; S: largest column sum of moduli of a stage's matrix
///     every factor    orthonormal to 1e-12, and it misses no more than 1e-11 of the energy that the best of its rank
///                     captures
///     t = 0           | error^2 - (1 - |core|^2 / |X|^2) | <= 32 eps N
///     t = 0, ranks by tolerance    error <= tolerance + slack, slack = 8 eps N: what rounding may add
struct tucker_check {
    bool passed = true;
    double max_abs_error = 0;  ///< of the element closest to its bound
    double bound = 0;          ///< of that element
    double worst_of_bound = 0; ///< largest ratio of an element's error to its bound
    double max_rel_error = 0;  ///< largest error of a chain / largest modulus of its result
    std::size_t chains = 0;
    double orthonormality = 0;          ///< worst factor: largest element of |U^T U - I|
    double missed_energy = 0;           ///< worst factor, relative to the energy of its tensor
    double norm_gap = 0;                ///< | error^2 - (1 - |core|^2 / |X|^2) |
    std::optional<bool> tolerance_kept; ///< error <= tolerance, without slack; with ranks by tolerance and t = 0
    double tolerance_slack = 0;         ///< above; of any run
};

/// Wraps the engine of a decomposition and checks both during the computation. T: the engine's format.
template <class T> class tucker_checker : public workloads::ttm_engine, public workloads::tucker_observer {
public:
    tucker_checker(workloads::ttm_engine& engine, const gemt_settings& settings, const std::array<unsigned, 3>& order)
        : m_engine(engine), m_settings(settings), m_order(order)
    {}

    workloads::tensor<double> multiply(const workloads::tensor<double>& x, const workloads::ttm_chain& chain) override;
    void truncated(const workloads::tensor<double>& y, std::size_t mode,
                   const workloads::tensor<double>& factor) override;

    /// After the decomposition. `error`: |X - X~| / |X|, element by element.
    tucker_check result(const workloads::tensor<double>& x, const workloads::tucker_request& request,
                        const workloads::tucker_tensor& form, double error) const;

private:
    // What underflow and the threshold may drop; the summed indices.
    double dropped(const workloads::ttm_chain& chain) const;
    static double summed_indices(const workloads::ttm_chain& chain);

    workloads::ttm_engine& m_engine;
    gemt_settings m_settings;
    std::array<unsigned, 3> m_order;
    workloads::host_ttm m_host;
    tucker_check m_found;
};

} // namespace tensorloom::testbench
