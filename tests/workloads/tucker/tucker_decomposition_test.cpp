#include <tensorloom/workloads/tucker/tucker_decomposition.h>

#include <cmath>

#include <gmock/gmock.h>

#include "tucker_case.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using workloads::tensor;
using workloads::tucker_method;

class decomposition : public testing::TestWithParam<tucker_case> {
protected:
    const tucker_case& c = GetParam();
    const workloads::tensor<double> x = c.tensor();
    const eigen_tucker reference{x};
    const double energy = energy_of(x);
};
INSTANTIATE_TEST_SUITE_P(cases, decomposition, testing::ValuesIn(tucker_cases));

TEST_P(decomposition, hosvd_has_the_error_of_the_reference)
{
    const auto found = c.decompose(x, tucker_method::hosvd);
    EXPECT_NEAR(error_of(x, found.form), reference.error(reference.hosvd(c.ranks)), 1e-10);
}

TEST_P(decomposition, st_hosvd_has_the_error_of_the_reference)
{
    const auto found = c.decompose(x, tucker_method::st_hosvd);
    EXPECT_NEAR(error_of(x, found.form), reference.error(reference.st_hosvd(c.ranks)), 1e-10);
}

TEST_P(decomposition, hooi_reaches_the_fit_of_the_reference_in_every_iteration)
{
    const auto found = c.decompose(x, tucker_method::hooi, 8);
    ASSERT_EQ(found.fits.size(), 9u);
    for (unsigned i = 0; i <= 8; ++i) {
        EXPECT_NEAR(found.fits[i], 1 - reference.error(reference.hooi(c.ranks, i)), 1e-10) << "iteration " << i;
    }
    EXPECT_NEAR(error_of(x, found.form), reference.error(reference.hooi(c.ranks, 8)), 1e-10);
}

TEST_P(decomposition, hooi_never_loses_fit)
{
    const auto found = c.decompose(x, tucker_method::hooi, 20);
    for (std::size_t i = 1; i < found.fits.size(); ++i) { EXPECT_GE(found.fits[i], found.fits[i - 1] - 1e-13); }
}

TEST_P(decomposition, the_error_of_st_hosvd_is_its_truncated_energies)
{
    const auto found = c.decompose(x, tucker_method::st_hosvd);
    const auto& t = found.truncated_energies;
    const double error = error_of(x, found.form);
    EXPECT_NEAR(error * error * energy, t[0] + t[1] + t[2], 1e-12 * energy);
    const auto u = reference.st_hosvd(c.ranks);
    const MatrixXd identity = MatrixXd::Identity(static_cast<Index>(c.shape[2]), static_cast<Index>(c.shape[2]));
    EXPECT_NEAR(t[0], eigen_tucker::tail(reference.unfolding(0), c.ranks[0]), 1e-12 * energy);
    EXPECT_NEAR(t[1], eigen_tucker::tail(reference.unfolding(1) * eigen_tucker::kronecker(u[0], identity), c.ranks[1]),
                1e-12 * energy);
    EXPECT_NEAR(t[2], eigen_tucker::tail(reference.unfolding(2) * eigen_tucker::kronecker(u[0], u[1]), c.ranks[2]),
                1e-12 * energy);
}

TEST_P(decomposition, the_error_of_hosvd_is_bounded_by_its_truncated_energies)
{
    const auto found = c.decompose(x, tucker_method::hosvd);
    const auto& t = found.truncated_energies;
    const double error = error_of(x, found.form);
    EXPECT_LE(error * error * energy, t[0] + t[1] + t[2] + 1e-12 * energy);
    EXPECT_GE(error * error * energy, std::max({t[0], t[1], t[2]}) - 1e-12 * energy);
    for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_NEAR(t[m], eigen_tucker::tail(reference.unfolding(m), c.ranks[m]), 1e-12 * energy);
    }
}

