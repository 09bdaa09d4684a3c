#include <tensorloom/workloads/chain_reference.h>

#include <limits>

#include <gmock/gmock.h>

#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/workloads/gemt_check.h>

#include "gemt_case.h"

namespace tensorloom::test {
namespace {

using arithmetic::accumulator_of;
using arithmetic::bfloat16;
using testing::Each;
using testing::IsEmpty;
using workloads::chain_data;
using workloads::chain_operation;
using workloads::chain_problem;
using workloads::chain_step;
using workloads::check_gemt;
using workloads::compute_reference;
using workloads::shape3;
using workloads::tensor;

// A chain with random data: 4 x 5 x 3 -> 6 x 5 x 2, operations on elements, and back.
template <class T> struct random_chain {
    std::vector<chain_step> steps;
    chain_data<T> data;
    tensor<T> x{{4, 5, 3}};
    std::mt19937 bits;
    shape3 shape{4, 5, 3};

    explicit random_chain(unsigned seed) : bits(seed) { fill(x.data); }

    void fill(std::vector<T>& values)
    {
        std::generate(values.begin(), values.end(), [&] { return random_value<T>::draw(bits); });
    }
    chain_step& add(chain_operation what, const shape3& out)
    {
        chain_step step;
        step.what = what;
        step.in_shape = shape;
        step.out_shape = shape = out;
        data.matrices.emplace_back();
        data.operands.emplace_back();
        steps.push_back(step);
        return steps.back();
    }
    chain_step& transform(const shape3& out, std::array<unsigned, 3> order = {3, 1, 2})
    {
        const shape3 in = shape;
        auto& step = add(chain_operation::transform, out);
        step.order = order;
        for (std::size_t m = 0; m < 3; ++m) {
            step.transforms[m].kind = in[m] == 5 ? workloads::transform_kind::none : workloads::transform_kind::file;
            if (!step.sums(m)) { continue; }
            data.matrices.back()[m].resize(in[m] * out[m]);
            fill(data.matrices.back()[m]);
        }
        return step;
    }
    chain_step& operation(chain_operation what, double value = 0)
    {
        auto& step = add(what, shape);
        step.value = value;
        if (step.has_operand()) {
            data.operands.back() = tensor<T>({shape[0], shape[1], shape[2]});
            fill(data.operands.back().data);
        }
        return step;
    }
    chain_problem<T> problem(bool rounds_result = false) const
    {
        chain_problem<T> p;
        p.x = &x;
        p.steps = &steps;
        p.data = &data;
        p.rounds_result = rounds_result;
        return p;
    }

    // What a device computes, cell by cell: each multiply-add in the format, operands rounded as in the cells.
    tensor<accumulator_of<T>> device_result(bool rounds_result, double zero_threshold = 0) const
    {
        std::vector<accumulator_of<T>> held(x.data.size());
        std::transform(x.data.begin(), x.data.end(), held.begin(), arithmetic::widened<T>);
        unsigned pending = 0;
        for (std::size_t s = 0; s < steps.size(); ++s) {
            if (steps[s].is_transform()) {
                run_stages(s, held, pending, zero_threshold);
            } else {
                for (std::size_t i = 0; i < held.size(); ++i) { held[i] = changed(s, i, held[i], pending); }
                pending = steps[s].shift;
            }
        }
        tensor<accumulator_of<T>> y({shape[0], shape[1], shape[2]});
        std::transform(held.begin(), held.end(), y.data.begin(), [&](const auto& sum) {
            return rounds_result ? arithmetic::widened(arithmetic::narrowed<T>(sum, pending).value)
                                 : arithmetic::shifted_sum<T>(sum, pending);
        });
        return y;
    }

private:
    void run_stages(std::size_t s, std::vector<accumulator_of<T>>& held, unsigned& pending, double zero_threshold) const
    {
        shape3 n = steps[s].in_shape;
        for (std::size_t stage = 0; stage < 3; ++stage) {
            const std::size_t mode = steps[s].order[stage] - 1;
            if (!steps[s].sums(mode)) { continue; }
            shape3 m = n;
            m[mode] = steps[s].out_shape[mode];
            const auto& c = data.matrices[s][mode];
            std::vector<accumulator_of<T>> sums(workloads::volume_of(m));
            for (std::size_t at = 0; at < sums.size(); ++at) {
                shape3 cell{at / (m[1] * m[2]), at / m[2] % m[1], at % m[2]};
                const std::size_t column = cell[mode];
                for (cell[mode] = 0; cell[mode] < n[mode]; ++cell[mode]) {
                    const auto& sum = held[(cell[0] * n[1] + cell[1]) * n[2] + cell[2]];
                    const T operand = arithmetic::narrowed<T>(sum, pending).value;
                    if (arithmetic::counts_as_zero(operand, zero_threshold)) { continue; }
                    sums[at] = arithmetic::mac(sums[at], operand, c[cell[mode] * m[mode] + column]);
                }
            }
            held = std::move(sums);
            pending = steps[s].shifts[stage];
            n = m;
        }
    }

    accumulator_of<T> changed(std::size_t s, std::size_t i, const accumulator_of<T>& sum, unsigned pending) const
    {
        const auto& step = steps[s];
        const T operand = arithmetic::narrowed<T>(sum, pending).value;
        const T value = T(static_cast<typename arithmetic::number_format<T>::real>(step.value.real()));
        switch (step.what) {
        case chain_operation::multiply: return arithmetic::mac(accumulator_of<T>{}, operand, data.operands[s].data[i]);
        case chain_operation::add:
            return arithmetic::mac(arithmetic::widened(operand), data.operands[s].data[i], value);
        case chain_operation::scale: return arithmetic::mac(accumulator_of<T>{}, operand, value);
        case chain_operation::threshold:
            return arithmetic::counts_as_zero(operand, step.value.real()) ? accumulator_of<T>{}
                                                                          : arithmetic::widened(operand);
        case chain_operation::relu:
            return std::real(arithmetic::widened(operand)) <= 0 ? accumulator_of<T>{} : arithmetic::widened(operand);
        case chain_operation::transform: break;
        }
        return {};
    }
};

template <class T> random_chain<T> there_operations_and_back(unsigned seed)
{
    constexpr bool is_integer = std::is_same_v<T, std::int8_t>;
    random_chain<T> chain(seed);
    chain.transform({6, 5, 2}).shifts = {is_integer ? 6u : 0u, is_integer ? 7u : 0u, 0};
    chain.operation(chain_operation::multiply).shift = is_integer ? 6 : 0;
    chain.operation(chain_operation::add, is_integer ? -3 : -0.5).shift = is_integer ? 2 : 0;
    chain.operation(chain_operation::threshold, is_integer ? 11 : 0.5);
    if constexpr (arithmetic::number_format<T>::parts == 1) { chain.operation(chain_operation::relu); }
    chain.operation(chain_operation::scale, is_integer ? 5 : 1.5).shift = is_integer ? 1 : 0;
    chain.transform({4, 5, 3}, {2, 1, 3}).shifts = {0, is_integer ? 7u : 0u, is_integer ? 5u : 0u};
    return chain;
}

template <class T> class chain_reference : public testing::Test {};
using element_types = testing::Types<double, float, std::complex<double>, std::complex<float>, bfloat16, std::int8_t>;
TYPED_TEST_SUITE(chain_reference, element_types);

TYPED_TEST(chain_reference, results_of_a_device_are_within_the_bounds)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const auto chain = there_operations_and_back<TypeParam>(seed);
        for (const bool rounds : {false, true}) {
            const auto check = check_gemt(chain.device_result(rounds), compute_reference(chain.problem(rounds)));
            EXPECT_TRUE(check.passed) << "seed " << seed;
            EXPECT_EQ(check.compared, 60u);
        }
    }
}

