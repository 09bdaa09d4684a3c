// Layers of every format, of random factors, ranks and orders: each is its dense matrix, and its gradients are finite
// differences.
#include <functional>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_formats/layer_values.h>
#include <tensorloom/workloads/tensor_formats/named_values.h>
#include "finite_differences.h"

namespace tensorloom::test {
namespace {

using workloads::layer_format;
using workloads::named_values;
using workloads::tensorized_layer;

std::uint64_t number(std::mt19937& random, std::uint64_t least, std::uint64_t most)
{
    return least + random() % (most - least + 1);
}

std::vector<double> numbers(std::mt19937& random, std::size_t count)
{
    std::vector<double> all(count);
    for (double& value : all) { value = std::uniform_real_distribution<double>(-1, 1)(random); }
    return all;
}

// Products of one element of each core and of X that Y is the sum of: what a sum by definition takes.
std::uint64_t products_of(const tensorized_layer& layer)
{
    std::uint64_t product = 1;
    for (const auto& [index, size] : workloads::sizes_of(layer)) { product *= size; }
    return product;
}

tensorized_layer drawn_layer(std::mt19937& random, layer_format format)
{
    tensorized_layer layer;
    layer.format = format;
    const bool is_chain = format == layer_format::tt || format == layer_format::tr;
    const auto rows = number(random, format == layer_format::ht ? 2 : 1, is_chain ? 3 : 4);
    const auto columns = is_chain ? number(random, 1, 3) : rows;
    for (std::uint64_t f = 0; f < rows; ++f) { layer.rows.push_back(number(random, 1, 4)); }
    for (std::uint64_t f = 0; f < columns; ++f) { layer.columns.push_back(number(random, 1, 4)); }
    for (std::size_t r = 0; r < workloads::rank_count(format, rows, columns); ++r) {
        layer.ranks.push_back(number(random, 1, 3));
    }
    if (is_chain) { layer.order = random() % 2 == 0 ? workloads::core_order::mn : workloads::core_order::nm; }
    if (format == layer_format::bt) { layer.blocks = number(random, 1, 3); }
    layer.batch = number(random, 1, 3);
    return layer;
}

// Of at most so many products.
tensorized_layer random_layer(std::mt19937& random, layer_format format, std::uint64_t products)
{
    for (;;) {
        auto layer = drawn_layer(random, format);
        if (products_of(layer) <= products) { return layer; }
    }
}

std::size_t place_of(const workloads::index_list& indices, const workloads::index_sizes& sizes,
                     const std::map<std::string, std::size_t>& digits)
{
    std::size_t place = 0;
    for (const auto& index : indices) { place = place * sizes.at(index) + digits.at(index); }
    return place;
}

// W[m1, ..., n1, ...] of the cores of one block: the sum over all ranks of the products of one element of each core.
std::vector<double> matrix_of(const tensorized_layer& layer, const std::vector<named_values>& cores)
{
    auto sizes = workloads::sizes_of(layer);
    sizes.erase("b");
    const auto of_matrix = workloads::matrix_indices(layer);
    std::vector<double> w(workloads::row_count(layer) * workloads::column_count(layer));
    std::map<std::string, std::size_t> digits;
    // Core by core: once every index of a core is known its element is a factor.
    const std::function<void(std::size_t, std::size_t, double)> visit = [&](std::size_t core, std::size_t index,
                                                                            double product) {
        if (core == cores.size()) {
            w[place_of(of_matrix, sizes, digits)] += product;
            return;
        }
        const auto& indices = cores[core].indices;
        if (index == indices.size()) {
            return visit(core + 1, 0, product * cores[core].data[place_of(indices, sizes, digits)]);
        }
        if (digits.count(indices[index]) != 0) { return visit(core, index + 1, product); }
        for (std::size_t digit = 0; digit < sizes.at(indices[index]); ++digit) {
            digits[indices[index]] = digit;
            visit(core, index + 1, product);
        }
        digits.erase(indices[index]);
    };
    visit(0, 0, 1);
    return w;
}

// Y[b][m] = sum over n of X[b][n] W[m][n]
std::vector<double> dense_result(const std::vector<double>& x, const std::vector<double>& w, std::size_t rows,
                                 std::size_t columns)
{
    std::vector<double> y;
    for (std::size_t b = 0; b < x.size() / columns; ++b) {
        for (std::size_t m = 0; m < rows; ++m) {
            double sum = 0;
            for (std::size_t n = 0; n < columns; ++n) { sum += x[b * columns + n] * w[m * columns + n]; }
            y.push_back(sum);
        }
    }
    return y;
}

double inner_product(const std::vector<double>& x, const std::vector<double>& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) { sum += x[i] * y[i]; }
    return sum;
}

class random_layers : public testing::TestWithParam<layer_format> {};

TEST_P(random_layers, are_their_dense_matrices)
{
    std::mt19937 random(11);
    for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
        SCOPED_TRACE(round);
        const auto layer = random_layer(random, GetParam(), 20000);
        const auto rows = workloads::row_count(layer), columns = workloads::column_count(layer);
        const auto values = workloads::random_cores(layer, 0.5, round + 1);
        std::vector<double> w(rows * columns);
        for (const auto& block : values.blocks) {
            const auto of_block = matrix_of(layer, block);
            for (std::size_t i = 0; i < w.size(); ++i) { w[i] += of_block[i]; }
        }
        expect_near(workloads::dense_matrix(layer, values).data, w, 1e-12);
        workloads::tensor<double> x({layer.batch, columns});
        x.data = numbers(random, layer.batch * columns);
        expect_near(workloads::forward(layer, values, x).data, dense_result(x.data, w, rows, columns), 1e-12);
    }
}

// Of <dY, Y>, which is linear in each element of X and of the cores.
TEST_P(random_layers, have_gradients_that_are_finite_differences)
{
    std::mt19937 random(12);
    for (unsigned round = 0; round < 25 && !HasFailure(); ++round) {
        SCOPED_TRACE(round);
        const auto layer = random_layer(random, GetParam(), 2000);
        const auto rows = workloads::row_count(layer), columns = workloads::column_count(layer);
        const auto network = workloads::forward_network(layer);
        // Terms of bt are added: each has gradients of its own.
        std::vector<named_values> cores = workloads::random_cores(layer, 0.5, round + 1).blocks.back();
        auto x = numbers(random, layer.batch * columns);
        const auto dy = numbers(random, layer.batch * rows);
        const auto product = [&] { return inner_product(dense_result(x, matrix_of(layer, cores), rows, columns), dy); };
        std::vector<named_values> given{{network.nodes.front().indices, x}};
        given.insert(given.end(), cores.begin(), cores.end());
        given.push_back({network.out, dy});
        const auto tree = workloads::search_sequences(network, {}).best.back().tree;
        const auto found = workloads::values_of(workloads::reverse_mode(network, tree, true), given);
        expect_near(found.at("dX").data, central_differences(x, product), 1e-10);
        for (std::size_t c = 0; c < cores.size(); ++c) {
            expect_near(found.at("d" + network.nodes[c + 1].name).data, central_differences(cores[c].data, product),
                        1e-10);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(formats, random_layers,
                         testing::Values(layer_format::tt, layer_format::ttm, layer_format::tr, layer_format::ht,
                                         layer_format::bt),
                         [](const auto& test) {
                             return workloads::layer_format_values[static_cast<std::size_t>(test.param)].name;
                         });

} // namespace
} // namespace tensorloom::test
