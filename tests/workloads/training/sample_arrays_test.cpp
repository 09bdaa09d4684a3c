#include <tensorloom/workloads/training/sample_arrays.h>
#include <cmath>
#include <limits>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_file.h>
#include "support/message_of.h"
#include "workloads/npy_bytes.h"

namespace tensorloom::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workloads::labelled_samples;
using workloads::model_description;
using workloads::named_bytes;
using workloads::sample_array_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

model_description dense(unsigned inputs, unsigned outputs, const std::string& loss = "cross-entropy")
{
    return workloads::parse_model("loss: " + loss + "\nlayers: [{format: dense, rows: " + std::to_string(outputs) +
                                      ", cols: " + std::to_string(inputs) + "}]\n",
                                  "net.yaml");
}

model_description tokens(unsigned vocabulary, unsigned frames)
{
    return workloads::parse_model("layers:\n  - {kind: embedding, vocabulary: " + std::to_string(vocabulary) +
                                      ", frames: " + std::to_string(frames) +
                                      ", features: 1}\n  - {format: dense, rows: 2, cols: " + std::to_string(frames) +
                                      "}\n",
                                  "net.yaml");
}

template <class Element>
named_bytes npy(const char* name, const std::string& descr, const std::string& shape,
                const std::vector<Element>& elements, const std::string& fortran = "False")
{
    return {name, npy_bytes(descr, shape, elements, fortran)};
}

named_bytes doubles(const char* name, const std::string& shape, const std::vector<double>& elements)
{
    return npy(name, "<f8", shape, elements);
}

labelled_samples read(const model_description& model, const named_bytes& x, const named_bytes& y, double scale = 1)
{
    labelled_samples samples;
    workloads::add_samples(samples, samples.training, {sample_array_of(x), sample_array_of(y)}, model, scale);
    return samples;
}

labelled_samples read_csv(const model_description& model, const std::string& text)
{
    labelled_samples samples;
    workloads::add_samples(samples, samples.training, workloads::read_csv_samples({"t.csv", text}, model), model, 1);
    return samples;
}

std::string refusal(const model_description& model, const named_bytes& x, const named_bytes& y, double scale = 1)
{
    return message_of([&] { read(model, x, y, scale); });
}

std::string csv_refusal(const model_description& model, const std::string& text)
{
    return message_of([&] { read_csv(model, text); });
}

const named_bytes two_labels = npy<std::int64_t>("y.npy", "<i8", "(2,)", {1, 0});

TEST(sample_arrays, inputs_of_any_shape_and_type_are_rounded_once_to_bf16)
{
    const auto model = dense(4, 2);
    const auto samples = read(model, doubles("x.npy", "(2, 2, 2)", {1, 2.5, -3, 1.00390625, 5, 6, 7, 8}), two_labels);
    EXPECT_THAT(samples.values, ElementsAre(1, 2.5, -3, 1, 5, 6, 7, 8)); // a tie goes to the even neighbour
    EXPECT_EQ(samples.features, 4u);
    EXPECT_EQ(samples.classes, 2u);
    EXPECT_THAT(samples.labels, ElementsAre(1, 0));
    EXPECT_THAT(samples.training, ElementsAre(0, 1));
    EXPECT_EQ(samples.values, read(model,
                                   npy<std::uint16_t>("x.npy", "<f2", "(2, 4)",
                                                      {0x3c00, 0x4100, 0xc200, 0x3c00, 0x4500, 0x4600, 0x4700, 0x4800}),
                                   two_labels)
                                  .values);
    // Above a tie of bf16 by less than float32 shows: rounded twice it would go down.
    EXPECT_EQ(
        read(dense(1, 2), doubles("x.npy", "(1, 1)", {1 + 0x1p-8 + 0x1p-40}), npy<std::int8_t>("y", "|i1", "(1,)", {0}))
            .values[0],
        1 + 0x1p-7f);
    const auto columns = npy<float>("x.npy", "<f4", "(2, 2, 2)", {1, 5, -3, 7, 2.5, 6, 1, 8}, "True");
    EXPECT_EQ(samples.values, read(model, columns, two_labels).values);
}

TEST(sample_arrays, integers_are_numbers_unless_they_are_scaled)
{
    const auto bytes = npy<std::uint8_t>("x.npy", "|u1", "(2, 2)", {0, 255, 51, 102});
    EXPECT_THAT(read(dense(2, 2), bytes, two_labels).values, ElementsAre(0, 255, 51, 102));
    const auto scaled = read(dense(2, 2), bytes, two_labels, 255).values;
    EXPECT_EQ(scaled[1], 1);
    EXPECT_NEAR(scaled[2], 0.2, 0.001);
    EXPECT_EQ(read(dense(2, 2), npy<std::uint8_t>("x.npy", "|b1", "(2, 2)", {0, 1, 1, 0}), two_labels).values[1], 1);
}

