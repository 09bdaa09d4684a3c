#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/workloads/tensor_unit/lower_bounds.h>
#include <tensorloom/workloads/tensor_unit/theorems.h>
#include "tensor_unit/tensor_unit.h"

namespace tensorloom::testbench {

// Results of the algorithms of all theorems, and their bounds.

/// A theorem's algorithm at one size.
struct theorem_point {
    workloads::tensor_unit_problem problem;
    workloads::tensor_unit_cost cost;     ///< measured: counts of the device
    workloads::run_bounds bounds;         ///< theorems 2 and 12
    std::uint64_t time = 0;               ///< of the model, at the given latency
    double bound = 0;                     ///< of the theorem, with constants 1
    std::uint64_t rounds = 0;             ///< of the sparse product; its time counts per round
    std::uint64_t cycles = 0;             ///< of the device
    std::optional<bool> as_closed_form{}; ///< counts; none without a closed form
    std::optional<bool> right{};          ///< the result equals the reference; none: not checked
    std::string_view baseline{};          ///< the one with the fewest operations
    std::uint64_t baseline_ops = 0;       ///< operations of the baseline
    /// The largest latency at which the time is below the baseline's; none: it never is.
    std::optional<std::uint64_t> latency_limit{};

    double ratio() const;
    double over_baseline() const { return static_cast<double>(time) / static_cast<double>(baseline_ops); }
};

/// A theorem on one array.
struct theorem_findings {
    const workloads::tensor_unit_theorem* theorem = nullptr;
    unsigned side = 0;
    std::vector<theorem_point> points; ///< sizes growing
    std::optional<double> limit;       ///< at latency 0

    /// Ratio of largest to smallest ratio of the three largest sizes (with the same sweeps).
    double spread() const;
    /// At side 4: whether the spread is as claimed. None without a claim, and on a larger array, for which these sizes
    /// are too small.
    std::optional<bool> flat() const;
};

/// Theorem 8 at one number of sweeps, for several latencies.
struct sweep_findings {
    unsigned side = 0;
    theorem_point point; ///< at latency 0
    struct timed {
        std::uint64_t latency = 0, time = 0;
        double bound = 0;

        double ratio() const { return static_cast<double>(time) / bound; }
    };
    std::vector<timed> latencies;
};

/// Theorem 12 at one size: the weak unit against an external memory.
struct io_findings {
    unsigned side = 0;
    std::uint64_t size = 0;
    std::uint64_t time = 0;         ///< of the model, of dense on the weak unit
    std::uint64_t simulated_io = 0; ///< Q
    double bound = 0;               ///< F

    bool holds() const { return static_cast<double>(simulated_io) >= bound && 3 * static_cast<double>(time) >= bound; }
};

/// Theorem 10 as printed, on one array, by the closed form; runs exist only for the corrected theorem.
struct printed_findings {
    unsigned side = 0;
    std::uint64_t size = 0; ///< limbs
    workloads::printed_karatsuba_figure at_printed_cutoff, at_best_cutoff;
};

/// Results of all theorems.
struct theorems_findings {
    std::vector<theorem_findings> theorems; ///< side 4, then side 16
    std::vector<sweep_findings> sweeps;     ///< side 4, then side 16
    std::vector<io_findings> io;
    std::vector<printed_findings> printed; ///< sides growing, one size
    std::uint64_t macs = 0;                ///< that were simulated
    process_usage usage;

    std::vector<const theorem_point*> points() const;

    /// Results right, counts as the closed forms, flat at side 4 and latency 0, and lower bounds hold.
    bool passed(std::uint64_t latency) const;
};

/// Prints the findings and fills in their fields of the summary, of model times at this latency.
void write_theorems(run_report& report, const theorems_findings& f, std::uint64_t latency);
/// The first failure.
std::string failure_text(const theorems_findings& f, std::uint64_t latency);

} // namespace tensorloom::testbench