TYPED_TEST(chain_reference, an_operand_that_counts_as_zero_is_within_the_bounds)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const auto chain = there_operations_and_back<TypeParam>(seed);
        auto problem = chain.problem();
        problem.threshold = 0.25;
        EXPECT_TRUE(check_gemt(chain.device_result(false, 0.25), compute_reference(problem)).passed) << "seed " << seed;
    }
}

// Every step matters: without it, or with another value of it, the same result is wrong.
TYPED_TEST(chain_reference, a_result_of_other_steps_does_not_pass)
{
    const auto right = there_operations_and_back<TypeParam>(3);
    const auto reference = compute_reference(right.problem());
    for (std::size_t s = 1; s + 1 < right.steps.size(); ++s) {
        auto wrong = right;
        wrong.steps.erase(wrong.steps.begin() + static_cast<std::ptrdiff_t>(s));
        wrong.data.operands.erase(wrong.data.operands.begin() + static_cast<std::ptrdiff_t>(s));
        wrong.data.matrices.erase(wrong.data.matrices.begin() + static_cast<std::ptrdiff_t>(s));
        EXPECT_FALSE(check_gemt(wrong.device_result(false), reference).passed) << "without step " << s + 1;
    }
    auto wrong = right;
    auto& c = wrong.data.matrices.back()[0].front();
    c = TypeParam(arithmetic::widened(c) + arithmetic::widened(c));
    EXPECT_FALSE(check_gemt(wrong.device_result(false), reference).passed);
}

