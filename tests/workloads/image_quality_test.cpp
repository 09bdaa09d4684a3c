#include <tensorloom/workloads/lossy_compression.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using workloads::psnr;
using workloads::tensor;

tensor<double> image(std::vector<double> values)
{
    tensor<double> result({values.size()});
    result.data = std::move(values);
    return result;
}

TEST(psnr, follows_its_formula)
{
    EXPECT_DOUBLE_EQ(psnr(image({0, 100}), image({10, 90}), 100), 20);      // mean square 100
    EXPECT_DOUBLE_EQ(psnr(image({0, 0, 0, 0}), image({0, 0, 0, 2}), 1), 0); // mean square 1
    EXPECT_DOUBLE_EQ(psnr(image({255}), image({254}), 255), 20 * std::log10(255));
}

TEST(psnr, equal_images_have_no_noise)
{
    EXPECT_EQ(psnr(image({1, 2}), image({1, 2}), 2), std::numeric_limits<double>::infinity());
}

TEST(psnr, nan_stays_nan) { EXPECT_TRUE(std::isnan(psnr(image({1, 2}), image({1, std::nan("")}), 2))); }

TEST(psnr, bad_arguments_are_refused)
{
    EXPECT_THAT(message_of([] {
                    psnr(image({1, 2}), image({1}), 1);
                }),
                HasSubstr("shape 1 found, expected that of the reference, 2"));
    EXPECT_THAT(message_of([] { psnr(image({}), image({}), 1); }), HasSubstr("without elements"));
    for (double peak : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_THAT(message_of([=] { psnr(image({1}), image({1}), peak); }), HasSubstr("peak"));
    }
}

} // namespace
} // namespace tensorloom::test
