#include "platform/triada/gemt_job.h"

#include <gmock/gmock.h>

namespace tensorloom::test {
namespace {

using arithmetic::bfloat16;
using testbench::gemt_job;
using testbench::gemt_transform;
using testbench::result_format;

// One number, transformed by three: every stage is one product.
template <class T> gemt_transform<T> product_of(T x, std::array<T, 3> c)
{
    gemt_transform<T> problem;
    problem.x.emplace_back(std::vector<std::size_t>{1, 1, 1});
    problem.x[0].data = {x};
    for (std::size_t m = 0; m < 3; ++m) { problem.matrices[m] = {c[m]}; }
    return problem;
}

template <class R> workloads::tensor<R> number(R value)
{
    workloads::tensor<R> y({1, 1, 1});
    y.data = {value};
    return y;
}

template <class T>
workloads::check_result check(const gemt_job& job, const gemt_transform<T>& problem,
                              std::vector<arithmetic::accumulator_of<T>> results)
{
    std::vector<workloads::tensor<arithmetic::accumulator_of<T>>> y;
    for (auto value : results) { y.push_back(number(value)); }
    return problem.check(job, y, true);
}

TEST(transform_check, shifts_go_with_the_stages_of_the_order)
{
    const auto problem = product_of<std::int8_t>(100, {3, 2, 5});
    gemt_job job;
    job.format = base::element_type::int8;
    job.order = {3, 1, 2};
    job.shifts = {3, 4, 0}; // 500 -> 62.5 -> 62, 186 -> 11.625 -> 12, 24
    EXPECT_TRUE(check(job, problem, {24}).passed);
    job.shifts = {4, 3, 0}; // 31.25 -> 31, 93 -> 11.625 -> 12, 24
    EXPECT_TRUE(check(job, problem, {24}).passed);
    job.shifts = {0, 0, 4}; // 500 -> 127, 381 -> 127, 254 -> 15.875
    EXPECT_TRUE(check(job, problem, {16}).passed);
    EXPECT_EQ(check(job, problem, {16}).saturated, 2u);
    EXPECT_FALSE(check(job, problem, {15}).passed);
}

TEST(transform_check, the_result_is_rounded_when_the_job_wants_elements)
{
    const float x = 1 + 0x1p-7f;
    const auto problem = product_of<bfloat16>(bfloat16(x), {bfloat16(x), bfloat16(1), bfloat16(1)});
    gemt_job job;
    job.format = base::element_type::bf16;
    job.order = {3, 2, 1};
    EXPECT_TRUE(check(job, problem, {x * x}).passed);
    EXPECT_FALSE(check(job, problem, {1 + 0x1p-6f}).passed);
    job.result = result_format::element;
    EXPECT_FALSE(check(job, problem, {x * x}).passed);
    EXPECT_TRUE(check(job, problem, {1 + 0x1p-6f}).passed);
    EXPECT_DOUBLE_EQ(check(job, problem, {1 + 0x1p-6f}).max_abs_error_against_float64, 0x1p-14);
}

TEST(transform_check, only_esop_has_a_threshold)
{
    const auto problem = product_of<std::int8_t>(4, {1, 1, 1});
    gemt_job job;
    job.format = base::element_type::int8;
    job.zero_threshold = 4;
    EXPECT_TRUE(check(job, problem, {0}).passed);
    job.esop = false;
    EXPECT_FALSE(check(job, problem, {0}).passed);
    EXPECT_TRUE(check(job, problem, {4}).passed);
}

TEST(transform_check, of_a_batch_the_worst_counts)
{
    auto problem = product_of<std::int8_t>(100, {2, 1, 1});
    problem.x.push_back(number<std::int8_t>(-100));
    problem.x.push_back(number<std::int8_t>(3));
    gemt_job job;
    job.format = base::element_type::int8;
    job.order = {1, 2, 3};
    job.batch = 3;
    auto checked = check(job, problem, {127, -128, 6});
    EXPECT_TRUE(checked.passed);
    EXPECT_EQ(checked.saturated, 2u);
    EXPECT_EQ(checked.compared, 3u);
    EXPECT_EQ(checked.max_abs_error_against_float64, 73); // 200 became 127
    checked = check(job, problem, {127, -128, 7});
    EXPECT_FALSE(checked.passed);
    EXPECT_EQ(checked.max_abs_error, 1);
    EXPECT_EQ(checked.max_abs_error_against_float64, 73);
}

TEST(gemt_transform, has_the_matrices_of_a_rectangular_job)
{
    gemt_job job;
    job.shape = {4, 3, 2};
    job.fill = workloads::fill_kind::ramp;
    job.transforms.fill(workloads::parse_transform("identity"));
    EXPECT_EQ(job.result_shape(), job.shape);
    job.out_shape = workloads::shape3{2, 3, 4};
    const auto problem = gemt_transform<float>::make(job);
    EXPECT_THAT(problem.matrices[0], testing::ElementsAre(1, 0, 0, 1, 0, 0, 0, 0));
    EXPECT_EQ(problem.matrices[1].size(), 9u);
    EXPECT_THAT(problem.matrices[2], testing::ElementsAre(1, 0, 0, 0, 0, 1, 0, 0));
}

TEST(gemt_job, results_are_in_the_accumulator_s_format_or_the_element_s)
{
    gemt_job job;
    const auto type = [&](base::element_type format, result_format result) {
        job.format = format;
        job.result = result;
        return job.result_type();
    };
    EXPECT_EQ(type(base::element_type::bf16, result_format::accumulator), base::element_type::f32);
    EXPECT_EQ(type(base::element_type::bf16, result_format::element), base::element_type::bf16);
    EXPECT_EQ(type(base::element_type::int8, result_format::accumulator), base::element_type::int32);
    EXPECT_EQ(type(base::element_type::int8, result_format::element), base::element_type::int8);
    EXPECT_EQ(type(base::element_type::c64, result_format::accumulator), base::element_type::c64);
}

} // namespace
} // namespace tensorloom::test
