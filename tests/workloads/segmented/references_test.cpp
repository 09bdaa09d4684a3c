#include <cmath>
#include <limits>
#include <tensorloom/workloads/segmented/references.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using workloads::check_segmented;

// A problem that every operation can be asked about.
template <class T> segmented_problem<T> any_problem(segmented_operation operation)
{
    segmented_problem<T> p;
    p.flags = {0, 1, 0, 0, 1, 1, 0, 0};
    p.matrix.rows = 4;
    p.matrix.columns = 8;
    p.matrix.row_starts = {0, 2, 2, 5, 6};
    p.matrix.column = {1, 7, 0, 3, 4, 2};
    p.matrix.value = workloads::random_values<T>(6, 3);
    p.x = workloads::random_values<T>(8, 1);
    p.y = workloads::random_values<T>(8, 2);
    p.shape = {2, 4, 2};
    p.bits = operation == segmented_operation::product ? std::optional<unsigned>(3) : std::nullopt;
    return p;
}

TEST(check_segmented, what_naive_loops_give_passes_and_any_other_number_fails)
{
    for (const auto& variant : workloads::segmented_variants) {
        const auto p = any_problem<std::int64_t>(variant.operation);
        auto values = naive(variant.operation, p);
        auto check = check_segmented(variant, p, values, 4);
        EXPECT_TRUE(check.passed) << variant.name;
        EXPECT_EQ(check.max_abs_error, 0);
        for (std::size_t i = 0; i < values.size(); ++i) {
            ++values[i];
            check = check_segmented(variant, p, values, 4);
            EXPECT_FALSE(check.passed) << variant.name;
            EXPECT_EQ(check.first_wrong, i);
            EXPECT_EQ(check.max_abs_error, 1);
            --values[i];
        }
    }
}

TEST(check_segmented, another_number_of_results_fails)
{
    const auto& variant = workloads::find_segmented_variant("scd");
    const auto p = any_problem<std::int64_t>(variant.operation);
    auto values = naive(variant.operation, p);
    values.pop_back();
    EXPECT_EQ(check_segmented(variant, p, values, 4).first_wrong, values.size());
    EXPECT_FALSE(check_segmented(variant, p, {}, 4).passed);
}

TEST(check_segmented, f64_may_round_but_not_more)
{
    for (const auto& variant : workloads::segmented_variants) {
        const auto p = any_problem<double>(variant.operation);
        auto values = naive(variant.operation, p);
        EXPECT_TRUE(check_segmented(variant, p, values, 4).passed) << variant.name;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double right = values[i];
            for (const double wrong : {right + 1e-12, right - 1e-12, std::nan("")}) {
                values[i] = wrong;
                EXPECT_EQ(check_segmented(variant, p, values, 4).first_wrong, i) << variant.name;
            }
            values[i] = right;
        }
    }
}

TEST(check_segmented, bound_of_a_prefix_grows_with_what_went_before)
{
    segmented_problem<double> p;
    p.x = {1e10, 1, 1};
    p.flags = {1, 1, 0};
    const std::vector<double> values = {1e10, 1, 2 + 1e-6};
    EXPECT_TRUE(check_segmented(workloads::find_segmented_variant("sscr"), p, values, 4).passed);
    EXPECT_FALSE(check_segmented(workloads::find_segmented_variant("segscan_vcu"), p, values, 4).passed);
}

TEST(check_segmented, integers_beyond_64_bits_are_seen_as_wrong)
{
    segmented_problem<std::int64_t> p;
    p.x = {std::numeric_limits<std::int64_t>::max(), 1};
    const std::vector<std::int64_t> wrapped = {p.x[0], std::numeric_limits<std::int64_t>::min()};
    EXPECT_EQ(check_segmented(workloads::find_segmented_variant("scan"), p, wrapped, 4).first_wrong, 1u);
}

TEST(check_segmented, checksum_tells_order_and_sign)
{
    EXPECT_EQ(workloads::weighted_checksum({1, 2, 3}), 14);
    EXPECT_EQ(workloads::weighted_checksum({3, 2, 1}), 10);
    EXPECT_EQ(workloads::weighted_checksum({-1}), 2147483646);
    EXPECT_EQ(workloads::weighted_checksum({std::numeric_limits<std::int64_t>::max()}),
              1); // 2^63 - 1 = 2 * (2^31)^2 - 1
}

// A row of large numbers in front of one of small ones.
TEST(check_segmented, tells_bound_and_warns_of_digits_lost_within_it)
{
    segmented_problem<double> p;
    p.matrix = {2, 2, {0, 1, 2}, {0, 1}, {1e12, 1.0}};
    p.x = {1, 1};
    const double off = 1e-5; // of an element that is 1
    auto check = check_segmented(workloads::find_segmented_variant("spmv"), p, {1e12, 1 + off}, 4);
    ASSERT_TRUE(check.bound);
    // n = 2, s = 4: (2 4 + 4) 1 + 2 1 + 4
    EXPECT_EQ(check.bound->additions, 18);
    EXPECT_EQ(check.bound->worst, 1u);
    EXPECT_DOUBLE_EQ(check.bound->at_worst, std::ldexp(18 * (1e12 + 1), -53));
    EXPECT_NE(check.bound->formula.find("all rows up to its own"), std::string::npos);
    EXPECT_TRUE(check.passed);
    ASSERT_TRUE(check.warning);
    EXPECT_NE(check.warning->find("rows differ in scale"), std::string::npos);
    EXPECT_NE(check.warning->find("spmv_vcu"), std::string::npos);

    check = check_segmented(workloads::find_segmented_variant("spmv"), p, {1e12, 1 + 1e-7}, 4);
    EXPECT_TRUE(check.passed);
    EXPECT_FALSE(check.warning);

    check = check_segmented(workloads::find_segmented_variant("spmv_vcu"), p, {1e12, 1 + off}, 4);
    EXPECT_FALSE(check.passed);
    EXPECT_FALSE(check.warning);
    EXPECT_DOUBLE_EQ(check.bound->at_worst, std::ldexp(18, -53));
    EXPECT_NE(check.bound->formula.find("its own row"), std::string::npos);

    const auto whole = any_problem<std::int64_t>(segmented_operation::scan);
    EXPECT_FALSE(check_segmented(workloads::find_segmented_variant("scan"), whole, {}, 4).bound);
}

} // namespace

} // namespace tensorloom::test
