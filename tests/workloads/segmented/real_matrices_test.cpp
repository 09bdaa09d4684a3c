// Matrices of the Harwell-Boeing collection, as the package r-cran-matrix has them. Skipped where it is not installed;
// the environment variable TENSORLOOM_MATRICES names another folder.
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <tensorloom/workloads/csr_matrix.h>
#include <tensorloom/workloads/segmented/references.h>
#include "support/message_of.h"
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using workloads::load_matrix_market;

class real_matrices : public testing::Test {
protected:
    void SetUp() override
    {
        const char* named = std::getenv("TENSORLOOM_MATRICES");
        m_folder = named != nullptr ? named : "/usr/lib/R/library/Matrix/external";
        if (!std::filesystem::exists(m_folder + "/lund_a.mtx")) { GTEST_SKIP() << "no matrices in " << m_folder; }
    }
    std::string path(const char* name) const { return m_folder + "/" + name; }

    template <class T> void expect_right_products(const char* name, const mmv::limits& limits) const
    {
        segmented_problem<T> p;
        p.matrix = load_matrix_market<T>(path(name)).matrix;
        p.x = workloads::random_values<T>(p.matrix.columns, 1);
        mmv_reference machine(limits);
        for (const auto& variant : workloads::segmented_variants) {
            if (variant.operation != segmented_operation::spmv) { continue; }
            const auto values = run_segmented(variant, machine, p).values;
            EXPECT_TRUE(check_segmented(variant, p, values, limits.side).passed) << name << " " << variant.name;
        }
    }

private:
    std::string m_folder;
};

TEST_F(real_matrices, are_read)
{
    const auto pattern = load_matrix_market<std::int64_t>(path("jgl009.mtx")).matrix;
    EXPECT_EQ(pattern.rows, 9u);
    EXPECT_EQ(pattern.nonzeros(), 50u);
    EXPECT_THAT(pattern.value, testing::Each(1));
    EXPECT_EQ(load_matrix_market<double>(path("pores_1.mtx")).matrix.nonzeros(), 180u);
    const auto symmetric = load_matrix_market<double>(path("lund_a.mtx")).matrix;
    EXPECT_EQ(symmetric.rows, 147u);
    EXPECT_EQ(symmetric.nonzeros(), 2 * 1298u - 147u); // the diagonal stands once
    EXPECT_EQ(symmetric.value[0], 7.5e7);
}

TEST_F(real_matrices, bad_one_is_refused)
{
    EXPECT_THAT(message_of([&] { load_matrix_market<std::int64_t>(path("wrong.mtx")); }),
                testing::HasSubstr("wrong.mtx:3: found row '0', expected 1 to 2"));
}

TEST_F(real_matrices, products_with_a_vector)
{
    for (const std::uint32_t side : {4u, 16u}) {
        expect_right_products<std::int64_t>("jgl009.mtx", limits_of(side));
        for (const char* name : {"jgl009.mtx", "pores_1.mtx", "lund_a.mtx"}) {
            expect_right_products<double>(name, limits_of(side, base::element_type::f64));
        }
    }
}

} // namespace
} // namespace tensorloom::test
