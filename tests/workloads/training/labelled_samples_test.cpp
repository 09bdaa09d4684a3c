#include <tensorloom/workloads/training/labelled_samples.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workloads::labelled_samples;

constexpr std::uint64_t classes_of_file = 3;
constexpr double largest = 4;

labelled_samples read(const std::string& text, std::size_t test_samples = 0)
{
    return workloads::read_samples(text, "data.csv", classes_of_file, largest, test_samples);
}

std::string error_of_samples(const std::string& text, std::size_t test_samples = 0)
{
    return message_of([&] { read(text, test_samples); });
}

std::vector<std::size_t> count_by_class(const labelled_samples& samples, const std::vector<std::uint32_t>& of)
{
    std::vector<std::size_t> count(samples.classes);
    for (const auto s : of) { ++count[samples.labels[s]]; }
    return count;
}

TEST(labelled_samples, lines_of_features_and_a_label)
{
    const auto samples = read("0,4,2\n1,3,0\r\n\n2.5,0.5,1");
    EXPECT_EQ(samples.name, "data.csv");
    EXPECT_EQ(samples.features, 2u);
    EXPECT_EQ(samples.classes, classes_of_file);
    EXPECT_THAT(samples.values, ElementsAre(0, 1, 0.25f, 0.75f, 0.625f, 0.125f));
    EXPECT_THAT(samples.labels, ElementsAre(2, 0, 1));
}

TEST(labelled_samples, features_are_rounded_to_bf16)
{
    EXPECT_THAT(read("1.3,0\n").values, ElementsAre(0.32421875f)); // 0.325: 83 / 256 is nearest
}

TEST(labelled_samples, a_label_out_of_range)
{
    for (const char* label : {"3", "-1", "1.5", "x", "", "4294967296"}) {
        EXPECT_THAT(error_of_samples("1,2,0\n1,2," + std::string(label) + "\n"),
                    AllOf(HasSubstr("data.csv, line 2: found label"), HasSubstr(label),
                          HasSubstr("expected a whole number from 0 to 2")))
            << label;
    }
}

TEST(labelled_samples, a_feature_that_is_none)
{
    for (const char* feature : {"5", "-1", "nan", "inf", "1e400", "x", "", "1 "}) {
        EXPECT_THAT(
            error_of_samples("1,2,0\n\n1," + std::string(feature) + ",0\n"),
            AllOf(HasSubstr("data.csv, line 3: found"), HasSubstr(feature), HasSubstr("expected a number from 0 to 4")))
            << feature;
    }
}

TEST(labelled_samples, other_columns_than_before)
{
    EXPECT_THAT(error_of_samples("1,2,0\n1,0\n"),
                AllOf(HasSubstr("line 2: found 2 columns"), HasSubstr("3 columns as in the first line")));
    EXPECT_THAT(error_of_samples("1,2,0\n1,1,1,0\n"), HasSubstr("line 2: found 4 columns"));
    EXPECT_THAT(error_of_samples("2\n"), HasSubstr("line 1: found 1 columns"));
}

TEST(labelled_samples, too_few_for_the_test_set)
{
    EXPECT_THAT(error_of_samples("1,0\n2,1\n", 2), HasSubstr("data.csv: found 2 samples, expected more than 2"));
    EXPECT_THAT(error_of_samples("", 0), HasSubstr("found 0 samples"));
}

TEST(labelled_samples, every_class_has_its_share_of_the_test_set)
{
    std::string text;
    for (int s = 0; s < 30; ++s) { text += "1," + std::string(s < 12 ? "0" : s < 27 ? "1" : "2") + "\n"; }
    const auto samples = read(text, 10);
    EXPECT_THAT(count_by_class(samples, samples.test), ElementsAre(4, 5, 1));
    EXPECT_THAT(count_by_class(samples, samples.training), ElementsAre(8, 10, 2));
}

