#include "training/plain_training.h"
#include <algorithm>
#include <cmath>
#include <utility>
#include <Eigen/Core>
#include "training/network_definition.h"

namespace tensorloom::test {
namespace {

using namespace workloads;
using numbers = plain_training::numbers;
using eigen_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using view = Eigen::Map<const eigen_matrix>;

view as_matrix(const numbers& values, std::size_t rows)
{
    return {values.data(), static_cast<Eigen::Index>(rows),
            static_cast<Eigen::Index>(values.size()) / static_cast<Eigen::Index>(rows)};
}

numbers of_matrix(const eigen_matrix& values) { return {values.data(), values.data() + values.size()}; }

// GELU in its tanh form.
const double gelu_scale = std::sqrt(2 / std::acos(-1.0));
constexpr double gelu_cube = 0.044715;
double bend(double x) { return std::tanh(gelu_scale * (x + gelu_cube * x * x * x)); }

double slope(activation_kind kind, double x)
{
    const double z = activated(kind, x);
    switch (kind) {
    case activation_kind::none: break;
    case activation_kind::relu: return x > 0 ? 1 : 0;
    case activation_kind::sigmoid: return z * (1 - z);
    case activation_kind::tanh: return 1 - z * z;
    case activation_kind::gelu: {
        const double h = bend(x);
        return (1 + h + x * (1 - h * h) * gelu_scale * (1 + 3 * gelu_cube * x * x)) / 2;
    }
    }
    return 1;
}

// The networks of these tests have linear layers.
const linear_layer& trained_linear_layer(const model_layer& layer) { return std::get<linear_layer>(layer.what); }

bool has(const index_list& indices, const std::string& index)
{
    return std::find(indices.begin(), indices.end(), index) != indices.end();
}

// dW contracted with all cores but one, in their order: an index stays while that one or a later core has it.
numbers gradient_of_core(const tensorized_layer& layer, const std::vector<named_values>& cores, std::size_t core,
                         named_values gradient)
{
    const auto sizes = sizes_of(layer);
    for (std::size_t c = 0; c < cores.size(); ++c) {
        if (c == core) { continue; }
        index_list left;
        for (const index_list* indices : {&std::as_const(gradient).indices, &cores[c].indices}) {
            for (const auto& index : *indices) {
                bool wanted = has(cores[core].indices, index);
                for (std::size_t later = c + 1; later < cores.size(); ++later) {
                    wanted = wanted || (later != core && has(cores[later].indices, index));
                }
                if (wanted && !has(left, index)) { left.push_back(index); }
            }
        }
        gradient = contracted(gradient, cores[c], left, sizes);
    }
    return permuted(gradient, cores[core].indices, sizes).data;
}

} // namespace

plain_training::plain_training(const model_description& model, const labelled_samples& samples,
                               const training_state& begin)
    : m_model(model), m_samples(samples), m_rate(model.optimizer.rate), m_layers(model.layers.size())
{
    for (const auto& values : begin.masters) { parameters.emplace_back(values.begin(), values.end()); }
    auto zeros = parameters;
    for (auto& values : zeros) { std::fill(values.begin(), values.end(), 0.0); }
    m_moments.assign(begin.moments.size(), zeros);
    std::size_t next = 0;
    for (std::size_t l = 0; l < m_layers.size(); ++l) {
        m_layers[l].first = next;
        m_layers[l].cores = cores_of(trained_linear_layer(model.layers[l]).map.shape).size();
        next += m_layers[l].cores + (trained_linear_layer(model.layers[l]).map.bias ? 1 : 0);
    }
}

batch_metrics plain_training::train(const std::vector<std::uint32_t>& order)
{
    batch_metrics sum;
    for (std::size_t first = 0; first < order.size(); first += m_model.batch) {
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
        const auto count = std::min<std::size_t>(m_model.batch, order.size() - first);
        const auto found = gradients_and_loss({begin, begin + static_cast<std::ptrdiff_t>(count)});
        update(found.gradients);
        sum.loss += found.loss * static_cast<double>(count);
        sum.samples += static_cast<double>(count);
    }
    m_rate *= m_model.optimizer.rate_decay;
    return sum;
}

layer_values plain_training::cores_of_layer(std::size_t layer) const
{
    const auto& shape = trained_linear_layer(m_model.layers[layer]).map.shape;
    const auto cores = cores_of(shape);
    layer_values values;
    for (std::size_t block = 0; block < shape.blocks; ++block) {
        auto& of = values.blocks.emplace_back();
        for (std::size_t c = 0; c < cores.size(); ++c) {
            const auto& all = parameters[m_layers[layer].first + c];
            const auto size = static_cast<std::ptrdiff_t>(all.size() / shape.blocks);
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(block) * size;
            of.push_back({cores[c].indices, {begin, begin + size}});
        }
    }
    return values;
}

double plain_training::forward(const std::vector<std::uint32_t>& list)
{
    const std::size_t batch = list.size(), classes = m_samples.classes;
    numbers x;
    for (const auto s : list) {
        const auto begin = m_samples.values.begin() + static_cast<std::ptrdiff_t>(s * m_samples.features);
        x.insert(x.end(), begin, begin + static_cast<std::ptrdiff_t>(m_samples.features));
    }
    for (std::size_t l = 0; l < m_layers.size(); ++l) {
        auto& state = m_layers[l];
        const auto& layer = trained_linear_layer(m_model.layers[l]);
        state.matrix = dense_matrix(layer.map.shape, cores_of_layer(l)).data;
        state.inputs = std::move(x);
        eigen_matrix sums =
            as_matrix(state.inputs, batch) * as_matrix(state.matrix, row_count(layer.map.shape)).transpose();
        if (layer.map.bias) { sums.rowwise() += as_matrix(parameters[state.first + state.cores], 1).row(0); }
        state.sums = of_matrix(sums);
        x = state.sums;
        for (double& y : x) { y = activated(layer.activation, y); }
        state.outputs = x;
    }
    m_softmax = x;
    double loss = 0;
    for (std::size_t s = 0; s < batch; ++s) {
        double* y = m_softmax.data() + s * classes;
        const double most = *std::max_element(y, y + classes);
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) { sum += std::exp(y[c] - most); }
        const auto label = m_samples.labels[list[s]];
        loss += std::log(sum) + most - y[label];
        for (std::size_t c = 0; c < classes; ++c) { y[c] = std::exp(y[c] - most) / sum - (c == label ? 1 : 0); }
    }
    return loss / static_cast<double>(batch);
}

