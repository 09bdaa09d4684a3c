#include <cmath>
#include <numeric>
#include <tensorloom/workloads/segmented/references.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::vector::functional_block;
using workloads::csr_matrix;

segmented_problem<std::int64_t> product_of(csr_matrix<std::int64_t> matrix, std::optional<unsigned> bits = {})
{
    segmented_problem<std::int64_t> p;
    p.x = workloads::random_values<std::int64_t>(matrix.columns, 9, bits.value_or(0));
    p.matrix = std::move(matrix);
    p.bits = bits;
    return p;
}

// A row with each of these numbers of elements.
csr_matrix<std::int64_t> rows_of_lengths(const std::vector<std::uint64_t>& lengths)
{
    csr_matrix<std::int64_t> m;
    m.rows = lengths.size();
    m.columns = 8;
    m.row_starts = {0};
    for (const std::uint64_t length : lengths) {
        for (std::uint64_t k = 0; k < length; ++k) {
            m.column.push_back(k);
            m.value.push_back(static_cast<std::int64_t>((3 * m.value.size() + length) % 7) + 1);
        }
        m.row_starts.push_back(m.value.size());
    }
    return m;
}

void expect_all_exact(const segmented_problem<std::int64_t>& p,
                      std::uint8_t blocks = isa::vector::all_functional_blocks)
{
    for (const std::uint32_t side : {2u, 4u, 16u}) {
        mmv_reference machine(limits_of(side, element_type::int64, blocks));
        for (const auto& variant : workloads::segmented_variants) {
            if (variant.operation != segmented_operation::spmv) { continue; }
            if (variant.is(workloads::full_rows) && p.matrix.empty_rows() > 0) { continue; }
            expect_exact(variant, machine, p);
        }
    }
}

TEST(spmv, rows_may_be_empty_anywhere)
{
    for (const auto& lengths :
         {std::vector<std::uint64_t>{0, 3, 1}, {3, 0, 1}, {3, 1, 0}, {0, 0, 5, 0, 0, 0, 2, 0}, {1}}) {
        expect_all_exact(product_of(rows_of_lengths(lengths)));
        expect_all_exact(product_of(rows_of_lengths(lengths), 4));
    }
}

TEST(spmv, matrix_without_elements_gives_zeros_in_one_step)
{
    auto p = product_of(rows_of_lengths({0, 0, 0}));
    expect_all_exact(p);
    mmv_reference machine(limits_of(4));
    const auto result = run_segmented(workloads::find_segmented_variant("spmv"), machine, p);
    EXPECT_EQ(mmv_ram_meter_of(result.counts, 4).steps(), 1u);
    EXPECT_EQ(result.values, (std::vector<std::int64_t>{0, 0, 0}));
}

TEST(spmv, full_rows)
{
    expect_all_exact(product_of(rows_of_lengths(std::vector<std::uint64_t>(9, 8))));
    expect_all_exact(product_of(rows_of_lengths(std::vector<std::uint64_t>(9, 8)), 4));
}

TEST(spmv, random_matrices)
{
    for (const std::uint64_t nonzeros : {1u, 16u, 17u, 200u}) {
        expect_all_exact(product_of(workloads::random_matrix<std::int64_t>(40, 30, nonzeros, nonzeros)));
        expect_all_exact(product_of(workloads::random_matrix<std::int64_t>(40, 30, nonzeros, nonzeros, 5), 5));
    }
}

TEST(spmv, without_functional_blocks)
{
    const auto blocks = without({functional_block::revspec, functional_block::compact, functional_block::revert});
    expect_all_exact(product_of(workloads::random_matrix<std::int64_t>(20, 30, 90, 3)), blocks);
    expect_all_exact(product_of(workloads::random_matrix<std::int64_t>(20, 30, 90, 3, 5), 5), 0);
}

// Algorithm 4 without what A.3.3 adds has one value per row that is not empty.
TEST(spmv, scd_alone_is_wrong_when_a_row_is_empty)
{
    const auto& scd = workloads::find_segmented_variant("spmv_scd");
    auto p = product_of(rows_of_lengths({2, 1, 3}));
    mmv_reference machine(limits_of(4));
    EXPECT_EQ(run_segmented(scd, machine, p).values, naive(scd.operation, p));

    p = product_of(rows_of_lengths({2, 0, 3}));
    const auto wrong = run_segmented(scd, machine, p).values;
    EXPECT_NE(wrong, naive(scd.operation, p));
    EXPECT_EQ(wrong.size(), 2u);
    EXPECT_FALSE(check_segmented(scd, p, wrong, 4).passed);
    const auto& corrected = workloads::find_segmented_variant("spmv");
    EXPECT_EQ(run_segmented(corrected, machine, p).values, naive(scd.operation, p));
}

TEST(spmv, f64_is_within_its_bound)
{
    segmented_problem<double> p;
    p.matrix = workloads::random_matrix<double>(300, 200, 4000, 5);
    p.x = workloads::random_values<double>(200, 6);
    for (const auto& variant : workloads::segmented_variants) {
        if (variant.operation != segmented_operation::spmv || variant.is(workloads::full_rows)) { continue; }
        mmv_reference machine(limits_of(16, element_type::f64));
        const auto values = run_segmented(variant, machine, p).values;
        const auto check = check_segmented(variant, p, values, 16);
        EXPECT_TRUE(check.passed) << variant.name;
        EXPECT_GT(check.worst_of_bound, 0) << variant.name; // sums do round
        const auto about = naive(variant.operation, p);
        for (std::size_t r = 0; r < about.size(); ++r) { ASSERT_NEAR(values[r], about[r], 1e-12) << variant.name; }
    }
}

// One large row: differences of prefixes lose what comes after it, segments on the vector unit lose nothing.
TEST(spmv, only_segments_on_the_vector_unit_keep_small_rows_behind_large_ones)
{
    segmented_problem<double> p;
    p.matrix.rows = 2;
    p.matrix.columns = 40;
    p.matrix.row_starts = {0, 20, 40};
    p.matrix.column.resize(40);
    std::iota(p.matrix.column.begin(), p.matrix.column.end(), 0);
    p.matrix.value.assign(20, 1e17);
    p.matrix.value.resize(40, 0.1);
    p.x.assign(40, 1);
    const auto small_row = [&](const char* name) {
        mmv_reference machine(limits_of(4, element_type::f64));
        return run_segmented(workloads::find_segmented_variant(name), machine, p).values[1];
    };
    EXPECT_GT(std::abs(small_row("spmv") - 2), 1);
    EXPECT_NEAR(small_row("spmv_vcu"), 2, 1e-14);
}

TEST(spmv, a_million_elements)
{
    auto limits = limits_of(16);
    limits.scratchpad_bytes = 64u << 20;
    mmv_reference::settings settings;
    settings.memory_bytes = 64u << 20;
    mmv_reference machine(limits, settings);
    expect_exact(workloads::find_segmented_variant("spmv"), machine,
                 product_of(workloads::random_matrix<std::int64_t>(100000, 50000, 1000000, 1)));
}

} // namespace
} // namespace tensorloom::test