TEST(digits, features_and_labels)
{
    const auto digits = workloads::shipped_digits();
    EXPECT_EQ(digits.count(), 1797u);
    EXPECT_EQ(digits.features, 64u);
    EXPECT_EQ(digits.values.size(), 1797u * 64u);
    EXPECT_THAT(std::vector<std::uint32_t>(digits.labels.begin(), digits.labels.begin() + 10),
                ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    for (const float x : digits.values) { ASSERT_EQ(x * 16, std::round(x * 16)); }
    EXPECT_EQ(*std::min_element(digits.values.begin(), digits.values.end()), 0.0f);
    EXPECT_EQ(*std::max_element(digits.values.begin(), digits.values.end()), 1.0f);
}

TEST(digits, stratified_split)
{
    const auto digits = workloads::shipped_digits();
    EXPECT_EQ(digits.test.size(), 360u);
    EXPECT_EQ(digits.training.size(), 1437u);
    auto all = digits.test;
    all.insert(all.end(), digits.training.begin(), digits.training.end());
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> numbers(digits.count());
    std::iota(numbers.begin(), numbers.end(), 0u);
    EXPECT_EQ(all, numbers);
    const auto test = count_by_class(digits, digits.test), training = count_by_class(digits, digits.training);
    for (std::size_t c = 0; c < digits.classes; ++c) {
        const auto share = static_cast<double>(test[c] + training[c]) * 360 / 1797;
        EXPECT_LT(std::abs(static_cast<double>(test[c]) - share), 1) << c;
    }
}

// Tokens of sample s.
std::vector<std::uint32_t> tokens_of(const workloads::labelled_samples& samples, std::size_t s)
{
    const auto first = samples.values.begin() + static_cast<std::ptrdiff_t>(s * samples.features);
    return {first, first + static_cast<std::ptrdiff_t>(samples.features)};
}

TEST(sequences, the_class_is_the_value_behind_the_marker)
{
    const auto samples = workloads::marked_sequences();
    ASSERT_EQ(samples.count(), 2560u);
    EXPECT_EQ(samples.features, 16u);
    EXPECT_EQ(samples.vocabulary, 16u);
    EXPECT_EQ(samples.classes, 4u);
    std::vector<unsigned> marker_at(16);
    for (std::size_t s = 0; s < samples.count(); ++s) {
        const auto tokens = tokens_of(samples, s);
        const auto marker = std::find(tokens.begin(), tokens.end(), 15u);
        ASSERT_LT(marker, tokens.end() - 1);
        ASSERT_EQ(marker[1], samples.labels[s]);
        ++marker_at[static_cast<std::size_t>(marker - tokens.begin())];
        for (const std::uint32_t once : {0u, 1u, 2u, 3u, 15u}) { // a bag of tokens tells nothing
            ASSERT_EQ(std::count(tokens.begin(), tokens.end(), once), 1) << s;
        }
        ASSERT_LT(*std::max_element(tokens.begin(), tokens.end()), 16u);
    }
    for (std::size_t place = 0; place < 15; ++place) { EXPECT_NEAR(marker_at[place], 2560.0 / 15, 45) << place; }
}

TEST(sequences, are_split_and_always_the_same)
{
    const auto samples = workloads::marked_sequences();
    EXPECT_EQ(samples.training.size(), 2048u);
    EXPECT_EQ(samples.test.size(), 512u);
    EXPECT_THAT(count_by_class(samples, samples.training), ElementsAre(512, 512, 512, 512));
    EXPECT_THAT(count_by_class(samples, samples.test), ElementsAre(128, 128, 128, 128));
    std::set<std::vector<std::uint32_t>> different;
    for (std::size_t s = 0; s < samples.count(); ++s) { different.insert(tokens_of(samples, s)); }
    EXPECT_EQ(different.size(), samples.count()); // so none of the test set is trained with
    EXPECT_EQ(samples.values, workloads::marked_sequences().values);
    EXPECT_THAT(tokens_of(samples, 0), ElementsAre(5, 3, 4, 7, 1, 4, 8, 4, 2, 13, 4, 4, 15, 0, 5, 12));
}

TEST(digits, the_order_of_an_epoch_is_a_permutation_of_seed_and_number)
{
    const auto digits = workloads::shipped_digits();
    const auto first = workloads::order_of_epoch(digits, 1, 0);
    EXPECT_EQ(first, workloads::order_of_epoch(digits, 1, 0));
    EXPECT_NE(first, workloads::order_of_epoch(digits, 1, 1));
    EXPECT_NE(first, workloads::order_of_epoch(digits, 2, 0));
    EXPECT_NE(first, workloads::order_of_epoch(digits, 1 + (std::uint64_t{1} << 32), 0));
    EXPECT_NE(first, digits.training);
    EXPECT_THAT(first, ::testing::UnorderedElementsAreArray(digits.training));
}

// Classes of 100, 50 and 10 samples.
workloads::labelled_samples uneven_classes()
{
    workloads::labelled_samples samples;
    samples.features = 1;
    samples.classes = 3;
    for (const auto& [label, count] : {std::pair(2u, 10u), {0u, 100u}, {1u, 50u}}) {
        samples.labels.insert(samples.labels.end(), count, label);
    }
    for (std::size_t s = 0; s < samples.labels.size(); ++s) { samples.values.push_back(static_cast<float>(s)); }
    return samples;
}

TEST(hold_out, takes_its_share_of_every_class)
{
    auto samples = uneven_classes();
    workloads::hold_out(samples, 32, 1);
    std::vector<unsigned> taken(3);
    for (const auto s : samples.test) { ++taken[samples.labels[s]]; }
    EXPECT_THAT(taken, ::testing::ElementsAre(20, 10, 2));
    std::set<std::uint32_t> all(samples.test.begin(), samples.test.end());
    all.insert(samples.training.begin(), samples.training.end());
    EXPECT_EQ(all.size(), 160u);
    EXPECT_EQ(samples.training.size(), 128u);
}

TEST(hold_out, the_seed_decides)
{
    auto one = uneven_classes(), same = one, other = one;
    workloads::hold_out(one, 32, 1);
    workloads::hold_out(same, 32, 1);
    workloads::hold_out(other, 32, 2);
    EXPECT_EQ(one.test, same.test);
    EXPECT_NE(one.test, other.test);
    EXPECT_EQ(workloads::digest_of(one), workloads::digest_of(same));
    EXPECT_NE(workloads::digest_of(one), workloads::digest_of(other));
}

TEST(hold_out, of_targets_any_samples)
{
    workloads::labelled_samples samples;
    samples.target_numbers = 2;
    samples.targets.resize(40);
    workloads::hold_out(samples, 5, 7);
    EXPECT_EQ(samples.test.size(), 5u);
    EXPECT_EQ(samples.training.size(), 15u);
}

TEST(digest_of_samples, tells_every_number_apart)
{
    const auto samples = uneven_classes();
    const auto digest = workloads::digest_of(samples);
    auto value = samples, label = samples, part = samples, vocabulary = samples;
    value.values[7] = -0.0f;
    label.labels[7] = 1;
    part.test.push_back(3);
    vocabulary.vocabulary = 160;
    for (const auto* other : {&value, &label, &part, &vocabulary}) { EXPECT_NE(workloads::digest_of(*other), digest); }
}

TEST(labelled_samples, validation_is_held_out_of_training)
{
    const auto whole = workloads::shipped_digits();
    auto first = whole, again = whole, other = whole, one = whole;
    workloads::hold_out_validation(first, 0.25, 1);
    workloads::hold_out_validation(again, 0.25, 1);
    workloads::hold_out_validation(other, 0.25, 2);
    workloads::hold_out_validation(one, 1e-6, 1);
    EXPECT_EQ(first.validation.size(), 359u); // of 1,437
    EXPECT_EQ(one.validation.size(), 1u);
    EXPECT_EQ(first.validation, again.validation);
    EXPECT_EQ(first.training, again.training);
    EXPECT_NE(first.validation, other.validation);
    EXPECT_EQ(first.test, whole.test);
    std::vector<std::uint32_t> both;
    std::merge(first.training.begin(), first.training.end(), first.validation.begin(), first.validation.end(),
               std::back_inserter(both), [&](std::uint32_t a, std::uint32_t b) {
                   const auto place = [&](std::uint32_t x) {
                       return std::find(whole.training.begin(), whole.training.end(), x) - whole.training.begin();
                   };
                   return place(a) < place(b);
               });
    EXPECT_EQ(both, whole.training); // each once, in their order
    auto few = whole;
    few.training.resize(1);
    EXPECT_THAT(message_of([&] { workloads::hold_out_validation(few, 0.5, 1); }),
                testing::HasSubstr("expected at least 2"));
}

} // namespace
} // namespace tensorloom::test
