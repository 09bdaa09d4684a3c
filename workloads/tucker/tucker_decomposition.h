#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>

namespace tensorloom::workloads {

/// Method for the factors. Source: T. G. Kolda and B. W. Bader, Tensor decompositions and applications, SIAM Review 51
/// (2009), section 4; N. Vannieuwenhoven and others, A new truncation strategy for the higher-order singular value
/// decomposition, SIAM J. Sci. Comput. 34 (2012).
enum class tucker_method {
    hosvd,    ///< U_s: leading left singular vectors of the unfolding of X along mode s; then the core, one chain
    st_hosvd, ///< for modes 1, 2, 3 in turn: U_s of the remaining tensor, which is then multiplied by U_s transposed
    hooi      ///< starts from st_hosvd; in turn U_s of X times the transposes of the other two, until the fit converges
};

/// "hosvd", "st-hosvd" or "hooi"; throws base::input_error.
tucker_method parse_tucker_method(const std::string& name);
std::string tucker_method_name(tucker_method method);

/// Parameters of a decomposition, with ranks or an error tolerance.
struct tucker_request {
    tucker_method method = tucker_method::st_hosvd;
    std::optional<shape3> ranks;  ///< R_s at most N_s, and at most the product of the other two ranks
    double tolerance = 0.1;       ///< without ranks: |X - X~| <= tolerance |X|; above 0 and below 1
    unsigned max_iterations = 50; ///< of hooi, at least 1
    /// hooi ends when an iteration raises the fit by at most this; none: after max_iterations.
    std::optional<double> fit_change = 1e-6;
};

/// Callbacks for the progress of a decomposition.
class tucker_observer {
public:
    virtual ~tucker_observer() = default;
    /// Before the singular vectors of the unfolding along `mode` (0, 1, 2) are computed.
    virtual void truncating(std::size_t mode);
    /// `factor` consists of the leading left singular vectors of the unfolding of y along `mode` (0, 1, 2).
    virtual void truncated(const tensor<double>& y, std::size_t mode, const tensor<double>& factor);
    /// Iteration 0 is the start, the only one of hosvd and st_hosvd.
    virtual void iterated(unsigned iteration, double fit);
};

/// Results of a decomposition.
struct tucker_decomposition {
    tucker_tensor form;
    /// By mode, the energy discarded when the factor was truncated (hooi: at its start). |X - X~|^2 equals their sum
    /// with the factors of st_hosvd, and is at most their sum with those of hosvd.
    std::array<double, 3> truncated_energies{};
    /// By mode, all singular values of the unfolding whose factor was truncated, not increasing.
    std::array<std::vector<double>, 3> singular_values{};
    std::vector<double> fits; ///< 1 - |X - X~| / |X| after each iteration, the start first
    /// hooi: the last iteration raised the fit by at most fit_change; false without a fit_change. Other methods: true.
    bool converged = true;
};

/// Decomposes a tensor. The engine computes all products for factors and core, the host singular vectors and fits.
///
/// With a tolerance, a mode keeps the fewest vectors that discard at most tolerance^2 / 3 of the energy |X|^2. hooi
/// takes the ranks of st_hosvd, limited without loss to the product of the other two ranks. Fits are computed in double
/// precision from X - X~, element by element, so they hold for the engine's actual core. The core's rounding, about the
/// engine's machine epsilon, adds its square to that of the error and may lower the fit between iterations. Throws
/// base::input_error as check_tucker() and check_decomposable().
tucker_decomposition decompose(const tensor<double>& x, const tucker_request& request, ttm_engine& engine,
                               tucker_observer& observer);
tucker_decomposition decompose(const tensor<double>& x, const tucker_request& request, ttm_engine& engine);

/// Throws base::input_error for parameters that do not suit the shape: a rank of 0, above the mode's size or above the
/// product of the other two; a tolerance not in (0, 1); max_iterations 0; a fit_change not in [0, 1].
void check_tucker(const tucker_request& request, const shape3& shape);

/// The checks of ranks only.
void check_ranks(const shape3& ranks, const shape3& shape);

/// Throws base::input_error for a tensor without three modes, empty, zero, not finite, or with its largest modulus
/// outside of 1e-140 to 1e140, where squares may overflow or underflow.
void check_decomposable(const tensor<double>& x);

} // namespace tensorloom::workloads