TEST_P(decomposition, the_squared_error_is_the_norm_that_the_core_lacks)
{
    for (const auto method : {tucker_method::hosvd, tucker_method::st_hosvd, tucker_method::hooi}) {
        const auto found = c.decompose(x, method);
        const double error = error_of(x, found.form);
        EXPECT_NEAR(error * error, 1 - energy_of(found.form.core) / energy, 1e-12);
        EXPECT_NEAR(1 - found.fits.back(), error, 1e-13);
    }
}

TEST_P(decomposition, factors_are_orthonormal_and_the_core_is_x_on_them)
{
    for (const auto method : {tucker_method::hosvd, tucker_method::st_hosvd, tucker_method::hooi}) {
        const auto found = c.decompose(x, method);
        EXPECT_EQ(found.form.shape(), c.shape);
        EXPECT_EQ(found.form.ranks(), c.ranks);
        std::array<MatrixXd, 3> u;
        for (std::size_t m = 0; m < 3; ++m) {
            u[m] = matrix_of(found.form.factors[m]);
            EXPECT_LE(distance_from_orthonormal(u[m]), 1e-13);
        }
        EXPECT_LE((eigen_tucker(found.form.core).unfolding(0) - reference.core(u)).norm(), 1e-12 * std::sqrt(energy));
    }
}

TEST_P(decomposition, a_tolerance_is_kept_with_ranks_that_could_not_be_smaller_by_the_rule)
{
    for (const auto method : {tucker_method::hosvd, tucker_method::st_hosvd, tucker_method::hooi}) {
        for (const double tolerance : {0.9, 0.5, 0.1, 1e-3, 1e-9}) {
            workloads::tucker_request request;
            request.method = method;
            request.tolerance = tolerance;
            workloads::host_ttm engine;
            const auto found = workloads::decompose(x, request, engine);
            EXPECT_LE(error_of(x, found.form), tolerance * (1 + 1e-9));
            if (method != tucker_method::hosvd) { continue; }
            const double may_lose = tolerance * tolerance * energy / 3;
            for (std::size_t m = 0; m < 3; ++m) {
                const std::size_t rank = found.form.ranks()[m];
                EXPECT_LE(eigen_tucker::tail(reference.unfolding(m), rank), may_lose);
                if (rank > 1) { EXPECT_GT(eigen_tucker::tail(reference.unfolding(m), rank - 1), may_lose); }
            }
        }
    }
}

TEST(known_rank, is_recovered_to_rounding_by_every_method)
{
    for (const workloads::shape3& ranks : {workloads::shape3{3, 4, 2}, {1, 1, 1}, {6, 3, 2}}) {
        const auto x = workloads::known_rank_tensor({14, 11, 9}, ranks, 0, 5);
        for (const auto method : {tucker_method::hosvd, tucker_method::st_hosvd, tucker_method::hooi}) {
            const tucker_case c{{14, 11, 9}, ranks, 0, 5};
            EXPECT_LE(error_of(x, c.decompose(x, method).form), 1e-14);
            workloads::tucker_request request;
            request.method = method;
            request.tolerance = 1e-10;
            workloads::host_ttm engine;
            EXPECT_EQ(workloads::decompose(x, request, engine).form.ranks(), ranks);
        }
    }
}

TEST(known_rank, of_full_ranks_is_exact)
{
    const tucker_case c{{4, 5, 6}, {4, 5, 6}, -1, 11};
    const auto x = c.tensor();
    for (const auto method : {tucker_method::hosvd, tucker_method::st_hosvd, tucker_method::hooi}) {
        EXPECT_LE(error_of(x, c.decompose(x, method).form), 1e-14);
    }
}

TEST(known_rank, noise_has_the_norm_asked_for)
{
    const auto clean = workloads::known_rank_tensor({10, 9, 8}, {2, 3, 2}, 0, 3);
    const auto noisy = workloads::known_rank_tensor({10, 9, 8}, {2, 3, 2}, 0.25, 3);
    EXPECT_NEAR(workloads::relative_error(clean, noisy), 0.25, 1e-14);
}

