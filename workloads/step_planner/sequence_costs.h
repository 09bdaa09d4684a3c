#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Accuracy of a sequence's known cost on a device.
enum class cost_basis : std::uint8_t {
    plan,   ///< from a whole plan with its final layouts
    sketch, ///< the best block, assuming layouts without conflicts: about the cost of a plan, or less
    apart   ///< no block of the batch fits: every contraction separately, from and to memory
};
inline constexpr base::named_value cost_basis_values[] = {
    {0, "plan", "a whole plan"},
    {1, "sketch", "the best block; layouts are assumed to be free of conflicts"},
    {2, "apart", "no block fits: every contraction separately, from and to memory"},
};

struct known_cost {
    step_cost cost;
    cost_basis basis = cost_basis::plan;
};

/// Estimated costs of sequences of a network on a device as one program: the cost function of stage 2 of the sequence
/// search (contraction_search/sequence_search.h). Trees that differ only in the order of operands are the same; each is
/// sketched and planned once.
///
///     apart   sum over the contractions of the larger of the best mapping's cycles and of the time that operands and
///             result take through memory once. No plan: operands that do not fit are moved more often
class sequence_costs {
public:
    using graph_maker = std::function<contraction_graph(const contraction_tree& tree)>;

    /// `graph`: the step of a sequence, or the network by itself (contraction_graph.h).
    sequence_costs(const tensor_network& network, graph_maker graph, const fetta::device_limits& g,
                   const step_settings& settings);

    /// None if no block of the batch fits.
    const std::optional<step_cost>& sketched(const contraction_tree& tree);
    const std::optional<step_plan>& planned(const contraction_tree& tree);
    step_cost apart(const contraction_tree& tree) const;

    /// The most accurate known cost of a sequence, at least a sketch.
    known_cost known(const contraction_tree& tree);
    /// Whether it has been computed: known() takes no time.
    bool is_known(const contraction_tree& tree) { return entry_of(tree).sketch.has_value(); }

    /// The candidates ranked by `settings.objective`, the best first: those that fit; if none does, all of them apart.
    ranked_sequences ranked(const std::vector<contraction_tree>& candidates, const search_request& request);

private:
    struct entry {
        std::optional<std::optional<step_cost>> sketch;
        std::optional<std::optional<step_plan>> plan;
    };
    entry& entry_of(const contraction_tree& tree);
    contraction_graph graph_of(const contraction_tree& tree) const;

    const tensor_network m_network;
    graph_maker m_graph;
    fetta::device_limits m_limits;
    step_settings m_settings;
    std::map<std::vector<joined_sets>, entry> m_entries; // by the sets that a tree joins, sorted
};

} // namespace tensorloom::workloads
