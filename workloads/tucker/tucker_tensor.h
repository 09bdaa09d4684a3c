#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tucker/ttm_engine.h>

namespace tensorloom::workloads {

/// A tensor in Tucker form: core x1 U1 x2 U2 x3 U3. Source: L. R. Tucker, Some mathematical notes on three-mode factor
/// analysis, Psychometrika 31 (1966).
struct tucker_tensor {
    tensor<double> core;                   ///< R1 x R2 x R3
    std::array<tensor<double>, 3> factors; ///< U_s: N_s x R_s, columns orthonormal

    shape3 shape() const { return {factors[0].shape[0], factors[1].shape[0], factors[2].shape[0]}; }
    shape3 ranks() const { return {factors[0].shape[1], factors[1].shape[1], factors[2].shape[1]}; }
};

/// The core of a tensor for given factors: x times the transpose of every factor, one chain.
tensor<double> compress(const tensor<double>& x, const std::array<tensor<double>, 3>& factors, ttm_engine& engine);

/// The tensor represented by a Tucker form: the core times every factor, one chain.
tensor<double> expand(const tucker_tensor& form, ttm_engine& engine);

/// Elements of the tensor / elements of core and factors.
double compression_ratio(const shape3& shape, const shape3& ranks);

/// The sum of the squares of all elements, accumulated in long double.
double squared_norm(const tensor<double>& x);

/// |x - approximation| / |x|, element by element. Throws std::invalid_argument when their sizes differ; x is not zero.
double relative_error(const tensor<double>& x, const tensor<double>& approximation);

/// A tensor of known multilinear ranks: a core uniform in [-1, 1) times orthonormal factors of random directions, plus
/// uniform noise whose norm is `noise` times that of the tensor without it. Determined by the seed, and the same on
/// every machine but for rounding. Throws base::input_error as check_ranks() and fill_tensor(), and for noise outside
/// of 0 to 1e6.
tensor<double> known_rank_tensor(const shape3& shape, const shape3& ranks, double noise, std::uint64_t seed);

} // namespace tensorloom::workloads
