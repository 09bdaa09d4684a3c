#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

/// A theorem about an algorithm on an (m,l)-TCU: its bound with all constants 1, and problems of growing size.
struct tensor_unit_theorem {
    std::string_view name;      ///< "2", "1, p0=7", "10, corrected", ...
    std::string_view algorithm; ///< as in the table of algorithms
    std::string_view bound;     ///< as a formula
    /// The bound for a problem; `rounds` is used by the sparse product only, whose bound is per round.
    double (*time_bound)(const tensor_unit_problem&, std::uint64_t side, std::uint64_t latency, std::uint64_t rounds);
    /// Problems of increasing size for an array of q x q; they take minutes of simulation at most for q from 2 to 16.
    std::vector<tensor_unit_problem> (*problems)(std::uint64_t side);
    /// Limit of time over bound at latency 0 for large sizes, by the charges of the problem; nothing if it is only
    /// bounded.
    std::optional<double> (*limit)(const tensor_unit_problem&, std::uint64_t side);
    /// Maximum factor between the ratios of the three largest sizes (of the same sweeps) at q = 4, latency 0.
    double flatness;

    std::string title() const; ///< "theorem 2", "corollary 1"
};

const std::vector<tensor_unit_theorem>& tensor_unit_theorems();

/// Theorem 10 as printed, on an array of q x q: tensor time over (n' / sqrt(m))^(log2 3) (sqrt(m) + l / sqrt(m)), where
/// n' counts words of kappa = 64 bits, 4 limbs each. This bound is violated: a leaf of the printed cut-off, n' =
/// sqrt(m), is one call of 5q - 1 rows with 4 useful columns, and the best leaf, m limbs, is a call of m rows.
struct printed_karatsuba_figure {
    std::uint64_t cutoff = 0;      ///< limbs
    std::uint64_t tensor_time = 0; ///< by the closed form
    double bound = 0;

    double ratio() const { return static_cast<double>(tensor_time) / bound; }
};
/// For numbers of `limbs` limbs with this cut-off. The ratio at the cut-off 4q grows as q, at m limbs about as m^0.2.
printed_karatsuba_figure printed_karatsuba(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t side,
                                           std::uint64_t latency);

/// Theorem 8 with 2, 4, 8 and 16 sweeps over a grid of 64 x 64: its constants depend on the sweeps.
std::vector<tensor_unit_problem> swept_stencils();

} // namespace tensorloom::workloads
