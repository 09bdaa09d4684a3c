#pragma once
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>

namespace tensorloom::workloads {

/// A way of contracting a network that does not depend on its sizes, or on a search of far less than all trees: what
/// other accelerators do. Node 0 is X (or dY), the others are cores in the order of the network.
struct fixed_sequence {
    const char* name;
    const char* meaning;
};

/// ascending           X absorbs the cores one at a time, from the first on
/// descending          the same from the last on. Which of both is good depends on format and core order: one for
///                     UCF-TTM is 6.5 times the other, so there is no "better of both" here. TIE, ETTE, FDHT are one of
///                     them each
/// tetrix              X absorbs one core at a time that shares an index with it, in the order of fewest MACs (found
///                     exactly; any core where none is connected). Source: Tetrix
/// reconstruct         the cores make W in their order, then X takes W
/// reconstruct-best    the same, W by the fewest MACs
/// bidirectional       the cores of the inputs are contracted from the end of the chain towards its middle, those of
/// the
///                     outputs likewise, then X takes both. Source: CoMERA. For networks whose cores each have an index
///                     of X or an index of the result, never both: tt, tr
const std::vector<fixed_sequence>& fixed_sequences();

/// The tree of a sequence by name; nothing where the network has none: bidirectional, and reconstruct where another
/// node than 0 has the batch (the first index of node 0), that is a gradient network. Throws base::input_error for an
/// unknown name.
std::optional<contraction_tree> fixed_tree(const tensor_network& network, const std::string& name);

} // namespace tensorloom::workloads
