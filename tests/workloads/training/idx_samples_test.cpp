// Samples from files of IDX: what they hold, and what is wrong with others.
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/training/idx_samples.h>

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

std::string header(unsigned char modes, const std::vector<unsigned>& sizes)
{
    std::string bytes{0, 0, 8, static_cast<char>(modes)};
    for (const unsigned size : sizes) {
        for (const unsigned shift : {24u, 16u, 8u, 0u}) { bytes += static_cast<char>(size >> shift & 0xff); }
    }
    return bytes;
}

idx_file images(unsigned count, unsigned rows = 2, unsigned columns = 3)
{
    std::string bytes = header(3, {count, rows, columns});
    for (unsigned i = 0; i < count * rows * columns; ++i) { bytes += static_cast<char>(i * 51 % 256); }
    return {"images", bytes};
}

idx_file labels(unsigned count, unsigned first = 0)
{
    std::string bytes = header(1, {count});
    for (unsigned i = 0; i < count; ++i) { bytes += static_cast<char>((first + i) % 10); }
    return {"labels", bytes};
}

std::string error_of(const idx_file& pictures, const idx_file& names)
{
    try {
        read_idx_samples("set", 10, images(2), labels(2), pictures, names);
    } catch (const base::input_error& error) {
        return error.what();
    }
    return "";
}

TEST(idx_samples, training_set_is_in_front_of_the_test_set)
{
    const auto samples = read_idx_samples("set", 10, images(3), labels(3), images(2), labels(2, 7));
    EXPECT_EQ(samples.features, 6u);
    EXPECT_EQ(samples.training, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(samples.test, (std::vector<std::uint32_t>{3, 4}));
    EXPECT_EQ(samples.labels, (std::vector<std::uint32_t>{0, 1, 2, 7, 8}));
    ASSERT_EQ(samples.values.size(), 30u);
    EXPECT_EQ(samples.values[0], 0.0f);
    EXPECT_EQ(samples.values[5], 1.0f); // of 255
    EXPECT_NEAR(samples.values[1], 0.2, 0.2 / 256);
    EXPECT_EQ(samples.values[18], samples.values[0]) << "of the first test image";
}

TEST(idx_samples, files_that_are_none_are_refused)
{
    EXPECT_EQ(error_of(images(2), labels(2)), "");
    EXPECT_EQ(error_of({"f", ""}, labels(2)), "f: found 0 bytes, expected an IDX file of bytes in 3 modes");
    EXPECT_EQ(error_of(images(2), {"f", labels(2).bytes.substr(0, 7)}),
              "f: found 7 bytes, expected an IDX file of bytes in 1 mode");
    EXPECT_NE(error_of(labels(20), labels(2)).find("the magic number 2049"), std::string::npos);
    auto truncated = images(2);
    truncated.bytes.pop_back();
    EXPECT_EQ(error_of(truncated, labels(2)),
              "images: found 11 bytes after the header, expected 2 x 2 x 3 as in the header");
    EXPECT_NE(error_of({"f", header(3, {0xffffffff, 0xffffffff, 0xffffffff}) + "12"}, labels(2)).find("2 bytes"),
              std::string::npos);
    EXPECT_NE(error_of({"f", header(3, {0, 2, 3})}, labels(2)).find("a size of 0"), std::string::npos);
    EXPECT_EQ(error_of(images(3), labels(2)), "labels: found 2 labels, expected one for each of 3 images");
    EXPECT_EQ(error_of(images(2, 3, 3), labels(2)),
              "images: found images of 9 pixels, expected those of the training set, 6");
    auto wrong = labels(2);
    wrong.bytes.back() = 10;
    EXPECT_EQ(error_of(images(2), wrong), "labels: found label 10 of image 1, expected one from 0 to 9");
}

} // namespace
