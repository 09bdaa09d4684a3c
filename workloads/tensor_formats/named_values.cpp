#include <tensorloom/workloads/tensor_formats/named_values.h>
#include <Eigen/Core>

namespace tensorloom::workloads {
namespace {

using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using matrix_view = Eigen::Map<row_major>;
using const_view = Eigen::Map<const row_major>;

// Elements from one digit of each index of `order` to the next, in a tensor of these indices.
std::vector<std::size_t> strides_of(const index_list& indices, const index_list& order, const index_sizes& sizes)
{
    std::map<std::string, std::size_t> stride;
    std::size_t step = 1;
    for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
        stride[*index] = step;
        step *= sizes.at(*index);
    }
    std::vector<std::size_t> strides;
    for (const auto& index : order) { strides.push_back(stride.at(index)); }
    return strides;
}

index_list joined(const index_list& x, const index_list& y, const index_list& z)
{
    index_list all = x;
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), z.begin(), z.end());
    return all;
}

} // namespace

named_values permuted(const named_values& values, const index_list& order, const index_sizes& sizes)
{
    if (order == values.indices) { return values; }
    const auto strides = strides_of(values.indices, order, sizes);
    named_values result{order, std::vector<double>(values.data.size())};
    std::vector<std::size_t> digits(order.size(), 0);
    std::size_t from = 0;
    for (double& element : result.data) {
        element = values.data[from];
        for (std::size_t i = order.size(); i-- > 0;) { // the next place, the last index fastest
            from += strides[i];
            const auto size = static_cast<std::size_t>(sizes.at(order[i]));
            if (++digits[i] < size) { break; }
            from -= size * strides[i];
            digits[i] = 0;
        }
    }
    return result;
}

named_values contracted(const named_values& a, const named_values& b, const index_list& result,
                        const index_sizes& sizes)
{
    index_list batch, summed, a_free, b_free;
    for (const auto& index : a.indices) {
        (!has_index(b.indices, index) ? a_free : has_index(result, index) ? batch : summed).push_back(index);
    }
    for (const auto& index : b.indices) {
        if (!has_index(a.indices, index)) { b_free.push_back(index); }
    }
    const auto left = permuted(a, joined(batch, a_free, summed), sizes);
    const auto right = permuted(b, joined(batch, summed, b_free), sizes);
    const auto count = [&](const index_list& of) { return static_cast<Eigen::Index>(elements_of(of, sizes)); };
    const Eigen::Index rows = count(a_free), columns = count(b_free), inner = count(summed), products = count(batch);
    named_values made{joined(batch, a_free, b_free),
                      std::vector<double>(static_cast<std::size_t>(products * rows * columns))};
    for (Eigen::Index g = 0; g < products; ++g) {
        matrix_view(made.data.data() + g * rows * columns, rows, columns).noalias() =
            const_view(left.data.data() + g * rows * inner, rows, inner) *
            const_view(right.data.data() + g * inner * columns, inner, columns);
    }
    return permuted(made, result, sizes);
}

named_values value_of(const tensor_network& network, const contraction_tree& tree,
                      const std::vector<named_values>& nodes)
{
    const auto indices = indices_of(network, tree);
    std::vector<named_values> tensors = nodes;
    for (std::size_t s = 0; s < tree.steps.size(); ++s) {
        auto& a = tensors.at(tree.steps[s].a);
        auto& b = tensors.at(tree.steps[s].b);
        auto made = contracted(a, b, indices[nodes.size() + s], network.sizes);
        a.data = b.data = {}; // each is taken once
        tensors.push_back(std::move(made));
    }
    return permuted(tensors.back(), network.out, network.sizes);
}

std::map<std::string, named_values> values_of(const training_step& step, const std::vector<named_values>& given)
{
    std::map<std::string, named_values> values;
    for (std::size_t t = 0; t + 1 < given.size(); ++t) { values[step.tensors.at(t).name] = given[t]; }
    values["dY"] = given.back();
    for (const auto& c : step.contractions) {
        const auto& result = step.tensors[c.result];
        values[result.name] = contracted(values.at(step.tensors[c.a].name), values.at(step.tensors[c.b].name),
                                         result.indices, step.sizes);
    }
    return values;
}

} // namespace tensorloom::workloads
