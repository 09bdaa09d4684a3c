#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <algorithm>
#include <map>
#include <utility>

namespace tensorloom::workloads {
namespace {

using modes = std::vector<unsigned>;

bool contains(const modes& all, unsigned mode) { return std::find(all.begin(), all.end(), mode) != all.end(); }

// All blocks of bt in one network.
tensor_network with_blocks(tensor_network network, const tensorized_layer& layer)
{
    if (layer.blocks == 1) { return network; }
    static const std::string index = "block";
    for (std::size_t n = 1; n < network.nodes.size(); ++n) {
        auto& indices = network.nodes[n].indices;
        indices.insert(indices.begin(), index);
    }
    network.sizes[index] = layer.blocks;
    return network;
}

step_phase phase_of(training_phase phase)
{
    return phase == training_phase::fp ? step_phase::fp : phase == training_phase::bp ? step_phase::bp : step_phase::wg;
}

} // namespace

bool contraction_graph::has(std::size_t t, unsigned mode) const { return contains(tensors[t].modes, mode); }

std::uint64_t contraction_graph::elements(std::size_t t) const
{
    std::uint64_t product = 1;
    for (const unsigned m : tensors[t].modes) { product *= modes[m].size; }
    return product;
}

std::optional<std::size_t> contraction_graph::maker(std::size_t t) const
{
    for (std::size_t c = 0; c < contractions.size(); ++c) {
        if (contractions[c].result == t) { return c; }
    }
    return std::nullopt;
}

std::vector<std::size_t> contraction_graph::users(std::size_t t) const
{
    std::vector<std::size_t> all;
    for (std::size_t c = 0; c < contractions.size(); ++c) {
        if (contractions[c].a == t || contractions[c].b == t) { all.push_back(c); }
    }
    return all;
}

std::optional<std::size_t> contraction_graph::gradient(std::size_t tensor) const
{
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        if (tensors[t].gradient_of == tensor) { return t; }
    }
    return std::nullopt;
}

std::uint64_t contraction_graph::slices(std::size_t c) const
{
    const auto& sliced = contractions[c].sliced;
    return sliced ? modes[*sliced].size : 1;
}

bool contraction_graph::is_sliced(std::size_t tensor, unsigned mode) const
{
    const bool is_given = !maker(tensor);
    return std::any_of(contractions.begin(), contractions.end(), [&](const graph_contraction& c) {
        return c.sliced == mode && (c.result == tensor || (is_given && tensors[c.result].gradient_of == tensor));
    });
}

std::uint64_t contraction_graph::macs(std::size_t c) const
{
    std::uint64_t product = elements(contractions[c].a);
    for (const unsigned m : tensors[contractions[c].b].modes) {
        if (!has(contractions[c].a, m)) { product *= modes[m].size; }
    }
    return product;
}

std::uint64_t contraction_graph::macs() const
{
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < contractions.size(); ++c) { sum += macs(c); }
    return sum;
}

contraction_graph graph_of(const training_step& step, const std::string& batch)
{
    contraction_graph graph;
    std::map<std::string, unsigned> number;
    for (const auto& [name, size] : step.sizes) {
        number.emplace(name, static_cast<unsigned>(graph.modes.size()));
        graph.modes.push_back({name, size});
    }
    graph.batch = number.at(batch);
    std::map<std::string, std::size_t> by_name;
    for (const auto& t : step.tensors) {
        graph_tensor tensor{t.name, {}, std::nullopt};
        for (const auto& index : t.indices) { tensor.modes.push_back(number.at(index)); }
        const auto of = t.name.front() == 'd' ? by_name.find(t.name.substr(1)) : by_name.end();
        if (of != by_name.end()) { tensor.gradient_of = of->second; }
        by_name.emplace(t.name, graph.tensors.size());
        graph.tensors.push_back(std::move(tensor));
    }
    for (const auto& c : step.contractions) { graph.contractions.push_back({phase_of(c.phase), c.a, c.b, c.result}); }
    // Both gradients of a forward step follow each other.
    auto& all = graph.contractions;
    for (std::size_t c = 1; c < all.size(); ++c) {
        const bool apart = all[c].a != all[c - 1].result && all[c].b != all[c - 1].result;
        if (all[c - 1].phase == step_phase::bp && all[c].phase == step_phase::wg && apart) {
            std::swap(all[c - 1], all[c]);
        }
    }
    return graph;
}

contraction_graph step_graph(const tensorized_layer& layer, const contraction_tree& tree, bool with_dx)
{
    const auto network = merged_neighbours(with_blocks(forward_network(layer), layer));
    return graph_of(reverse_mode(network, tree, with_dx), network.nodes.front().indices.front());
}

contraction_graph dense_graph(const tensorized_layer& layer, bool with_dx)
{
    const std::string b = "b", m = "m", n = "n";
    tensor_network network;
    network.nodes = {{"X", {b, n}}, {"W", {m, n}}};
    network.out = {b, m};
    network.sizes = {{b, layer.batch}, {m, row_count(layer)}, {n, column_count(layer)}};
    return graph_of(reverse_mode(network, {{{0, 1}}}, with_dx), b);
}

contraction_graph network_graph(const tensor_network& network, const contraction_tree& tree)
{
    auto merged = merged_neighbours(network);
    auto& first = merged.nodes.front().indices;
    if (first.empty()) {
        static const std::string alone = "sample";
        first.push_back(alone);
        merged.out.push_back(alone);
        merged.sizes[alone] = 1;
    }
    auto step = reverse_mode(merged, tree, false);
    auto& all = step.contractions;
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& c) { return c.phase != training_phase::fp; }),
              all.end());
    step.tensors.resize(network.nodes.size() + tree.steps.size());
    auto graph = graph_of(step, first.front());
    for (auto& t : graph.tensors) { t.gradient_of = std::nullopt; } // names are free
    return graph;
}

std::optional<contraction_graph> with_slices(contraction_graph graph, std::size_t contraction, std::uint64_t slices)
{
    std::optional<unsigned> divided;
    for (const unsigned m : graph.tensors[graph.contractions[contraction].result].modes) {
        const std::uint64_t size = graph.modes[m].size;
        const bool is_taken = std::any_of(graph.contractions.begin(), graph.contractions.end(),
                                          [&](const auto& c) { return c.sliced == m; });
        if (!is_taken && size % slices == 0 && (!divided || size > graph.modes[*divided].size)) { divided = m; }
    }
    if (!divided) { return std::nullopt; }
    const auto outer = static_cast<unsigned>(graph.modes.size());
    graph.modes.push_back({graph.modes[*divided].name + "'", slices});
    graph.modes[*divided].size /= slices;
    for (auto& t : graph.tensors) {
        const auto at = std::find(t.modes.begin(), t.modes.end(), *divided);
        if (at != t.modes.end()) { t.modes.insert(at, outer); }
    }
    graph.contractions[contraction].sliced = outer;
    return graph;
}

contraction_graph with_batch(contraction_graph graph, std::uint64_t samples)
{
    graph.modes[graph.batch].size = samples;
    return graph;
}

} // namespace tensorloom::workloads
