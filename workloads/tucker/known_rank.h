#pragma once
#include <cstdint>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// A tensor of known multilinear ranks: a core uniform in [-1, 1) times orthonormal factors of random directions, plus
/// noise.
///
/// The noise is uniform, its norm `noise` times that of the tensor without it. The same on every machine but for
/// rounding; everything follows from the seed. Throws arch::input_error: ranks that check_ranks() refuses, a shape that
/// fill_tensor() refuses, noise outside of 0 to 1e6.
tensor<double> known_rank_tensor(const shape3& shape, const shape3& ranks, double noise, std::uint64_t seed);

} // namespace tensorloom::workloads
