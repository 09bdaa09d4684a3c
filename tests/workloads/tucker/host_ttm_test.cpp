#include <tensorloom/workloads/tucker/ttm_engine.h>

#include <stdexcept>

#include <gtest/gtest.h>

#include "workloads/gemt_case.h"

namespace tensorloom::test {
namespace {

using workloads::tensor;

// Every subset of the modes, against six loops.
TEST(host_ttm, a_chain_is_the_sum_over_its_modes)
{
    for (unsigned mask = 1; mask < 8; ++mask) {
        const workloads::shape3 n{4, 5, 3}, all{2, 7, 3};
        workloads::shape3 k{};
        for (std::size_t m = 0; m < 3; ++m) { k[m] = (mask >> m & 1u) != 0 ? all[m] : n[m]; }
        gemt_case<double> values(n, k, mask);
        std::array<tensor<double>, 3> matrices;
        workloads::ttm_chain chain{};
        for (std::size_t m = 0; m < 3; ++m) {
            if ((mask >> m & 1u) != 0) {
                matrices[m] = tensor<double>({n[m], k[m]});
                matrices[m].data = values.c[m];
                chain[m] = &matrices[m];
            } else { // six loops need a matrix that changes nothing
                std::fill(values.c[m].begin(), values.c[m].end(), 0.0);
                for (std::size_t i = 0; i < n[m]; ++i) { values.c[m][i * n[m] + i] = 1; }
            }
        }
        workloads::host_ttm engine;
        const auto found = engine.multiply(values.x, chain);
        const auto expected = values.direct<double>(false);
        ASSERT_EQ(found.shape, expected.shape) << mask;
        for (std::size_t i = 0; i < found.data.size(); ++i) {
            EXPECT_NEAR(found.data[i], expected.data[i], 1e-13) << mask;
        }
    }
}

TEST(host_ttm, a_chain_that_does_not_fit_is_refused)
{
    workloads::host_ttm engine;
    const tensor<double> x({2, 3, 4}), square({3, 3}), vector({2});
    EXPECT_THROW(engine.multiply(x, {}), std::invalid_argument);
    EXPECT_THROW(engine.multiply(x, {&square, nullptr, nullptr}), std::invalid_argument);
    EXPECT_THROW(engine.multiply(x, {&vector, nullptr, nullptr}), std::invalid_argument);
    EXPECT_THROW(engine.multiply(square, {nullptr, &square, nullptr}), std::invalid_argument);
    EXPECT_NO_THROW(engine.multiply(x, {nullptr, &square, nullptr}));
}

} // namespace
} // namespace tensorloom::test
