#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/segmented/block_reversal.h>
#include <tensorloom/workloads/segmented/theorems.h>
#include "segmented/segmented.h"

namespace tensorloom::testbench {

// Results of the algorithms of all theorems of MMV-RAM, and their bounds.

/// A theorem's algorithm at one size, beside the best algorithm without the matrix unit.
struct mmv_ram_point {
    std::uint64_t size = 0;   ///< in the theorem's words
    mmv::mmv_ram_meter model; ///< measured: counts of the device
    std::uint64_t cycles = 0; ///< of the device, with a STORE after every step
    std::uint64_t steps_bound = 0;
    double work_bound = 0;
    unsigned bits = 0; ///< of the words that its steps wrote, with their sign: measured
    unsigned bits_allowed = 0;
    std::string vector_variant; ///< the one with the fewest steps
    std::uint64_t vector_steps = 0;
    std::optional<double> vector_bound; ///< log n / log log n; none below 4
    bool as_closed_form = false;        ///< counts of all runs
    std::optional<bool> right;          ///< values of all runs; none: not checked

    double work() const { return static_cast<double>(model.mmu_macs) + static_cast<double>(model.vcu_circuit); }
    double steps_ratio() const { return static_cast<double>(model.steps()) / static_cast<double>(steps_bound); }
    double work_ratio() const { return work() / work_bound; }
    double over_vector() const { return static_cast<double>(model.steps()) / static_cast<double>(vector_steps); }
    bool bits_hold() const { return bits <= bits_allowed; }
    bool vector_holds() const { return !vector_bound || static_cast<double>(vector_steps) >= *vector_bound; }
};

/// A theorem on one array.
struct mmv_ram_findings {
    const workloads::segmented_theorem* theorem = nullptr;
    unsigned side = 0;
    std::vector<mmv_ram_point> points; ///< sizes growing

    /// Largest by smallest ratio of the last three sizes.
    double steps_spread() const;
    double work_spread() const;
    /// Whether the spread is as claimed; none without a claim.
    std::optional<bool> steps_flat() const;
    std::optional<bool> work_flat() const;
};

/// The permutation of lemma 3.4 by either unit alone.
struct reversal_findings {
    unsigned side = 0;
    workloads::block_reversal shape;
    mmv::mmv_ram_meter vector_unit, matrix_unit; ///< measured
    std::uint64_t expected_calls = 0;
    std::uint64_t least_calls = 0;
    std::uint64_t word_bits = 0;
    std::optional<bool> right; ///< both; none: not checked

    /// One step with n w gates on the vector unit, the calls of the closed form on the matrix unit, nothing else.
    bool as_closed_form() const;
    bool holds() const { return matrix_unit.mmu_steps >= least_calls; }
};

/// Results of all theorems.
struct mmv_ram_theorems {
    std::vector<mmv_ram_findings> theorems;   ///< side 4, then side 16
    std::vector<reversal_findings> reversals; ///< likewise, k growing
    std::uint64_t macs = 0;                   ///< that were simulated
    process_usage usage;

    /// The first failure, one line; empty when all results are right, counts those of closed forms, ratios flat where
    /// that is claimed, words within their bits, and no step count below a lower bound.
    std::string failure() const;
};

/// Prints the findings and fills in their fields of the summary.
void write_theorems(run_report& report, const mmv_ram_theorems& found);

} // namespace tensorloom::testbench