plain_training::findings plain_training::gradients_and_loss(const std::vector<std::uint32_t>& list)
{
    findings found;
    found.loss = forward(list);
    const std::size_t batch = list.size();
    for (const auto& values : parameters) { found.gradients.emplace_back(values.size(), 0.0); }
    numbers dz = m_softmax;
    for (double& d : dz) { d /= static_cast<double>(batch); }
    for (std::size_t l = m_layers.size(); l-- > 0;) {
        const auto& state = m_layers[l];
        for (std::size_t i = 0; i < dz.size(); ++i) {
            dz[i] *= slope(trained_linear_layer(m_model.layers[l]).activation, state.sums[i]);
        }
        const view dy = as_matrix(dz, batch);
        if (trained_linear_layer(m_model.layers[l]).map.bias) {
            found.gradients[state.first + state.cores] = of_matrix(dy.colwise().sum());
        }
        add_core_gradients(l, of_matrix(dy.transpose() * as_matrix(state.inputs, batch)), found.gradients);
        dz = of_matrix(dy * as_matrix(state.matrix, row_count(trained_linear_layer(m_model.layers[l]).map.shape)));
    }
    return found;
}

void plain_training::add_core_gradients(std::size_t layer, const numbers& matrix_gradient, by_parameter& to) const
{
    const auto& shape = trained_linear_layer(m_model.layers[layer]).map.shape;
    const named_values gradient{matrix_indices(shape), matrix_gradient};
    const auto values = cores_of_layer(layer);
    for (std::size_t c = 0; c < m_layers[layer].cores; ++c) {
        auto& all = to[m_layers[layer].first + c];
        all.clear();
        for (const auto& block : values.blocks) {
            const auto of = gradient_of_core(shape, block, c, gradient);
            all.insert(all.end(), of.begin(), of.end());
        }
    }
}

void plain_training::update(const by_parameter& gradients)
{
    const auto& o = m_model.optimizer;
    ++m_steps;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        for (std::size_t i = 0; i < parameters[p].size(); ++i) {
            const double g = gradients[p][i];
            double& m = m_moments[0][p][i];
            if (o.kind == optimizer_kind::sgd) {
                m = o.momentum * m + g;
                parameters[p][i] -= m_rate * m;
                continue;
            }
            double& v = m_moments[1][p][i];
            const double first = o.first_decay, second = o.second_decay;
            m = first * m + (1 - first) * g;
            v = second * v + (1 - second) * g * g;
            const double mean = m / (1 - std::pow(first, m_steps)), square = v / (1 - std::pow(second, m_steps));
            parameters[p][i] -= m_rate * mean / (std::sqrt(square) + o.epsilon);
        }
    }
}

} // namespace tensorloom::test