TEST(chain_reference_bounds, are_a_few_roundings)
{
    const auto of_double = there_operations_and_back<double>(5);
    EXPECT_LT(check_gemt(of_double.device_result(false), compute_reference(of_double.problem())).bound, 1e-12);
    const auto of_float = there_operations_and_back<std::complex<float>>(5);
    EXPECT_LT(check_gemt(of_float.device_result(false), compute_reference(of_float.problem())).bound, 1e-3);
}

// The sums of two transforms and a filter straight from the definition, in one sum over all elements.
TEST(chain_reference_values, are_the_sums_of_the_definition)
{
    random_chain<double> chain(7);
    chain.transform({6, 5, 2});
    chain.operation(chain_operation::multiply);
    chain.transform({4, 5, 3});
    const auto reference = compute_reference(chain.problem());
    const auto& c = chain.data.matrices;
    for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t a = i / 15, b = i / 3 % 5, d = i % 3;
        long double sum = 0;
        for (std::size_t k = 0; k < 6; ++k) {
            for (std::size_t l = 0; l < 2; ++l) {
                for (std::size_t n = 0; n < 4; ++n) {
                    for (std::size_t m = 0; m < 3; ++m) {
                        sum += static_cast<long double>(chain.x.data[(n * 5 + b) * 3 + m]) * c[0][0][n * 6 + k] *
                               c[0][2][m * 2 + l] * chain.data.operands[1].data[(k * 5 + b) * 2 + l] *
                               c[2][0][k * 4 + a] * c[2][2][l * 3 + d];
                    }
                }
            }
        }
        EXPECT_NEAR(static_cast<double>(reference.values.data[i] - sum), 0, reference.uncertainty[i]);
        EXPECT_LT(reference.uncertainty[i], 1e-12);
    }
}

TEST(chain_reference_values, one_transform_has_all_bounds_of_a_gemt)
{
    random_chain<double> chain(2);
    chain.transform({6, 5, 2});
    const auto reference = compute_reference(chain.problem());
    EXPECT_EQ(reference.probable.size(), 60u);
    EXPECT_TRUE(reference.in_format);
}

TEST(chain_reference_threshold, that_is_last_and_undecided_accepts_both_values_and_no_other)
{
    random_chain<double> chain(9);
    chain.transform({6, 5, 2});
    const auto sums = chain.device_result(false);
    const double modulus = std::abs(sums.data[17]); // nobody knows on which side of the threshold the exact sum is
    chain.operation(chain_operation::threshold, modulus);
    const auto reference = compute_reference(chain.problem());
    auto found = chain.device_result(false);
    EXPECT_EQ(found.data[17], 0);
    EXPECT_TRUE(check_gemt(found, reference).passed);
    EXPECT_EQ(check_gemt(found, reference).undecided, 1u);
    found.data[17] = sums.data[17];
    EXPECT_TRUE(check_gemt(found, reference).passed);
    found.data[17] = sums.data[17] / 2;
    EXPECT_FALSE(check_gemt(found, reference).passed);
    found.data[17] = -sums.data[17];
    EXPECT_FALSE(check_gemt(found, reference).passed);
}