TEST(sample_arrays, labels_have_any_integer_type_and_may_be_a_column)
{
    const auto x = doubles("x.npy", "(2, 1)", {1, 2});
    const auto model = dense(1, 300);
    EXPECT_THAT(read(model, x, npy<std::uint16_t>("y", "<u2", "(2, 1)", {299, 0})).labels, ElementsAre(299, 0));
    EXPECT_THAT(read(model, x, doubles("y", "(2,)", {7, 12})).labels, ElementsAre(7, 12));
    EXPECT_THAT(read(model, x, npy<std::uint8_t>("y", "|b1", "(2,)", {1, 0})).labels, ElementsAre(1, 0));
}

TEST(sample_arrays, targets_are_numbers_for_each_output)
{
    const auto x = doubles("x.npy", "(2, 1)", {1, 2});
    const auto samples = read(dense(1, 2, "mse"), x, doubles("y", "(2, 2)", {0.1, -2, 3, 1e30}));
    EXPECT_THAT(samples.targets, ElementsAre(0.1f, -2, 3, 1e30f));
    EXPECT_EQ(samples.outputs(), 2u);
    EXPECT_EQ(samples.classes, 0u);
    EXPECT_EQ(samples.count(), 2u);
    EXPECT_THAT(read(dense(1, 1, "l1"), x, two_labels).targets, ElementsAre(1, 0)); // integers, one output
    EXPECT_THAT(read(dense(1, 2, "mse"), x, two_labels).labels, ElementsAre(1, 0)); // integers, a class of several
}

TEST(sample_arrays, tokens_are_below_the_vocabulary)
{
    const auto model = tokens(5, 3);
    const auto samples = read(model, npy<std::int32_t>("x.npy", "<i4", "(2, 3)", {0, 4, 1, 2, 3, 4}), two_labels);
    EXPECT_EQ(samples.vocabulary, 5u);
    EXPECT_THAT(samples.values, ElementsAre(0, 4, 1, 2, 3, 4));
    EXPECT_EQ(refusal(model, npy<std::int32_t>("x.npy", "<i4", "(2, 3)", {0, 4, 1, 2, 5, 4}), two_labels),
              "x.npy: element (1,1): found token 5, expected a whole number from 0 to 4");
    EXPECT_THAT(refusal(model, doubles("x.npy", "(2, 3)", {0, 4, 1, 2, 0.5, 4}), two_labels), HasSubstr("token 0.5"));
    EXPECT_THAT(refusal(model, doubles("x.npy", "(2, 3)", {0, 4, 1, 2, -1, 4}), two_labels), HasSubstr("token -1"));
    EXPECT_THAT(refusal(model, doubles("x.npy", "(2, 3)", {0, 4, 1, 2, nan, 4}), two_labels),
                HasSubstr("(1,1): found nan"));
}

TEST(sample_arrays, numbers_that_are_refused_have_their_place)
{
    const auto model = dense(2, 2);
    for (const auto& [value, text] : {std::pair(nan, "nan"), {infinity, "inf"}, {-infinity, "-inf"}}) {
        EXPECT_EQ(refusal(model, doubles("x.npy", "(2, 1, 2)", {1, 2, 3, value}), two_labels),
                  "x.npy: element (1,0,1): found " + std::string(text) + ", expected a finite number");
    }
    const auto x = doubles("x.npy", "(2, 2)", {1, 2, 3, 4});
    EXPECT_THAT(refusal(model, doubles("x.npy", "(2, 2)", {1, 1e39, 3, 4}), two_labels),
                AllOf(HasSubstr("element (0,1)"), HasSubstr("1e+39")));
    EXPECT_THAT(refusal(model, x, two_labels, 1e-38), HasSubstr("element (1,1): found 4"));
    EXPECT_EQ(refusal(model, x, npy<std::int64_t>("y.npy", "<i8", "(2,)", {0, 2})),
              "y.npy: element 1: found label 2, expected a whole number from 0 to 1");
    EXPECT_THAT(refusal(model, x, npy<std::int64_t>("y.npy", "<i8", "(2,)", {-1, 1})),
                HasSubstr("element 0: found label -1"));
    EXPECT_THAT(refusal(model, x, doubles("y.npy", "(2,)", {0, 0.5})), HasSubstr("label 0.5"));
    EXPECT_THAT(refusal(dense(2, 2, "mse"), x, doubles("y.npy", "(2, 2)", {0, 1, 2, nan})),
                HasSubstr("y.npy: element (1,1): found nan"));
}

TEST(sample_arrays, sizes_that_do_not_match)
{
    const auto x = doubles("x.npy", "(2, 2)", {1, 2, 3, 4});
    EXPECT_EQ(refusal(dense(2, 2), x, npy<std::int64_t>("y.npy", "<i8", "(3,)", {0, 1, 0})),
              "y.npy: found answers for 3 samples, expected one for each of the 2 of x.npy");
    EXPECT_EQ(refusal(dense(3, 2), doubles("x.npy", "(2, 2, 2)", std::vector<double>(8)), two_labels),
              "x.npy: found 4 inputs in a sample (2 x 2), expected 3, those of the model");
    EXPECT_EQ(refusal(dense(2, 2), x, doubles("y.npy", "(2, 2)", {0, 1, 1, 0})),
              "y.npy: found 2 numbers for a sample (2), expected 1, its label");
    EXPECT_EQ(refusal(dense(2, 3, "mse"), x, doubles("y.npy", "(2,)", {0, 1})),
              "y.npy: found 1 numbers for a sample (1), expected 3 targets, one for each output");
    EXPECT_THAT(refusal(dense(2, 2), doubles("x.npy", "(0, 2)", {}), two_labels),
                HasSubstr("x.npy: found no number in the shape 0 x 2"));
    EXPECT_THAT(refusal(dense(2, 2), doubles("x.npy", "()", {1}), two_labels),
                HasSubstr("x.npy: found a single number"));
}

