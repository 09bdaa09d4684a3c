#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/workloads/tensor_unit/cost.h>

namespace tensorloom::workloads {

// Theorem 12: a weak TCU with m weights is simulated by an external memory of M = 3m words with blocks of B = 1, so a
// lower bound on transfers there is one on time here. For an N x N product: simulated_io() >= F and 3 time >= F.
// Source: arXiv 1908.06649, section 5.

/// F = 2 N^3 / sqrt(3m) - 6m, transfers that an N x N product needs at least; nothing when that is not positive (N <=
/// q).
std::optional<double> product_io_bound(std::uint64_t size, std::uint64_t side);

/// Q = 3m calls + 3 cpu_ops: transfers of the simulation of a run on the weak TCU.
std::uint64_t simulated_io(const tensor_unit_cost& cost, std::uint64_t side);

} // namespace tensorloom::workloads