TEST(hooi, ends_when_the_fit_stays)
{
    const tucker_case c{{9, 8, 7}, {3, 3, 3}, -1, 4};
    const auto x = c.tensor();
    workloads::host_ttm engine;
    workloads::tucker_request request;
    request.method = tucker_method::hooi;
    request.ranks = c.ranks;
    request.max_iterations = 1000;
    request.fit_change = 1e-5;
    const auto found = workloads::decompose(x, request, engine);
    ASSERT_GT(found.fits.size(), 3u);
    ASSERT_LT(found.fits.size(), 1000u);
    EXPECT_TRUE(found.converged);
    for (std::size_t i = 1; i + 1 < found.fits.size(); ++i) { EXPECT_GT(found.fits[i] - found.fits[i - 1], 1e-5); }
    EXPECT_LE(found.fits.back() - found.fits[found.fits.size() - 2], 1e-5);

    request.max_iterations = static_cast<unsigned>(found.fits.size() - 2);
    const auto cut = workloads::decompose(x, request, engine);
    EXPECT_FALSE(cut.converged);
    EXPECT_EQ(cut.fits.size(), found.fits.size() - 1);
    EXPECT_EQ(cut.fits.back(), found.fits[found.fits.size() - 2]);
}

TEST(hooi, is_better_than_its_start_on_noise)
{
    const tucker_case c{{9, 8, 7}, {3, 3, 3}, -1, 4};
    const auto x = c.tensor();
    const auto found = c.decompose(x, tucker_method::hooi, 30);
    EXPECT_GT(found.fits.back(), found.fits.front() + 1e-4);
}

// Mode 1 keeps two directions because the third and the second together are too much to lose; modes 2 and 3 then keep
// one each.
TEST(hooi, takes_no_rank_above_the_product_of_the_others)
{
    workloads::tensor<double> x({4, 4, 4});
    x.data[0] = 1;
    x.data[1 * 16 + 1 * 4] = 0.297; // element (1,1,0)
    x.data[2 * 16 + 1] = 0.297;     // element (2,0,1)
    workloads::host_ttm engine;
    workloads::tucker_request request;
    request.tolerance = 0.5; // a mode may lose (1 + 2 x 0.297^2) / 12 = 0.098 > 0.297^2
    request.method = tucker_method::st_hosvd;
    const auto start = workloads::decompose(x, request, engine);
    ASSERT_EQ(start.form.ranks(), (workloads::shape3{2, 1, 1}));
    request.method = tucker_method::hooi;
    const auto found = workloads::decompose(x, request, engine);
    EXPECT_EQ(found.form.ranks(), (workloads::shape3{1, 1, 1}));
    EXPECT_GE(found.fits[1], start.fits[0] - 1e-12);
    EXPECT_LE(error_of(x, found.form), 0.5);
}

TEST(hooi, without_a_change_of_fit_to_wait_for_never_converges)
{
    const tucker_case c{{4, 5, 6}, {4, 5, 6}, -1, 11};
    EXPECT_FALSE(c.decompose(c.tensor(), tucker_method::hooi, 3).converged);
    EXPECT_TRUE(c.decompose(c.tensor(), tucker_method::st_hosvd).converged);
}

tensor<double> rounded_to_single(tensor<double> values)
{
    for (double& value : values.data) { value = static_cast<float>(value); }
    return values;
}

/// Takes and gives nothing but single precision.
class single_engine : public workloads::host_ttm {
public:
    tensor<double> multiply(const tensor<double>& x, const workloads::ttm_chain& chain) override
    {
        std::array<tensor<double>, 3> matrices;
        workloads::ttm_chain same{};
        for (std::size_t m = 0; m < 3; ++m) {
            if (chain[m] == nullptr) { continue; }
            matrices[m] = rounded_to_single(*chain[m]);
            same[m] = &matrices[m];
        }
        return rounded_to_single(host_ttm::multiply(rounded_to_single(x), same));
    }
};

