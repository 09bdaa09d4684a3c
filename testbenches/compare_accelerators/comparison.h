#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::testbench {

// What accelerators take for the same layers, by the one evaluation of workloads/accelerators.

/// A layer that they are compared on.
struct compared_workload {
    std::string name;
    workloads::tensorized_layer layer;
    bool with_dx = true; ///< of its training step
};

/// A row of a table: an accelerator, or one that does the layer with its dense matrix.
struct compared_machine {
    std::string name;
    const workloads::accelerator* machine = nullptr;
    bool dense = false;
};

/// All that --accelerators may name: those of workloads::accelerators(), and tpu-dense.
const std::vector<compared_machine>& compared_machines();

/// How a layer is contracted: "shared", one sequence for all, the best on FETTA; "own", each accelerator's, its fixed
/// one or the best on it; or by name (workloads::named_sequence()).
inline constexpr const char* shared_sequence = "shared";
inline constexpr const char* own_sequence = "own";
std::vector<std::string> sequence_names();

/// One accelerator on one workload along one sequence.
struct accelerator_result {
    const compared_machine* machine = nullptr;
    std::optional<workloads::contraction_tree> tree; ///< nothing: dense, or the network has no such sequence
    std::optional<workloads::evaluation> found;
    bool apart = false; ///< every contraction from and to memory: no block of the batch fits on chip, or dense
    std::string reason; ///< why there is none
};

/// By those of FETTA: 1 is as much.
struct compared_ratios {
    double cycles = 0, energy = 0, edp = 0, utilisation = 0, dram_bytes = 0, dram_share = 0;
};

/// All accelerators on one workload along one sequence.
struct compared_group {
    const compared_workload* workload = nullptr;
    std::string sequence;
    std::optional<workloads::evaluation> fetta; ///< what ratios are by
    std::vector<accelerator_result> runs;

    /// Nothing where one of both could not be evaluated.
    std::optional<compared_ratios> ratios(const accelerator_result& run) const;
};

/// What is compared, but the rules.
struct comparison {
    std::vector<compared_workload> workloads;
    std::vector<std::string> sequences;
    std::vector<const compared_machine*> machines;
    workloads::mapping_objective objective = workloads::mapping_objective::latency; ///< of the best sequences
};

/// Compares by one set of rules after the other, each once. The best sequences on FETTA are searched again only where
/// they may change: not by rules of what lies in another order, nor of how a fixed array loads its tiles.
class accelerator_comparison {
public:
    /// Both outlive it.
    accelerator_comparison(const comparison& what, const costs::technology& technology)
        : m_what(what), m_technology(technology)
    {}

    /// Workload by workload, sequence by sequence. `shown` is told how much is done, 0 to 1.
    std::vector<compared_group> by(const workloads::evaluation_settings& rules,
                                   const std::function<void(double)>& shown);

private:
    const workloads::contraction_tree& best_on_fetta(const compared_workload& workload,
                                                     const workloads::evaluation_settings& rules);

    // What is swept of the rules.
    using places = std::tuple<workloads::evaluated_residency, workloads::line_layouts>;
    using swept_rules = std::tuple<places, double, double, double, bool>;

    const comparison& m_what;
    const costs::technology& m_technology;
    std::map<std::pair<const compared_workload*, places>, workloads::contraction_tree> m_best_on_fetta;
    std::map<swept_rules, std::vector<compared_group>> m_groups;
};

/// A rule, and the values that it takes while the others stay.
struct rule_sweep {
    struct point {
        std::string value;
        std::function<void(workloads::evaluation_settings&)> set;
    };
    const char* rule;
    const char* meaning;
    std::vector<point> points;
};
/// conflicts 1 to 16, residency, layouts, double-buffered, run-cycles 0 and 30.
const std::vector<rule_sweep>& rule_sweeps();

/// The geometric mean of the ratios of an accelerator, with the least and the largest.
struct ratio_range {
    double mean = 0, least = 0, most = 0;
    std::size_t count = 0;
};
ratio_range range_of(const std::vector<compared_group>& groups, const std::string& machine,
                     double compared_ratios::*ratio);

/// What cannot be, in one line: less cycles than the multipliers or the memory's bandwidth need, a part that is no part
/// of its total, fewer multiply-adds than the sequence has. Empty where all is well.
std::string contradiction(const std::vector<compared_group>& groups, const workloads::evaluation_settings& rules);

} // namespace tensorloom::testbench
