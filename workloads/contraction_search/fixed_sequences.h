#pragma once
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>

namespace tensorloom::workloads {

/// A sequence of contractions that is fixed, or found by searching far fewer than all trees, as in other accelerators.
/// Node 0 is X (or dY), the others are cores in the order of the network.
struct fixed_sequence {
    const char* name;
    const char* meaning;
};

/// ascending           X is contracted with one core at a time, from the first to the last
/// descending          the same from the last to the first. Which of both is better depends on format and core order:
///                     for UCF-TTM one takes 6.5 times the other. TIE, ETTE and FDHT each use one of them
/// tetrix              X is contracted with one core at a time that shares an index with it (any core if none is
///                     connected), in the order of fewest MACs, found exactly. Source: Tetrix
/// reconstruct         the cores are contracted to W in their order, then X with W
/// reconstruct-best    the same, W with the fewest MACs
/// bidirectional       the cores of the inputs are contracted from the end of the chain towards its middle, those of
///                     the outputs likewise, then X with both. Source: CoMERA. For networks whose cores each have an
///                     index of X or an index of the result, never both: tt, tr
const std::vector<fixed_sequence>& fixed_sequences();

/// The tree of a sequence by name; none if the network does not have it: bidirectional; reconstruct if a node other
/// than 0 has the batch (the first index of node 0), i.e. in a gradient network. Throws base::input_error for an
/// unknown name. `seconds`: limit of the search of reconstruct-best, after which W has the fewest MACs found; 0: none.
std::optional<contraction_tree> fixed_tree(const tensor_network& network, const std::string& name, double seconds = 0);

} // namespace tensorloom::workloads
