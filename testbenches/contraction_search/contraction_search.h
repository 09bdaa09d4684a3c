#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/step_planner/sequence_costs.h>
#include <tensorloom/workloads/tensor_network/layer.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "platform/fetta/fetta_options.h"
#include "platform/process/process_resources.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// Search method.
enum class search_method : std::uint8_t { automatic, depth_first, subsets };
inline constexpr base::named_value search_method_values[] = {
    {0, "auto", "depth first up to 6 nodes, else over subsets"},
    {1, "depth-first", "as in the paper"},
    {2, "subsets", "dynamic programming over sets of nodes"},
};

/// Options of a run of contraction_search.
struct contraction_search_options : run_options {
    const workloads::named_layer* named = nullptr;    ///< --layer
    std::optional<workloads::tensorized_layer> layer; ///< by name or by sizes
    std::optional<std::string> network_file;
    std::string phase;                 ///< of a layer
    workloads::tensor_network network; ///< that is searched

    workloads::search_request request; ///< for objectives of the device: of the searches for candidates
    std::string objective;
    std::optional<workloads::mapping_objective> device_objective; ///< latency, energy, edp
    bool dx = false;                                              ///< the step of a layer has dX
    fetta_options device;
    search_method method = search_method::automatic;
    std::optional<std::string> json_file;
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<contraction_search_options> read_contraction_search_options(int argc, char** argv, std::ostream& out);

/// A tree with its reported costs.
struct told_tree {
    workloads::contraction_tree tree;
    workloads::tree_costs costs;
    std::uint64_t traffic = 0;
    std::optional<workloads::known_cost> device; ///< by a device's objective
};

/// A sequence that is compared with others: a fixed one, or the best by an objective.
struct strategy {
    std::string name, meaning;
    std::optional<told_tree> found; ///< none: the network does not have this sequence
};

/// MACs of a training step in reverse mode along the best forward tree.
struct training_figures {
    std::uint64_t macs = 0, without_dx = 0;
};

/// Results of a search.
struct contraction_search_findings {
    std::vector<told_tree> best; ///< by the objective, ascending
    bool complete = false;
    bool optimal = false; ///< no sequence costs less than the first; false for candidates by a device's objective
    std::uint64_t visited = 0;
    std::uint64_t fewest_macs = 0; ///< of any sequence, or of those evaluated
    bool fewest_is_optimal = false;
    std::vector<strategy> strategies;
    std::optional<training_figures> training; ///< of a forward network of a layer
    std::optional<bool> passed;               ///< result of the check; none: not done
    std::string failure;                      ///< what the check found wrong
    process_usage usage;
};

/// Table and summary.
void write_search(run_report& report, const contraction_search_options& options,
                  const contraction_search_findings& findings);

} // namespace tensorloom::testbench
