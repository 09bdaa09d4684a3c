#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

// Theorem 8: k sweeps of a linear stencil of 3 x 3 weights over an N x N grid: out[i][j] = sum of w[1+a][1+b]
// in[i+a][j+b], |a|, |b| <= 1.
//
// The grid is a window on an infinite plane that is initially 0 outside of it and is swept as a whole. For k >= 2 the
// border differs from that of a grid with 0 around it in every sweep.

/// Throws base::input_error unless k divides N and q is a power of two.
void require_stencil_size(std::uint64_t size, std::uint64_t sweeps, std::uint64_t side);

/// On the tensor unit: the weights of k sweeps are the coefficients of the k-th power of a polynomial, computed by
/// squaring with 2-D transforms. Every k x k block (k divides N) is then the middle of one cyclic convolution of its 3k
/// x 3k surroundings, all blocks at once. q is a power of two. Format: c128. Integer inputs give integers, real ones
/// real numbers; throws base::input_error if the sums are too large to round to them.
tensor_unit_result stencil_sweeps(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& grid,
                                  const tensor_unit_values& weights, std::uint64_t size, std::uint64_t sweeps);

/// The weights by which sweeps on the scalar unit multiply.
enum class swept_weights {
    all,     ///< 18 operations per point
    not_zero ///< 2 operations per point and weight
};

/// Sweep by sweep on the scalar unit, for a side of N + 2k. Formats: int64, int32, f64, f32, c128.
tensor_unit_result stencil_sweeps_scalar(mmv_session& session, const tensor_unit_values& grid,
                                         const tensor_unit_values& weights, std::uint64_t size, std::uint64_t sweeps,
                                         swept_weights swept = swept_weights::all);

} // namespace tensorloom::workloads
