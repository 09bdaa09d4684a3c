#include <tensorloom/workloads/tensor_formats/layer_values.h>
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/workloads/fill.h>
#include "small_layers.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

class layer_values : public testing::TestWithParam<small_layer> {};

TEST_P(layer_values, layer_is_its_dense_matrix)
{
    const auto& layer = GetParam().layer;
    const auto values = workloads::random_cores(layer, 0.5, 7);
    ASSERT_EQ(values.blocks.size(), layer.blocks);
    const auto w = workloads::dense_matrix(layer, values);
    const auto rows = workloads::row_count(layer), columns = workloads::column_count(layer);
    ASSERT_EQ(w.shape, (std::vector<std::size_t>{rows, columns}));
    workloads::tensor<double> x({layer.batch, columns});
    x.data = workloads::fill_tensor<double>(workloads::fill_kind::random, {layer.batch, columns, 1}, 0, 3).data;
    const auto y = workloads::forward(layer, values, x);
    double difference = 0, norm = 0;
    for (std::size_t b = 0; b < layer.batch; ++b) {
        for (std::size_t m = 0; m < rows; ++m) {
            double sum = 0;
            for (std::size_t n = 0; n < columns; ++n) { sum += x.data[b * columns + n] * w.data[m * columns + n]; }
            difference += std::pow(sum - y.data[b * rows + m], 2);
            norm += sum * sum;
        }
    }
    EXPECT_LE(std::sqrt(difference), 1e-12 * std::sqrt(norm));
}

TEST_P(layer_values, matrix_has_the_variance_asked_for)
{
    const auto& layer = GetParam().layer;
    constexpr double variance = 0.02;
    double squares = 0, sum = 0;
    std::size_t elements = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        for (const double w :
             workloads::dense_matrix(layer, workloads::random_cores(layer, variance, 100 * seed)).data) {
            sum += w;
            squares += w * w;
            ++elements;
        }
    }
    const auto count = static_cast<double>(elements);
    EXPECT_NEAR(squares / count, variance, 0.1 * variance);
    EXPECT_NEAR(sum / count, 0, 0.1 * std::sqrt(variance));
}

INSTANTIATE_TEST_SUITE_P(formats, layer_values, testing::ValuesIn(small_layers()), name_of_layer);

// An element of W of a chain, in the words of the format's formula.
TEST(layer_values, matrix_of_a_chain_by_its_formula)
{
    const workloads::tensorized_layer layer{workloads::layer_format::ttm, {2, 3}, {4, 2}, {3}, 1};
    const auto values = workloads::random_cores(layer, 1, 1);
    const auto w = workloads::dense_matrix(layer, values);
    const auto& g1 = values.blocks[0][0].data; // m1 n1 r1
    const auto& g2 = values.blocks[0][1].data; // r1 m2 n2
    for (std::size_t m1 = 0; m1 < 2; ++m1) {
        for (std::size_t m2 = 0; m2 < 3; ++m2) {
            for (std::size_t n1 = 0; n1 < 4; ++n1) {
                for (std::size_t n2 = 0; n2 < 2; ++n2) {
                    double sum = 0;
                    for (std::size_t r = 0; r < 3; ++r) {
                        sum += g1[(m1 * 4 + n1) * 3 + r] * g2[(r * 3 + m2) * 2 + n2];
                    }
                    EXPECT_NEAR(w.data[(m1 * 3 + m2) * 8 + n1 * 2 + n2], sum, 1e-14);
                }
            }
        }
    }
}

TEST(layer_values, refusals)
{
    const workloads::tensorized_layer layer{workloads::layer_format::ttm, {2, 3}, {4, 2}, {3}, 1};
    workloads::tensor<double> matrix({6, 8});
    EXPECT_NO_THROW(workloads::check_matrix(matrix, layer));
    matrix.data[5] = std::nan("");
    EXPECT_NE(message_of([&] { workloads::check_matrix(matrix, layer); }).find("not finite"), std::string::npos);
    EXPECT_NE(message_of([&] {
                  workloads::check_matrix(workloads::tensor<double>({8, 6}), layer);
              }).find("8 x 6"),
              std::string::npos);
}

} // namespace
} // namespace tensorloom::test
