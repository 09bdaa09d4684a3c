#include <tensorloom/workloads/tensor_formats/decompositions.h>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>
#include "small_layers.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using workloads::layer_format;
using workloads::tensor;
using workloads::tensorized_layer;

tensor<double> random_matrix(const tensorized_layer& layer, std::uint64_t seed)
{
    tensor<double> matrix({workloads::row_count(layer), workloads::column_count(layer)});
    matrix.data =
        workloads::fill_tensor<double>(workloads::fill_kind::random, {matrix.shape[0], matrix.shape[1], 1}, 0, seed)
            .data;
    return matrix;
}

double error_of(const tensor<double>& matrix, const tensorized_layer& layer, const workloads::layer_values& values)
{
    return workloads::relative_error(matrix, workloads::dense_matrix(layer, values));
}

// Ranks that every matrix of these sizes has.
tensorized_layer with_ranks(tensorized_layer layer, std::uint64_t rank)
{
    for (auto& r : layer.ranks) { r = rank; }
    return layer;
}

// Of these formats.
std::vector<small_layer> layers_of(const std::vector<layer_format>& formats)
{
    std::vector<small_layer> layers;
    for (const auto& small : small_layers()) {
        if (std::count(formats.begin(), formats.end(), small.layer.format) != 0) { layers.push_back(small); }
    }
    return layers;
}

class decompositions : public testing::TestWithParam<small_layer> {};      // all by SVD
class ranks_of_unfoldings : public testing::TestWithParam<small_layer> {}; // whose ranks are those of unfoldings
class core_fits : public testing::TestWithParam<small_layer> {};

TEST_P(decompositions, full_ranks_are_exact)
{
    const auto layer = with_ranks(GetParam().layer, 24);
    const auto matrix = random_matrix(layer, 1);
    const auto values = workloads::decompose(matrix, layer);
    const auto cores = workloads::cores_of(layer);
    const auto sizes = workloads::sizes_of(layer);
    ASSERT_EQ(values.blocks.size(), 1u);
    ASSERT_EQ(values.blocks[0].size(), cores.size());
    for (std::size_t k = 0; k < cores.size(); ++k) {
        EXPECT_EQ(values.blocks[0][k].indices, cores[k].indices);
        EXPECT_EQ(values.blocks[0][k].data.size(), workloads::elements_of(cores[k].indices, sizes));
    }
    EXPECT_LE(error_of(matrix, layer, values), 1e-13);
}

TEST_P(ranks_of_unfoldings, a_matrix_of_these_ranks_comes_back)
{
    const auto& layer = GetParam().layer;
    const auto matrix = workloads::dense_matrix(layer, workloads::random_cores(layer, 1, 5));
    EXPECT_LE(error_of(matrix, layer, workloads::decompose(matrix, layer)), 1e-13);
}

// Noise of a norm: each of the truncations adds no more than it.
TEST_P(ranks_of_unfoldings, noise_is_cut_off)
{
    const auto& layer = GetParam().layer;
    auto matrix = workloads::dense_matrix(layer, workloads::random_cores(layer, 1, 5));
    const auto noise = random_matrix(layer, 2);
    const double size = 1e-3 * std::sqrt(workloads::squared_norm(matrix) / workloads::squared_norm(noise));
    for (std::size_t i = 0; i < matrix.data.size(); ++i) { matrix.data[i] += size * noise.data[i]; }
    const double truncations = std::sqrt(static_cast<double>(layer.ranks.size()));
    EXPECT_LE(error_of(matrix, layer, workloads::decompose(matrix, layer)), 1.01e-3 * truncations);
}

TEST_P(core_fits, never_get_worse)
{
    const auto& layer = GetParam().layer;
    const auto matrix = random_matrix(layer, 3);
    workloads::fit_request request;
    request.max_sweeps = 6;
    const auto fitted = workloads::fit_cores(matrix, layer, workloads::random_cores(layer, 1, 4), request);
    ASSERT_GE(fitted.errors.size(), 2u);
    for (std::size_t s = 1; s < fitted.errors.size(); ++s) {
        EXPECT_LE(fitted.errors[s], fitted.errors[s - 1] + 1e-12);
    }
    EXPECT_LT(fitted.errors.back(), 1);
    EXPECT_NEAR(fitted.errors.back(), error_of(matrix, layer, fitted.values), 1e-14);
}

TEST_P(core_fits, stay_at_what_is_exact)
{
    const auto& layer = GetParam().layer;
    const auto values = workloads::random_cores(layer, 1, 5);
    const auto fitted = workloads::fit_cores(workloads::dense_matrix(layer, values), layer, values);
    EXPECT_LE(fitted.errors.front(), 1e-13);
    EXPECT_LE(fitted.errors.back(), 1e-12);
    EXPECT_TRUE(fitted.converged);
}

INSTANTIATE_TEST_SUITE_P(formats, decompositions,
                         testing::ValuesIn(layers_of({layer_format::tt, layer_format::ttm, layer_format::tr,
                                                      layer_format::ht})),
                         name_of_layer);
INSTANTIATE_TEST_SUITE_P(formats, ranks_of_unfoldings,
                         testing::ValuesIn(layers_of({layer_format::tt, layer_format::ttm, layer_format::ht})),
                         name_of_layer);
INSTANTIATE_TEST_SUITE_P(formats, core_fits, testing::ValuesIn(small_layers()), name_of_layer);

TEST(core_fit, finds_block_terms_from_a_start_nearby)
{
    const tensorized_layer layer{layer_format::bt, {3, 4}, {4, 3}, {2, 2}, 1, 2};
    const auto values = workloads::random_cores(layer, 1, 8);
    const auto matrix = workloads::dense_matrix(layer, values);
    auto start = values;
    const auto other = workloads::random_cores(layer, 1, 80);
    for (std::size_t b = 0; b < start.blocks.size(); ++b) {
        for (std::size_t k = 0; k < start.blocks[b].size(); ++k) {
            auto& data = start.blocks[b][k].data;
            for (std::size_t i = 0; i < data.size(); ++i) { data[i] += 0.2 * other.blocks[b][k].data[i]; }
        }
    }
    workloads::fit_request request;
    request.max_sweeps = 500;
    request.error_change = 1e-12;
    const auto fitted = workloads::fit_cores(matrix, layer, start, request);
    EXPECT_GT(fitted.errors.front(), 0.1);
    EXPECT_LE(fitted.errors.back(), 1e-6);
}

TEST(core_fit, improves_a_ring)
{
    const tensorized_layer layer{layer_format::tr, {4, 3}, {3, 4}, {2, 2, 2, 2}, 1};
    const auto matrix = random_matrix(layer, 9);
    const auto start = workloads::decompose(matrix, layer);
    const auto fitted = workloads::fit_cores(matrix, layer, start);
    EXPECT_LT(fitted.errors.back(), 0.99 * fitted.errors.front());
}

TEST(tensor_formats, refusals)
{
    const auto& layer = small_layers().back().layer;
    const auto matrix = random_matrix(layer, 1);
    EXPECT_NE(message_of([&] { workloads::decompose(matrix, layer); }).find("bt"), std::string::npos);
    const auto start = workloads::random_cores(layer, 1, 1);
    const tensor<double> zeros(matrix.shape);
    EXPECT_NE(message_of([&] { workloads::fit_cores(zeros, layer, start); }).find("zeros"), std::string::npos);
    EXPECT_NE(message_of([&] { workloads::fit_cores(tensor<double>({2, 2}), layer, start); }), "");
}

} // namespace
} // namespace tensorloom::test