TEST(chain_reference_threshold, that_is_undecided_before_a_transform_widens_the_bounds_by_the_element)
{
    random_chain<double> chain(9);
    chain.transform({6, 5, 2});
    const double modulus = std::abs(chain.device_result(false).data[17]);
    const std::size_t b = 17 / 2 % 5; // mode 2, which no transform sums
    chain.operation(chain_operation::threshold, modulus);
    chain.transform({4, 5, 3});
    const auto reference = compute_reference(chain.problem());
    EXPECT_TRUE(check_gemt(chain.device_result(false), reference).passed);
    auto other = chain;
    other.steps[1].value = std::nextafter(modulus, 0.0); // decides the other way
    EXPECT_TRUE(check_gemt(other.device_result(false), reference).passed);
    for (std::size_t i = 0; i < 60; ++i) {
        if (i / 3 % 5 == b) {
            EXPECT_GT(reference.uncertainty[i], 1e-6);
        } else {
            EXPECT_LT(reference.uncertainty[i], 1e-12);
        }
    }
}

TEST(chain_reference_relu, needs_no_decision_at_zero)
{
    random_chain<double> chain(1);
    chain.transform({6, 5, 2});
    for (auto& x : chain.x.data) { x = 0; }
    chain.operation(chain_operation::relu);
    const auto reference = compute_reference(chain.problem());
    EXPECT_THAT(reference.values.data, Each(0.0L));
    EXPECT_THAT(reference.or_zero, IsEmpty());
    EXPECT_TRUE(check_gemt(chain.device_result(false), reference).passed);
}

// Sums that cancel: 0 in the reference, a rounding error in the device, which a later factor magnifies.
TEST(chain_reference_relu, a_factor_multiplies_the_uncertainty_of_a_zero)
{
    random_chain<float> chain(1);
    chain.transform({6, 5, 2});
    std::fill(chain.x.data.begin(), chain.x.data.end(), 1.0f);
    auto& first = chain.data.matrices[0][0];
    for (std::size_t k = 0; k < 6; ++k) {
        first[k] = 0.1f * static_cast<float>(k + 1);
        first[6 + k] = 0.7f / static_cast<float>(k + 1);
        first[12 + k] = -first[k];
        first[18 + k] = -first[6 + k];
    }
    chain.data.matrices[0][2] = {1, 0, 0, 1, 0, 0};
    chain.operation(chain_operation::relu);
    chain.operation(chain_operation::scale, 1e6);
    const auto found = chain.device_result(false);
    EXPECT_GT(*std::max_element(found.data.begin(), found.data.end()), 1e-3);
    for (const bool skips : {false, true}) {
        auto problem = chain.problem();
        problem.skips_zeros = skips;
        EXPECT_TRUE(check_gemt(found, compute_reference(problem)).passed);
    }
}

TEST(chain_reference_low_precision, operations_on_exact_elements_are_exact)
{
    random_chain<bfloat16> chain(4);
    chain.operation(chain_operation::multiply);
    chain.operation(chain_operation::add, 0.3);
    chain.operation(chain_operation::threshold, 0.25);
    chain.operation(chain_operation::scale, 3);
    const auto reference = compute_reference(chain.problem());
    EXPECT_THAT(reference.uncertainty, Each(0.0));
    const auto found = chain.device_result(false);
    for (std::size_t i = 0; i < found.data.size(); ++i) { EXPECT_EQ(found.data[i], reference.values.data[i]); }
}

