#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>

namespace tensorloom::workloads {

/// How factors are found. Source: T. G. Kolda and B. W. Bader, Tensor decompositions and applications, SIAM Review 51
/// (2009), section 4; N. Vannieuwenhoven and others, A new truncation strategy for the higher-order singular value
/// decomposition, SIAM J. Sci. Comput. 34 (2012).
enum class tucker_method {
    hosvd,    ///< U_s: leading left singular vectors of the unfolding of X along mode s; then the core, one chain
    st_hosvd, ///< modes 1, 2, 3 one after the other: U_s of what is left, which is then multiplied by U_s transposed
    hooi      ///< starts from st_hosvd; in turn U_s of X times the transposes of the other two, until the fit stays
};

/// "hosvd", "st-hosvd" or "hooi"; throws base::input_error.
tucker_method parse_tucker_method(const std::string& name);
std::string tucker_method_name(tucker_method method);

/// What a decomposition is asked for: ranks, or the error that it may have.
struct tucker_request {
    tucker_method method = tucker_method::st_hosvd;
    std::optional<shape3> ranks;  ///< R_s at most N_s, and at most the product of the other two ranks
    double tolerance = 0.1;       ///< without ranks: |X - X~| <= tolerance |X|; above 0 and below 1
    unsigned max_iterations = 50; ///< of hooi, at least 1
    /// hooi ends when an iteration raises the fit by no more than this; none: after max_iterations.
    std::optional<double> fit_change = 1e-6;
};

/// Hears what a decomposition does, while it does it.
class tucker_observer {
public:
    virtual ~tucker_observer() = default;
    /// The singular vectors of the unfolding along `mode` (0, 1, 2) are about to be found.
    virtual void truncating(std::size_t mode);
    /// `factor` was made of the leading left singular vectors of the unfolding of y along `mode` (0, 1, 2).
    virtual void truncated(const tensor<double>& y, std::size_t mode, const tensor<double>& factor);
    /// Iteration 0 is the start; hosvd and st_hosvd have no other.
    virtual void iterated(unsigned iteration, double fit);
};

/// What a decomposition gave.
struct tucker_decomposition {
    tucker_tensor form;
    /// By mode, the energy cut off when the factor was truncated (of hooi: at its start). With the factors of hosvd
    /// |X - X~|^2 is at most their sum, with those of st_hosvd it is their sum.
    std::array<double, 3> truncated_energies{};
    /// By mode, all singular values of the unfolding whose factor was truncated then, not increasing: what ranks
    /// were, or would have to be, chosen by.
    std::array<std::vector<double>, 3> singular_values{};
    std::vector<double> fits; ///< 1 - |X - X~| / |X| after each iteration, the start first
    /// Of hooi: its last iteration raised the fit by no more than fit_change; without a fit_change false. Else true.
    bool converged = true;
};

/// Decomposes a tensor; every product that makes factors or core goes through the engine, singular vectors and fits are
/// found on the host.
///
/// By tolerance a mode keeps as few vectors as cut off no more than tolerance^2 / 3 of the energy |X|^2; hooi takes the
/// ranks of st_hosvd, and of a rank above the product of the other two that product, which loses nothing.
/// Fits are computed in double precision from X - X~, element by element: they are right for whatever core the engine
/// gave. The core's rounding, of about the engine's machine epsilon, adds its square to that of the error, and may show
/// as a fit that falls. Throws base::input_error: what check_tucker() and check_decomposable() refuse.
tucker_decomposition decompose(const tensor<double>& x, const tucker_request& request, ttm_engine& engine,
                               tucker_observer& observer);
tucker_decomposition decompose(const tensor<double>& x, const tucker_request& request, ttm_engine& engine);

/// Throws base::input_error when a tensor of this shape cannot be decomposed so: a rank of 0, above the mode's size or
/// above the product of the other two; a tolerance outside of 0 to 1, both excluded; max_iterations 0; a fit_change
/// outside of 0 to 1.
void check_tucker(const tucker_request& request, const shape3& shape);

/// The part of it that is about ranks.
void check_ranks(const shape3& ranks, const shape3& shape);

/// Throws base::input_error for a tensor that is not of three modes, empty, zero, not finite, or whose largest modulus
/// lies outside of 1e-140 to 1e140, where squares are no longer safe.
void check_decomposable(const tensor<double>& x);

} // namespace tensorloom::workloads