TEST(sample_arrays, types_that_are_no_numbers)
{
    const auto x = doubles("x.npy", "(2, 2)", {1, 2, 3, 4});
    for (const char* type : {"|O", "<U4", "|S4", ">f8"}) {
        EXPECT_THAT(refusal(dense(2, 2), npy<double>("x.npy", type, "(1, 2)", {1, 2}), two_labels),
                    AllOf(HasSubstr("x.npy: element"), HasSubstr("expected b1, i1 to i8")));
    }
    EXPECT_THAT(refusal(dense(2, 2), x, npy<float>("y.npy", "<c8", "(2,)", {1, 0, 0, 0})),
                HasSubstr("y.npy: found complex elements"));
}

TEST(sample_arrays, a_test_set_has_the_answers_of_training)
{
    const auto model = dense(2, 2, "mse");
    auto samples = read(model, doubles("x", "(2, 2)", {1, 2, 3, 4}), doubles("y", "(2, 2)", {1, 2, 3, 4}));
    const workloads::sample_arrays test{sample_array_of(doubles("x", "(1, 2)", {5, 6})),
                                        sample_array_of(npy<std::int8_t>("t", "|i1", "(1,)", {1}))};
    EXPECT_THAT(message_of([&] { workloads::add_samples(samples, samples.test, test, model, 1); }),
                HasSubstr("t: found labels, expected targets, as for training"));
}

TEST(csv_samples, with_and_without_a_header)
{
    const auto model = dense(2, 3);
    for (const char* text : {"1,2,0\n3.5,4,2\n", "a,b,label\n1,2,0\n3.5,4,2",
                             "\xef\xbb\xbf"
                             "0,1,label\r\n 1, 2,0\r\n\r\n+3.5,4,2.0\r\n"}) {
        const auto samples = read_csv(model, text);
        EXPECT_THAT(samples.values, ElementsAre(1, 2, 3.5, 4)) << text;
        EXPECT_THAT(samples.labels, ElementsAre(0, 2)) << text;
    }
}

TEST(csv_samples, targets_are_the_last_columns)
{
    EXPECT_THAT(read_csv(dense(1, 2, "mse"), "1,0.5,0.25\n2,3,-4\n").targets, ElementsAre(0.5, 0.25, 3, -4));
    EXPECT_THAT(read_csv(dense(2, 1, "huber"), "1,0.5,3\n").targets, ElementsAre(3));
    EXPECT_THAT(read_csv(dense(2, 4, "mse"), "1,0.5,3\n").labels, ElementsAre(3)); // a column: a class of four
}

TEST(csv_samples, what_is_refused_has_line_and_column)
{
    const auto model = dense(2, 3);
    EXPECT_EQ(csv_refusal(model, "a,b,c\n1,2,0\n1,x,0\n"), "t.csv, line 3, column 2: found 'x', expected a number");
    EXPECT_EQ(csv_refusal(model, "1,x,0\n"), "t.csv, line 1, column 2: found 'x', expected a number");
    EXPECT_EQ(csv_refusal(model, "1,2,0\n\n1,nan,0\n"), "t.csv, line 3, column 2: found nan, expected a finite number");
    EXPECT_EQ(csv_refusal(model, "1,2,0\n1,2,3\n"),
              "t.csv, line 2, column 3: found label 3, expected a whole number from 0 to 2");
    EXPECT_THAT(csv_refusal(model, "1,2,0\n1,,0\n"), HasSubstr("line 2, column 2: found ''"));
    EXPECT_EQ(csv_refusal(model, "1,2,0\n1,2\n"), "t.csv, line 2: found 2 columns, expected 3 as in the lines before");
    EXPECT_EQ(csv_refusal(model, "1,2,2,0\n"), "t.csv: found 4 columns, expected 3: the model's 2 inputs and a label");
    EXPECT_EQ(csv_refusal(dense(2, 3, "mse"), "1,2,2,0\n"),
              "t.csv: found 4 columns, expected 5: the model's 2 inputs and 3 targets");
    EXPECT_THAT(csv_refusal(model, "1;2;0\n"), HasSubstr("no line of numbers"));
    EXPECT_THAT(csv_refusal(model, "1\n"), HasSubstr("line 1: found 1 columns, expected at least 2"));
    EXPECT_THAT(csv_refusal(model, "a,b,c\n"), HasSubstr("no line of numbers"));
}

} // namespace
} // namespace tensorloom::test
