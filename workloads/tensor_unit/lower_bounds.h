#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

// What every run takes at least, where the paper knows it, and up to which latency a run pays. Source: arXiv
// 1908.06649, sections 4.1 and 5.

/// A lower bound of a run, or why there is none.
struct lower_bound {
    std::optional<double> value;
    std::string_view reason; ///< why it does not apply; empty if it does
};

/// Theorem 2: time of products by semiring operations on the tensor unit, constants 1. A call of n rows makes at most n
/// m products of elements in time n q + l and loads m elements of the right operand, so N x r by r x N takes at least
/// N^2 r / q + (N r / m) l; on the weak unit, whose calls make m q products, N^2 r / q + (N^2 r / (m q)) l.
lower_bound semiring_bound(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                           std::uint64_t side, std::uint64_t latency);

// Theorem 12: an external memory of M = 3m words with blocks of B = 1 simulates a weak TCU with m weights, so a lower
// bound F on its transfers is one on time here: 3 time >= Q >= F, Q the transfers of the simulation.

/// Q = m calls + 2 q rows + 3 cpu_ops: a call loads its weights, and loads and stores its rows, q at a time (so tall
/// calls are simulated, too); on the weak unit these are 3m calls. An operation loads two words and stores one.
std::uint64_t simulated_io(const tensor_unit_cost& cost, std::uint64_t side);

/// F = 2 N^2 r / sqrt(3m) - 6m of a product of N x r by r x N that makes all products of elements; nothing if not
/// positive (of N x N: N <= q).
std::optional<double> product_io_bound(const product_size& size, std::uint64_t side);

/// F of an algorithm.
lower_bound io_bound(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem, std::uint64_t side);

/// The bounds of one run.
struct run_bounds {
    run_bounds(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem, const tensor_unit_cost& cost,
               std::uint64_t side, std::uint64_t latency);

    std::uint64_t time = 0; ///< of the run
    lower_bound products;   ///< semiring_bound()
    std::uint64_t io = 0;   ///< Q
    lower_bound least_io;   ///< F

    std::optional<double> time_over_bound() const;
    std::optional<double> io_over_bound() const;
    /// Those that apply; and 3 time >= Q.
    bool hold() const;
};

/// The largest latency l at which a run of these costs takes less time than a baseline of so many operations; nothing
/// if it takes as much without latency.
std::optional<std::uint64_t> largest_paying_latency(const tensor_unit_cost& cost, std::uint64_t side,
                                                    std::uint64_t baseline_ops);
/// The same by the closed form, which the algorithm must have; a cut-off of 0 is the best one at every latency.
std::optional<std::uint64_t> largest_paying_latency(const tensor_unit_algorithm& algorithm,
                                                    const tensor_unit_problem& problem, std::uint64_t side,
                                                    std::uint64_t baseline_ops);

} // namespace tensorloom::workloads
