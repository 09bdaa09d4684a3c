#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {
namespace {

// X takes the leaves from the last on, and a transfer tensor as soon as it has taken both its children.
contraction_tree subtree_by_subtree(const tensorized_layer& layer)
{
    const auto network = forward_network(layer);
    const auto leaves = static_cast<std::uint32_t>(layer.rows.size());
    const auto nodes = static_cast<std::uint32_t>(network.nodes.size());
    contraction_tree tree;
    index_list open; // ranks towards parents of what has been taken
    std::vector<bool> taken(nodes);
    const auto take = [&](std::uint32_t node) {
        const std::uint32_t x = tree.steps.empty() ? 0 : nodes + static_cast<std::uint32_t>(tree.steps.size()) - 1;
        tree.steps.push_back({x, node});
        taken[node] = true;
    };
    const auto children_are_there = [&](std::uint32_t transfer) {
        const auto& indices = network.nodes[transfer].indices; // the last two
        return has_index(open, indices[indices.size() - 1]) && has_index(open, indices[indices.size() - 2]);
    };
    for (std::uint32_t leaf = leaves; leaf >= 1; --leaf) {
        take(leaf);
        open.push_back(network.nodes[leaf].indices.back());
        for (std::uint32_t t = nodes; t-- > leaves + 1;) {
            if (taken[t] || !children_are_there(t)) { continue; }
            take(t);
            open.push_back(network.nodes[t].indices.front());
            t = nodes; // its parent may be next
        }
    }
    return tree;
}

} // namespace

// FDHT (2021): inference of hierarchical Tucker.
accelerator fdht()
{
    accelerator a = tpu();
    a.name = "fdht";
    a.meaning = "array of 16 x 16, leaves and transfer tensors in a fixed order; inference, HT";
    a.reordering = data_reordering::at_output; // [A] as TIE, which it follows
    a.trains = false;                          // [P] VII-E
    a.formats = {layer_format::ht};            // [P] VII-E
    a.sequence = subtree_by_subtree;           // [P] VII-E: fixed; [A] subtree by subtree, from the last as TIE
    return a;
}

} // namespace tensorloom::workloads