class single_precision : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(seeds, single_precision, testing::Values(1, 2, 3, 4));

// The norms of X and of the core agree to 1e-8 here: what they lack of each other is rounding, and no fit.
TEST_P(single_precision, fits_are_right_where_norms_no_longer_tell)
{
    const tucker_case c{{12, 11, 10}, {4, 4, 4}, 1e-4, GetParam()};
    const auto x = rounded_to_single(c.tensor());
    const eigen_tucker reference(x);
    single_engine engine;
    workloads::tucker_request request;
    request.method = tucker_method::hooi;
    request.ranks = c.ranks;
    request.max_iterations = 3;
    request.fit_change.reset();
    const auto found = workloads::decompose(x, request, engine);
    for (unsigned i = 0; i <= 3; ++i) {
        const double error = reference.error(reference.hooi(c.ranks, i));
        ASSERT_GT(error, 5e-5);
        EXPECT_NEAR(found.fits[i], 1 - error, 1e-8) << "iteration " << i;
    }
    for (std::size_t i = 1; i < found.fits.size(); ++i) { EXPECT_GE(found.fits[i], found.fits[i - 1] - 1e-8); }
}

class counting_engine : public workloads::host_ttm {
public:
    std::vector<unsigned> masks; ///< bit m: the chain had a matrix of mode m
    workloads::tensor<double> multiply(const workloads::tensor<double>& x, const workloads::ttm_chain& chain) override
    {
        unsigned mask = 0;
        for (unsigned m = 0; m < 3; ++m) { mask |= chain[m] != nullptr ? 1u << m : 0u; }
        masks.push_back(mask);
        return host_ttm::multiply(x, chain);
    }
};

TEST(decomposition_engine, every_product_is_a_chain_of_the_engine)
{
    const tucker_case c{{5, 6, 7}, {2, 2, 2}, -1, 1};
    const auto x = c.tensor();
    const auto masks_of = [&](tucker_method method) {
        counting_engine engine;
        workloads::tucker_request request;
        request.method = method;
        request.ranks = c.ranks;
        request.max_iterations = 2;
        request.fit_change.reset();
        workloads::decompose(x, request, engine);
        return engine.masks;
    };
    EXPECT_THAT(masks_of(tucker_method::hosvd), ElementsAre(7));
    EXPECT_THAT(masks_of(tucker_method::st_hosvd), ElementsAre(1, 2, 4));
    EXPECT_THAT(masks_of(tucker_method::hooi), ElementsAre(1, 2, 4, 6, 5, 3, 4, 6, 5, 3, 4));
}

class listener : public workloads::tucker_observer {
public:
    std::vector<std::size_t> modes;
    std::vector<double> fits;
    void truncated(const workloads::tensor<double>&, std::size_t mode, const workloads::tensor<double>&) override
    {
        modes.push_back(mode);
    }
    void iterated(unsigned iteration, double fit) override
    {
        EXPECT_EQ(iteration, fits.size());
        fits.push_back(fit);
    }
};

TEST(decomposition_observer, hears_every_truncation_and_iteration)
{
    const tucker_case c{{5, 6, 7}, {2, 2, 2}, -1, 1};
    const auto x = c.tensor();
    workloads::host_ttm engine;
    listener heard;
    workloads::tucker_request request;
    request.method = tucker_method::hooi;
    request.ranks = c.ranks;
    request.max_iterations = 2;
    request.fit_change.reset();
    const auto found = workloads::decompose(x, request, engine, heard);
    EXPECT_THAT(heard.modes, ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2));
    EXPECT_EQ(heard.fits, found.fits);
}

TEST(compression, is_elements_by_elements)
{
    EXPECT_EQ(workloads::compression_ratio({10, 20, 30}, {1, 2, 3}), 6000.0 / (6 + 10 + 40 + 90));
    EXPECT_LT(workloads::compression_ratio({4, 4, 4}, {4, 4, 4}), 1);
}

} // namespace
} // namespace tensorloom::test