TEST(chain_reference_low_precision, int8_counts_saturated_operands)
{
    random_chain<std::int8_t> chain(1);
    std::fill(chain.x.data.begin(), chain.x.data.end(), std::int8_t{100});
    chain.operation(chain_operation::scale, 2); // 200 saturates
    chain.operation(chain_operation::scale, -1).shift = 1;
    const auto reference = compute_reference(chain.problem());
    EXPECT_THAT(reference.values.data, Each(-64.0L)); // -127 / 2 to nearest even
    EXPECT_EQ(reference.saturated, 60u);
    EXPECT_TRUE(check_gemt(chain.device_result(false), reference).passed);
}

TEST(chain_reference_low_precision, has_the_steps_without_rounding)
{
    random_chain<std::int8_t> chain(1);
    std::fill(chain.x.data.begin(), chain.x.data.end(), std::int8_t{100});
    chain.operation(chain_operation::scale, 2);
    chain.operation(chain_operation::scale, -3).shift = 2;
    chain.operation(chain_operation::threshold, 127);
    const auto reference = compute_reference(chain.problem());
    EXPECT_THAT(reference.unrounded, Each(-150.0));
    const auto check = check_gemt(chain.device_result(false), reference);
    EXPECT_EQ(check.max_abs_error_against_float64, 150); // -127 times 3 / 4 = -95, dropped

    random_chain<bfloat16> smooth(2);
    smooth.transform({6, 5, 2});
    smooth.operation(chain_operation::multiply);
    smooth.transform({4, 5, 3});
    const auto error =
        check_gemt(smooth.device_result(false), compute_reference(smooth.problem())).max_rel_error_against_float64;
    EXPECT_GT(error, 1e-4);
    EXPECT_LT(error, 2e-2);
}

TEST(chain_reference_range, finite_data_that_overflows_on_the_way_does_not_pass)
{
    random_chain<float> chain(1);
    std::fill(chain.x.data.begin(), chain.x.data.end(), 3e38f);
    chain.operation(chain_operation::scale, 2);
    chain.operation(chain_operation::scale, 0.25);
    auto found = chain.device_result(false);
    EXPECT_FALSE(check_gemt(found, compute_reference(chain.problem())).passed);
    chain.transform({6, 5, 2});
    found = chain.device_result(false);
    EXPECT_FALSE(check_gemt(found, compute_reference(chain.problem())).passed);
}

TEST(chain_reference_range, numbers_that_are_not_finite_stay_so)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    random_chain<double> chain(1);
    chain.x.data[0] = nan;
    chain.x.data[1] = -infinite;
    chain.x.data[2] = infinite;
    chain.operation(chain_operation::scale, 2);
    chain.operation(chain_operation::threshold, 1e300);
    chain.operation(chain_operation::relu);
    const auto reference = compute_reference(chain.problem());
    auto found = chain.device_result(false);
    EXPECT_TRUE(std::isnan(found.data[0]));
    EXPECT_EQ(found.data[1], 0);
    EXPECT_EQ(found.data[2], infinite);
    const auto check = check_gemt(found, reference);
    EXPECT_TRUE(check.passed);
    EXPECT_EQ(check.not_finite, 2u);
    found.data[2] = 0;
    EXPECT_FALSE(check_gemt(found, reference).passed);
}

TEST(chain_reference_range, a_skipped_zero_does_not_meet_an_infinity)
{
    random_chain<double> chain(1);
    chain.x.data[0] = 0;
    chain.operation(chain_operation::multiply);
    chain.data.operands[0].data[0] = std::numeric_limits<double>::infinity();
    auto problem = chain.problem();
    EXPECT_TRUE(std::isnan(compute_reference(problem).values.data[0]));
    problem.skips_zeros = true;
    EXPECT_EQ(compute_reference(problem).values.data[0], 0);
}

TEST(chain_reference_progress, ends_at_one)
{
    auto chain = there_operations_and_back<double>(1);
    auto problem = chain.problem();
    double last = 0;
    problem.progress = [&](double done) {
        EXPECT_GE(done, last);
        last = done;
    };
    compute_reference(problem);
    EXPECT_NEAR(last, 1, 1e-9);
}

} // namespace
} // namespace tensorloom::test
