#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

/// A theorem about an algorithm on an (m,l)-TCU: its bound with all constants 1, and the problems that show how time
/// grows against it.
struct tensor_unit_theorem {
    std::string_view name;      ///< "2", "1, p0=7", "10, corrected", ...
    std::string_view algorithm; ///< of the table of algorithms
    std::string_view bound;     ///< as a formula
    /// What its bound says for this problem; `rounds` counts in the sparse product alone, whose bound is per round.
    double (*time_bound)(const tensor_unit_problem&, std::uint64_t side, std::uint64_t latency, std::uint64_t rounds);
    /// Growing sizes to run on an array of q x q, the largest ones last; minutes of simulation at most for q from 2 to
    /// 16.
    std::vector<tensor_unit_problem> (*problems)(std::uint64_t side);
    /// What time over bound tends to at latency 0 when the size grows; nothing where it only stays bounded.
    std::optional<double> (*limit)(const tensor_unit_problem&, std::uint64_t side);
    /// At q = 4, latency 0, the ratios of the three largest sizes (of the same sweeps) differ by this factor at most.
    double flatness;

    std::string title() const; ///< "theorem 2", "corollary 1"
};

const std::vector<tensor_unit_theorem>& tensor_unit_theorems();

/// Theorem 10 as the paper prints it, on an array of q x q: tensor time alone over (n' / sqrt(m))^(log2 3) (sqrt(m) + l
/// / sqrt(m)), where n' counts words of kappa = 64 bits, 4 limbs each. Not kept: a leaf of the printed cut-off, n' =
/// sqrt(m), is one call of 5q - 1 rows with 4 useful columns, and the best leaf, m limbs, is a call of m rows.
struct printed_karatsuba_figure {
    std::uint64_t cutoff = 0;      ///< limbs
    std::uint64_t tensor_time = 0; ///< by the closed form
    double bound = 0;

    double ratio() const { return static_cast<double>(tensor_time) / bound; }
};
/// For a product of numbers of so many limbs with this cut-off. The ratio at the cut-off 4q grows as q, at m limbs
/// about as m^0.2.
printed_karatsuba_figure printed_karatsuba(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t side,
                                           std::uint64_t latency);

/// Theorem 8 with 2, 4, 8 and 16 sweeps over a grid of 64 x 64: its constants hang on the sweeps.
std::vector<tensor_unit_problem> swept_stencils();

// Theorem 12: a weak TCU with m weights is simulated by an external memory of M = 3m words with blocks of B = 1, so a
// lower bound on transfers there is one on time here. For an N x N product: simulated_io() >= F and 3 time >= F.
// Source: arXiv 1908.06649, section 5.

/// F = 2 N^3 / sqrt(3m) - 6m, transfers that an N x N product needs at least; nothing when that is not positive (N <=
/// q).
std::optional<double> product_io_bound(std::uint64_t size, std::uint64_t side);

/// Q = 3m calls + 3 cpu_ops: transfers of the simulation of a run on the weak TCU.
std::uint64_t simulated_io(const tensor_unit_cost& cost, std::uint64_t side);

} // namespace tensorloom::workloads
