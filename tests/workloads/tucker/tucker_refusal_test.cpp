#include <tensorloom/workloads/tucker/tucker_decomposition.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "tucker_case.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using workloads::tensor;
using workloads::tucker_request;

class tucker_check_error : public testing::Test {
protected:
    tensor<double> x = workloads::fill_tensor<double>(workloads::fill_kind::random, {4, 5, 6}, 0, 1);
    tucker_request request;
    std::string validate()
    {
        workloads::host_ttm engine;
        return message_of([&] { workloads::decompose(x, request, engine); });
    }
};

TEST_F(tucker_check_error, ranks_beyond_the_sizes)
{
    for (const workloads::shape3& ranks : {workloads::shape3{0, 2, 2}, {5, 5, 6}, {2, 6, 2}, {2, 2, 7}, {2, 0, 2}}) {
        request.ranks = ranks;
        EXPECT_THAT(validate(), AllOf(HasSubstr("ranks"), HasSubstr("found, expected"), HasSubstr("size")));
    }
    request.ranks = workloads::shape3{4, 5, 6};
    EXPECT_EQ(validate(), "");
}

TEST_F(tucker_check_error, a_rank_above_the_product_of_the_others)
{
    request.ranks = workloads::shape3{1, 2, 3};
    EXPECT_THAT(validate(), AllOf(HasSubstr("1x2x3"), HasSubstr("mode 3"), HasSubstr("product")));
    request.ranks = workloads::shape3{4, 1, 3};
    EXPECT_THAT(validate(), AllOf(HasSubstr("4x1x3"), HasSubstr("mode 1"), HasSubstr("at most the product")));
    request.ranks = workloads::shape3{4, 2, 2};
    EXPECT_EQ(validate(), "");
}

TEST_F(tucker_check_error, a_tolerance_that_is_no_fraction)
{
    for (const double tolerance : {0.0, 1.0, -0.1, 1.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
        request.tolerance = tolerance;
        EXPECT_THAT(validate(), AllOf(HasSubstr("tolerance"), HasSubstr("above 0 and below 1")));
    }
    for (const double tolerance : {5e-324, 0.9999999}) {
        request.tolerance = tolerance;
        EXPECT_EQ(validate(), "");
    }
}

TEST_F(tucker_check_error, iterations_that_cannot_be)
{
    request.max_iterations = 0;
    EXPECT_THAT(validate(), HasSubstr("iterations"));
    request.max_iterations = 1;
    for (const double change : {-1e-9, 1.5, std::nan("")}) {
        request.fit_change = change;
        EXPECT_THAT(validate(), HasSubstr("change of fit"));
    }
}

TEST_F(tucker_check_error, a_tensor_without_a_norm)
{
    x = tensor<double>({3, 4, 5});
    EXPECT_THAT(validate(), HasSubstr("zero"));
    x = tensor<double>({3, 0, 5});
    EXPECT_THAT(validate(), HasSubstr("3x0x5"));
    x = tensor<double>({3, 4});
    EXPECT_THAT(validate(), HasSubstr("2 modes"));
    x = workloads::fill_tensor<double>(workloads::fill_kind::random, {3, 4, 5}, 0, 1);
    x.data[27] = std::nan("");
    EXPECT_THAT(validate(), AllOf(HasSubstr("(1,1,2)"), HasSubstr("nan"), HasSubstr("finite")));
    x.data[27] = -std::numeric_limits<double>::infinity();
    EXPECT_THAT(validate(), AllOf(HasSubstr("(1,1,2)"), HasSubstr("-inf")));
    x.data[27] = 1e141;
    EXPECT_THAT(validate(), AllOf(HasSubstr("1e+141"), HasSubstr("1e140")));
    std::fill(x.data.begin(), x.data.end(), 1e-141);
    EXPECT_THAT(validate(), AllOf(HasSubstr("1e-141"), HasSubstr("1e-140")));
}

TEST_F(tucker_check_error, tensors_at_the_ends_of_the_range_are_decomposed)
{
    for (const double scale : {1e-139, 1e139}) {
        tensor<double> scaled = x;
        for (double& value : scaled.data) { value *= scale; }
        request.ranks = workloads::shape3{2, 3, 2};
        workloads::host_ttm engine;
        const auto plain = workloads::decompose(x, request, engine);
        const auto found = workloads::decompose(scaled, request, engine);
        EXPECT_NEAR(found.fits.back(), plain.fits.back(), 1e-13);
    }
}

TEST(tucker_names, are_parsed_and_printed)
{
    for (const char* name : {"hosvd", "st-hosvd", "hooi"}) {
        EXPECT_EQ(workloads::tucker_method_name(workloads::parse_tucker_method(name)), name);
    }
    EXPECT_THAT(message_of([] { workloads::parse_tucker_method("HOSVD"); }), HasSubstr("st-hosvd"));
}

TEST(known_rank_refusal, ranks_and_noise)
{
    EXPECT_THAT(message_of([] { workloads::known_rank_tensor({3, 3, 3}, {4, 3, 3}, 0, 1); }), HasSubstr("ranks"));
    EXPECT_THAT(message_of([] { workloads::known_rank_tensor({3, 3, 3}, {2, 2, 2}, -1, 1); }), HasSubstr("noise"));
}

} // namespace
} // namespace tensorloom::test
