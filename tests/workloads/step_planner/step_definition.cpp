#include "workloads/step_planner/step_definition.h"
#include <algorithm>
#include <set>

namespace tensorloom::test {
namespace {

using workloads::index_list;

// Calls f(place in every tensor) for all digits of these modes.
template <class F>
void for_all_digits(const step_definition& step, const index_list& modes, const std::vector<std::string>& tensors, F f)
{
    std::vector<std::vector<std::size_t>> strides; // by mode, of every tensor
    for (const auto& mode : modes) {
        strides.emplace_back();
        for (const auto& tensor : tensors) { strides.back().push_back(step.stride(tensor, mode)); }
    }
    std::vector<std::size_t> digit(modes.size()), place(tensors.size());
    for (;;) {
        f(place);
        std::size_t m = 0;
        for (; m < modes.size(); ++m) {
            for (std::size_t t = 0; t < place.size(); ++t) { place[t] += strides[m][t]; }
            if (++digit[m] < step.size(modes[m])) { break; }
            for (std::size_t t = 0; t < place.size(); ++t) { place[t] -= strides[m][t] * digit[m]; }
            digit[m] = 0;
        }
        if (m == modes.size()) { return; }
    }
}

index_list union_of(const index_list& a, const index_list& b)
{
    index_list all = a;
    for (const auto& mode : b) {
        if (!workloads::has_index(all, mode)) { all.push_back(mode); }
    }
    return all;
}

} // namespace

bool step_definition::has(const std::string& tensor, const std::string& mode) const
{
    return workloads::has_index(modes.at(tensor), mode);
}

std::size_t step_definition::elements(const std::string& tensor) const
{
    std::size_t product = 1;
    for (const auto& mode : modes.at(tensor)) { product *= size(mode); }
    return product;
}

std::size_t step_definition::stride(const std::string& tensor, const std::string& mode) const
{
    std::size_t stride = 1;
    const auto& all = modes.at(tensor);
    for (auto m = all.rbegin(); m != all.rend(); ++m) {
        if (*m == mode) { return stride; }
        stride *= size(*m);
    }
    return 0;
}

step_definition define_step(const workloads::tensor_network& network, const workloads::contraction_tree& tree,
                            bool training, bool with_dx)
{
    step_definition step;
    step.network = network;
    step.batch = network.nodes.front().indices.front();
    step.training = training;
    step.with_dx = with_dx;
    std::vector<std::string> names;
    std::set<std::string> left; // tensors that are still to be contracted
    for (const auto& node : network.nodes) {
        step.modes[node.name] = node.indices;
        names.push_back(node.name);
        left.insert(node.name);
    }
    step.cores.assign(names.begin() + 1, names.end());
    for (std::size_t s = 0; s < tree.steps.size(); ++s) {
        const auto a = names[tree.steps[s].a], b = names[tree.steps[s].b];
        const bool last = s + 1 == tree.steps.size();
        const auto result = last ? std::string("Y") : "T" + std::to_string(s + 1);
        left.erase(a);
        left.erase(b);
        index_list needed = network.out;
        for (const auto& other : left) { needed = union_of(needed, step.modes[other]); }
        auto& modes = step.modes[result];
        for (const auto& mode : union_of(step.modes[a], step.modes[b])) {
            if (workloads::has_index(needed, mode)) { modes.push_back(mode); }
        }
        if (last) { modes = network.out; }
        names.push_back(result);
        left.insert(result);
        step.contractions.push_back({a, b, result});
    }
    if (!training) { return step; }
    step.modes["dY"] = network.out;
    for (std::size_t s = tree.steps.size(); s-- > 0;) {
        const auto [a, b, c] = step.contractions[s];
        for (const auto& [of, other] : {std::pair{a, b}, std::pair{b, a}}) {
            if (of == names.front() && !with_dx) { continue; }
            step.modes["d" + of] = step.modes[of];
            step.contractions.push_back({"d" + c, other, "d" + of});
        }
    }
    return step;
}

workloads::tensor_network whole_network(const workloads::tensorized_layer& layer)
{
    auto network = workloads::forward_network(layer);
    if (layer.blocks > 1) {
        network.sizes["block"] = layer.blocks;
        for (auto node = network.nodes.begin() + 1; node != network.nodes.end(); ++node) {
            node->indices.insert(node->indices.begin(), "block");
        }
    }
    return workloads::merged_neighbours(network);
}

values_by_name<double> naive_sums(const step_definition& step, const values_by_name<double>& given)
{
    index_list modes;
    for (const auto& [mode, size] : step.network.sizes) { modes.push_back(mode); }
    std::vector<std::string> tensors;
    for (const auto& node : step.network.nodes) { tensors.push_back(node.name); }
    const std::size_t nodes = tensors.size();
    std::vector<std::vector<double>> sums; // of Y, and of the gradient of every node
    tensors.push_back("Y");
    std::vector<const double*> factor;
    for (std::size_t n = 0; n < nodes; ++n) { factor.push_back(given.at(tensors[n]).data()); }
    const double* const dy = step.training ? given.at("dY").data() : nullptr;
    for (const auto& tensor : tensors) { sums.emplace_back(step.elements(tensor)); }
    for_all_digits(step, modes, tensors, [&](const std::vector<std::size_t>& place) {
        double product = 1;
        for (std::size_t n = 0; n < nodes; ++n) { product *= factor[n][place[n]]; }
        sums[nodes][place[nodes]] += product;
        for (std::size_t k = 0; k < nodes && step.training; ++k) {
            double others = dy[place[nodes]];
            for (std::size_t n = 0; n < nodes && others != 0; ++n) { others *= n == k ? 1 : factor[n][place[n]]; }
            sums[k][place[k]] += others;
        }
    });
    values_by_name<double> result;
    result["Y"] = sums[nodes];
    for (std::size_t k = step.with_dx ? 0 : 1; k < nodes && step.training; ++k) { result["d" + tensors[k]] = sums[k]; }
    return result;
}

values_by_name<double> values_along(const step_definition& step, const values_by_name<double>& given)
{
    auto all = given;
    for (const auto& c : step.contractions) {
        const auto& a = all.at(c.a);
        const auto& b = all.at(c.b);
        std::vector<double> sums(step.elements(c.result));
        for_all_digits(step, union_of(step.modes.at(c.a), step.modes.at(c.b)), {c.a, c.b, c.result},
                       [&](const std::vector<std::size_t>& place) { sums[place[2]] += a[place[0]] * b[place[1]]; });
        all[c.result] = std::move(sums);
    }
    return all;
}

} // namespace tensorloom::test
