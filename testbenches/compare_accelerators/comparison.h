#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::testbench {

// Costs of accelerators for the same layers, by the evaluation of workloads/accelerators.

/// A layer of the comparison, or other products of a model.
struct compared_workload {
    std::string name;
    workloads::tensorized_layer layer; ///< its batch: of all frames
    bool with_dx = true;               ///< the training step computes dX
    std::uint64_t frames = 1;          ///< of a recurrent product: equal parts of the batch, one after the other
    /// Not the step of a layer but these contractions: the products of an attention.
    std::optional<workloads::contraction_graph> products;
};

/// A model whose products are the workloads.
struct compared_model {
    compared_workload whole;           ///< its name and batch
    std::vector<std::string> left_out; ///< work of a training step that is not evaluated
};

/// A row of a table: an accelerator, or an accelerator that computes the layer with its dense matrix.
struct compared_machine {
    std::string name;
    const workloads::accelerator* machine = nullptr;
    bool dense = false;
};

/// All names of --accelerators: those of workloads::accelerators(), and tpu-dense.
const std::vector<compared_machine>& compared_machines();

/// Contraction sequence of a layer: "shared", the best on FETTA for all accelerators; "own", each accelerator's fixed
/// or best one; "fixed"; or by name (workloads::named_sequence()).
inline constexpr const char* shared_sequence = "shared";
inline constexpr const char* own_sequence = "own";
/// The fixed sequence of the paper's comparison (VII-B) for a layer's format: those of TIE, ETTE and FDHT for ttm, tt
/// and ht; X with one core at a time, from the first on, for tr and bt.
inline constexpr const char* fixed_sequence_name = "fixed";
std::vector<std::string> sequence_names();

/// One accelerator on one workload along one sequence.
struct accelerator_result {
    const compared_machine* machine = nullptr;
    std::optional<workloads::contraction_tree> tree; ///< none: dense, or the network does not have this sequence
    std::optional<workloads::evaluation> found;
    bool apart = false; ///< every contraction from and to memory: no block of the batch fits on chip, or dense
    std::string reason; ///< why it was not evaluated
};

/// Values relative to FETTA's.
struct compared_ratios {
    double cycles = 0, energy = 0, edp = 0, utilisation = 0, dram_bytes = 0, dram_share = 0;
};

/// All accelerators on one workload along one sequence.
struct compared_group {
    const compared_workload* workload = nullptr;
    std::string sequence;
    std::optional<workloads::evaluation> fetta; ///< reference of the ratios
    std::vector<accelerator_result> runs;

    /// None if one of both could not be evaluated.
    std::optional<compared_ratios> ratios(const accelerator_result& run) const;
};

/// The comparison, without its rules.
struct comparison {
    std::vector<compared_workload> workloads;
    std::optional<compared_model> model;
    std::vector<std::string> sequences;
    std::vector<const compared_machine*> machines;
    workloads::mapping_objective objective = workloads::mapping_objective::latency; ///< of the best sequences
};

/// Compares with one set of rules after the other. The best sequences on FETTA are searched again only if a rule
/// affects them; rules about tensors in another order, or about tile loads of fixed arrays, do not.
class accelerator_comparison {
public:
    /// Both must outlive this object.
    accelerator_comparison(const comparison& what, const costs::technology& technology)
        : m_what(what), m_technology(technology)
    {}

    /// By workload and sequence. `shown` gets the progress, 0 to 1.
    std::vector<compared_group> by(const workloads::evaluation_settings& rules,
                                   const std::function<void(double)>& shown);

private:
    const workloads::contraction_tree& best_on_fetta(const compared_workload& workload,
                                                     const workloads::evaluation_settings& rules);
    /// None: products without a sequence, or the network does not have it.
    std::optional<workloads::contraction_tree> tree_of(const compared_workload& workload, const std::string& sequence,
                                                       const workloads::evaluation_settings& rules);

    // Swept rules.
    using places = std::tuple<workloads::evaluated_residency, workloads::line_layouts, workloads::operand_paths>;
    using swept_rules = std::tuple<places, double, double, double, bool>;

    const comparison& m_what;
    const costs::technology& m_technology;
    std::map<std::pair<const compared_workload*, places>, workloads::contraction_tree> m_best_on_fetta;
    std::map<std::tuple<const compared_workload*, std::string, places>, std::map<std::string, accelerator_result>>
        m_of_fetta; // by name of its rows
    std::map<swept_rules, std::vector<compared_group>> m_groups;
};

/// Sums over the products of a model, by sequence; ratios are those of the sums. A machine that could not evaluate all
/// of them has no sum. Empty without a model.
std::vector<compared_group> totals_of(const comparison& what, const std::vector<compared_group>& groups);

/// A rule and its values; the other rules do not change.
struct rule_sweep {
    struct point {
        std::string value;
        std::function<void(workloads::evaluation_settings&)> set;
    };
    const char* rule;
    const char* meaning;
    std::vector<point> points;
};
/// conflicts 1 to 16, residency, mode-orders, double-buffered, run-cycles 0 and 30.
const std::vector<rule_sweep>& rule_sweeps();

/// Values of all rules of a grid; one for each.
using rule_values = std::vector<const rule_sweep::point*>;
/// All combinations of the values of these rules, the last rule fastest.
std::vector<rule_values> combinations_of(const std::vector<const rule_sweep*>& rules);

/// Error of the estimates in cycles, relative to the device: a smaller difference from FETTA is no difference.
inline constexpr double estimate_error = 0.05;
/// The paper's speedups over earlier accelerators on tensorized training: the range of its abstract.
inline constexpr double paper_least = 3.87, paper_most = 14.63;

/// A ratio of cycles to FETTA's.
enum class cycles_verdict : std::uint8_t { fewer, same, more };
cycles_verdict verdict_of(double ratio);
inline constexpr base::named_value cycles_verdict_values[] = {
    {0, "fewer", "fewer cycles than FETTA"},
    {1, "no difference", "a difference within the error of the estimates"},
    {2, "more", "more cycles than FETTA"},
};
inline bool is_in_paper_range(double ratio) { return ratio >= paper_least && ratio <= paper_most; }

/// Geometric mean, minimum and maximum of the ratios of an accelerator.
struct ratio_range {
    double mean = 0, least = 0, most = 0;
    std::size_t count = 0;
    const compared_workload *least_on = nullptr, *most_on = nullptr; ///< where the minimum and the maximum are
};
ratio_range range_of(const std::vector<compared_group>& groups, const std::string& machine,
                     double compared_ratios::*ratio);

/// A sequence relative to the first one of the comparison, on one machine, over the workloads that have both.
struct sequence_ranges {
    std::string sequence;
    ratio_range macs, dram_bytes, cycles, energy, edp; ///< macs: useful ones
};
/// Of all sequences but the first.
std::vector<sequence_ranges> sequence_ranges_of(const comparison& what, const std::vector<compared_group>& groups,
                                                std::size_t machine);

/// The first inconsistency, in one line: fewer cycles than the multipliers or the memory's bandwidth allow, parts that
/// do not add up to their total, fewer multiply-adds than the sequence has. Empty: consistent.
std::string contradiction(const std::vector<compared_group>& groups, const workloads::evaluation_settings& rules);

} // namespace tensorloom::testbench
