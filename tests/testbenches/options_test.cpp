#include "platform/options/options.h"
#include <limits>
#include <sstream>
#include <stdexcept>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "platform/options/testbench_options.h"
#include "testbenches/input_error_of.h"

namespace tensorloom::testbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

option_table sample_table()
{
    option_table table("sample", "Shows what options do.");
    table.begin_group("Problem");
    table.add_value("shape", "N1xN2xN3", "Sizes of the three modes.", "4x5x6");
    table.add_value("count", "INTEGER", "How many.", "3");
    table.add_synonym("n");
    table.add_value("fraction", "X", "A part of it.");
    table.add_value("name", "WORD", "What to call it.");
    table.add_value("transform", "T[,T,T]", "A transform per mode.", "dct");
    table.add_list("watch", "I,J,K", "A cell to watch.");
    table.begin_group("Run");
    table.add_flag("fast", "Run.");
    table.add_flag("help", "Print this text and stop.");
    table.add_flag("version", "Print name and version and stop.");
    return table;
}

option_values parse(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "sample");
    std::ostringstream out;
    return sample_table().parse(static_cast<int>(arguments.size()), arguments.data(), out).value();
}

std::string refused_options(const std::vector<const char*>& arguments)
{
    return input_error_of([&] { parse(arguments); });
}

std::string printed(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "sample");
    std::ostringstream out;
    EXPECT_FALSE(sample_table().parse(static_cast<int>(arguments.size()), arguments.data(), out).has_value());
    return out.str();
}

TEST(options_test, both_spellings_give_the_value)
{
    EXPECT_EQ(parse({"--count", "7"}).get_unsigned("count", 0, 10), 7u);
    EXPECT_EQ(parse({"--count=7"}).get_unsigned("count", 0, 10), 7u);
    EXPECT_EQ(parse({"--name=a=b"}).get_string("name"), "a=b");
}

TEST(options_test, synonym_gives_the_value_under_the_first_name)
{
    const auto values = parse({"--n=7"});
    EXPECT_EQ(values.get_unsigned("count", 0, 10), 7u);
    EXPECT_TRUE(values.has("count"));
    ASSERT_EQ(values.all_given().size(), 1u);
    EXPECT_EQ(values.all_given().front().name, "count");
    EXPECT_EQ(input_error_of([&] { values.get_unsigned("count", 0, 6); }),
              "--n is '7', expected an integer from 0 to 6");
}

TEST(options_test, option_and_its_synonym_are_an_error)
{
    EXPECT_EQ(refused_options({"--n=7", "--count=7"}), "--n and --count are both given, expected one of them");
    EXPECT_EQ(refused_options({"--count", "7", "--n", "8"}), "--count and --n are both given, expected one of them");
    EXPECT_EQ(refused_options({"--n=7", "--n=7"}), "--n is given twice");
    EXPECT_EQ(refused_options({"--n"}), "--n has no value, expected INTEGER");
}

TEST(options_test, synonym_of_another_option_is_a_mistake_of_the_program)
{
    option_table table("sample", "Shows what options do.");
    table.add_value("count", "INTEGER", "How many.");
    EXPECT_THROW(table.add_synonym("count"), std::logic_error);
    table.add_synonym("n");
    EXPECT_THROW(table.add_flag("n", "Run."), std::logic_error);
}

TEST(options_test, help_names_the_synonym)
{
    EXPECT_THAT(printed({"--help"}), HasSubstr("How many. Synonym: --n. (default: 3)"));
}

TEST(options_test, default_applies_and_does_not_count_as_given)
{
    const option_values values = parse({});
    EXPECT_FALSE(values.has("count"));
    EXPECT_EQ(values.get_unsigned("count", 0, 10), 3u);
    EXPECT_TRUE(parse({"--count", "3"}).has("count"));
}

TEST(options_test, option_without_value_and_default_is_a_mistake_of_the_program)
{
    EXPECT_THROW(parse({}).get_string("name"), std::logic_error);
    EXPECT_THROW(parse({}).get_string("nonsense"), std::logic_error);
    EXPECT_THROW(parse({}).has("nonsense"), std::logic_error);
}

TEST(options_test, option_declared_twice_is_a_mistake_of_the_program)
{
    option_table table = sample_table();
    EXPECT_THROW(table.add_flag("count", ""), std::logic_error);
}

TEST(options_test, flag)
{
    EXPECT_FALSE(parse({}).get_flag("fast"));
    EXPECT_TRUE(parse({"--fast"}).get_flag("fast"));
    EXPECT_TRUE(parse({"--fast=true"}).get_flag("fast"));
    EXPECT_FALSE(parse({"--fast=false"}).get_flag("fast"));
    EXPECT_EQ(refused_options({"--fast=maybe"}), "--fast is 'maybe', expected on or off");
}

TEST(options_test, flag_that_is_false_is_not_asked_for)
{
    EXPECT_TRUE(parse({"--fast"}).asks_for("fast"));
    EXPECT_TRUE(parse({"--count=3"}).asks_for("count"));
    const auto slow = parse({"--fast=false", "--count=3"});
    EXPECT_FALSE(slow.asks_for("fast"));
    EXPECT_EQ(input_error_of([&] { check_absent(slow, {"fast"}, "--count", "without"); }), "(none)");
    EXPECT_EQ(input_error_of([&] { require_at_most_one(slow, "fast", "count"); }), "(none)");
    EXPECT_EQ(input_error_of([&] { require_both(slow, "fast", "name"); }), "(none)");
    EXPECT_EQ(input_error_of([&] { require_both(slow, "count", "fast"); }),
              "--count is given without --fast, expected both");
    EXPECT_EQ(input_error_of([&] { require_one_of(slow, "fast", "name"); }),
              "neither --fast nor --name is given, expected one of them");
    const auto fast = parse({"--fast=true", "--count=3"});
    EXPECT_EQ(input_error_of([&] { check_absent(fast, {"fast"}, "--count", "without"); }),
              "--fast is given with --count, expected it without");
    EXPECT_EQ(input_error_of([&] { require_both(fast, "count", "fast"); }), "(none)");
}

TEST(options_test, flag_takes_no_value_from_the_next_argument)
{
    EXPECT_EQ(refused_options({"--fast", "true"}), "unexpected argument 'true', expected --name value (see --help)");
}

TEST(options_test, unknown_option)
{
    EXPECT_EQ(refused_options({"--nonsense"}), "unknown option --nonsense (see --help)");
    EXPECT_EQ(refused_options({"--nonsense=1"}), "unknown option --nonsense (see --help)");
}

TEST(options_test, abbreviation_is_refused_and_the_full_name_is_told)
{
    EXPECT_EQ(refused_options({"--trans", "dct"}), "unknown option --trans (names are not abbreviated: --transform)");
    EXPECT_EQ(refused_options({"--f"}), "unknown option --f (names are not abbreviated: --fraction, --fast)");
}

TEST(options_test, other_case_is_unknown)
{
    EXPECT_THAT(refused_options({"--Count=1"}), HasSubstr("unknown option --Count"));
}

TEST(options_test, option_given_twice)
{
    EXPECT_EQ(refused_options({"--count", "1", "--count", "1"}), "--count is given twice");
    EXPECT_EQ(refused_options({"--fast", "--fast"}), "--fast is given twice");
}

TEST(options_test, missing_value)
{
    EXPECT_EQ(refused_options({"--shape"}), "--shape has no value, expected N1xN2xN3");
    EXPECT_EQ(refused_options({"--shape="}), "--shape has no value, expected N1xN2xN3");
    EXPECT_EQ(refused_options({"--shape", ""}), "--shape has no value, expected N1xN2xN3");
    EXPECT_EQ(refused_options({"--shape", "--fast"}), "--shape has no value, expected N1xN2xN3");
    EXPECT_EQ(refused_options({"--shape", "--other"}), "--shape has no value, expected N1xN2xN3");
}

TEST(options_test, a_value_may_begin_as_no_option_does)
{
    EXPECT_EQ(parse({"--name", "--+"}).get_string("name"), "--+");
    EXPECT_EQ(parse({"--name", "---"}).get_string("name"), "---");
}

TEST(options_test, positional_argument)
{
    EXPECT_EQ(refused_options({"file.npy"}), "unexpected argument 'file.npy', expected --name value (see --help)");
    EXPECT_THAT(refused_options({"-h"}), HasSubstr("unexpected argument '-h'"));
    EXPECT_THAT(refused_options({"--", "--fast"}), HasSubstr("unexpected argument"));
    EXPECT_THAT(refused_options({""}), HasSubstr("unexpected argument ''"));
}

TEST(options_test, unsigned_in_range)
{
    EXPECT_EQ(parse({"--count", "0"}).get_unsigned("count", 0, largest), 0u);
    EXPECT_EQ(parse({"--count", "18446744073709551615"}).get_unsigned("count", 0, largest), largest);
}

TEST(options_test, negative_number_does_not_wrap)
{
    const option_values values = parse({"--count", "-1"});
    EXPECT_EQ(input_error_of([&] { values.get_unsigned("count", 0, largest); }),
              "--count is '-1', expected an integer from 0 to 18446744073709551615");
}

TEST(options_test, integers_that_are_none)
{
    for (const char* text : {"x", "1.5", "1e3", "0x10", "+1", " 1", "1 ", "1,000", "18446744073709551616", "nan"}) {
        const option_values values = parse({"--count", text});
        EXPECT_EQ(input_error_of([&] { values.get_unsigned("count", 0, largest); }),
                  "--count is '" + std::string(text) + "', expected an integer from 0 to 18446744073709551615");
        EXPECT_THROW(values.get_integer("count", -5, 5), base::input_error) << text;
    }
}

TEST(options_test, integer_range_includes_its_ends)
{
    EXPECT_EQ(parse({"--count", "-5"}).get_integer("count", -5, 5), -5);
    EXPECT_EQ(parse({"--count", "5"}).get_integer("count", -5, 5), 5);
    EXPECT_EQ(input_error_of([] {
                  parse({"--count", "6"}).get_integer("count", -5, 5);
              }),
              "--count is '6', expected an integer from -5 to 5");
    EXPECT_EQ(input_error_of([] { parse({"--count=-6"}).get_integer("count", -5, 5); }),
              "--count is '-6', expected an integer from -5 to 5");
}

TEST(options_test, number_in_range)
{
    EXPECT_EQ(parse({"--fraction", "0.05"}).get_number("fraction", 0, 1), 0.05);
    EXPECT_EQ(parse({"--fraction", "1e-3"}).get_number("fraction", 0, 1), 1e-3);
    EXPECT_EQ(parse({"--fraction", "1"}).get_number("fraction", 0, 1), 1.0);
    EXPECT_EQ(parse({"--fraction", "-.5"}).get_number("fraction", -1, 1), -0.5);
}

TEST(options_test, numbers_that_are_none)
{
    for (const char* text : {"nan", "NaN", "inf", "-inf", "infinity", "1e999", "1.5x", "0,5", "-0.1", "1.1", "half"}) {
        EXPECT_EQ(input_error_of([&] {
                      parse({"--fraction", text}).get_number("fraction", 0, 1);
                  }),
                  "--fraction is '" + std::string(text) + "', expected a number from 0 to 1");
    }
}

TEST(options_test, range_in_the_message_is_exact)
{
    EXPECT_EQ(input_error_of([] {
                  parse({"--fraction", "0"}).get_number("fraction", 0.001, 1000);
              }),
              "--fraction is '0', expected a number from 0.001 to 1000");
}

TEST(options_test, choice)
{
    EXPECT_EQ(parse({"--name", "dense"}).get_choice("name", {"esop", "dense"}), "dense");
    EXPECT_EQ(input_error_of([] {
                  parse({"--name", "den"}).get_choice("name", {"esop", "dense"});
              }),
              "--name is 'den', expected one of esop, dense");
    EXPECT_EQ(input_error_of([] { parse({"--name", "a"}).get_choice("name", {"b"}); }), "--name is 'a', expected b");
}

TEST(options_test, shape)
{
    EXPECT_THAT(parse({}).get_shape("shape"), ElementsAre(4, 5, 6));
    EXPECT_THAT(parse({"--shape", "1x65535x2"}).get_shape("shape"), ElementsAre(1, 65535, 2));
}

TEST(options_test, shapes_that_are_none)
{
    for (const char* text : {"4x5", "4x5x6x7", "4x0x6", "4x-5x6", "4x5x65536", "4X5X6", "4,5,6", "4x5x", "x5x6",
                             "4x5x6 ", "4x5x18446744073709551617", "cube"}) {
        EXPECT_EQ(input_error_of([&] {
                      parse({"--shape", text}).get_shape("shape");
                  }),
                  "--shape is '" + std::string(text) + "', expected three sizes from 1 to 65535, like 4x5x6");
    }
}

TEST(options_test, three_integers)
{
    EXPECT_THAT(parse({"--shape", "0,7,12"}).get_three("shape", 12), ElementsAre(0, 7, 12));
    for (const char* text : {"1,2", "1,2,3,4", "1,2,13", "-1,2,3", "1x2x3", "1,2,", ",1,2", "1, 2,3", "1.0,2,3",
                             "a,b,c", "1,2,4294967297"}) {
        EXPECT_EQ(input_error_of([&] {
                      parse({"--shape", text}).get_three("shape", 12);
                  }),
                  "--shape is '" + std::string(text) +
                      "', expected three integers from 0 to 12 with a comma between them, like 0,1,2");
    }
}

TEST(options_test, words)
{
    EXPECT_THAT(parse({"--transform", "dct"}).get_words("transform"), ElementsAre("dct"));
    EXPECT_THAT(parse({"--transform", "dct,dst,file.npy"}).get_words("transform"),
                ElementsAre("dct", "dst", "file.npy"));
    for (const char* text : {",", "dct,", ",dct", "dct,,dst"}) {
        EXPECT_EQ(input_error_of([&] {
                      parse({"--transform", text}).get_words("transform");
                  }),
                  "--transform is '" + std::string(text) + "', expected words with a comma between them (T[,T,T])");
    }
}

TEST(options_test, list_keeps_order_and_repeats)
{
    EXPECT_THAT(parse({}).get_list("watch"), ElementsAre());
    EXPECT_THAT(parse({"--watch", "1,2,3", "--fast", "--watch=0,0,0", "--watch", "1,2,3"}).get_list("watch"),
                ElementsAre("1,2,3", "0,0,0", "1,2,3"));
}

TEST(options_test, positions)
{
    const option_values values = parse({"--watch", "0,0,0", "--watch", "3,4,5"});
    EXPECT_THAT(values.get_positions("watch", {4, 5, 6}), ElementsAre(ElementsAre(0, 0, 0), ElementsAre(3, 4, 5)));
    EXPECT_THAT(parse({}).get_positions("watch", {4, 5, 6}), ElementsAre());
    const option_values flat = parse({"--watch", "3,4"});
    EXPECT_THAT(flat.get_positions<2>("watch", {4, 5}), ElementsAre(ElementsAre(3, 4)));
    EXPECT_EQ(input_error_of([&] {
                  flat.get_positions<2>("watch", {4, 4});
              }),
              "--watch is '3,4', expected two indices from 0 inside 4x4, like 0,0");
}

TEST(options_test, positions_outside_the_box_or_malformed)
{
    for (const char* text : {"4,0,0", "0,5,0", "0,0,6", "-1,0,0", "1,2", "1,2,3,4", "1x2x3", "", "a,b,c"}) {
        if (*text == '\0') { continue; }
        EXPECT_EQ(input_error_of([&] {
                      parse({"--watch", "0,0,0", "--watch", text}).get_positions("watch", {4, 5, 6});
                  }),
                  "--watch is '" + std::string(text) + "', expected three indices from 0 inside 4x5x6, like 0,0,0");
    }
}

TEST(options_test, long_value_is_cut_in_the_message)
{
    const std::string text(1000, '7');
    const std::string line = input_error_of([&] { parse({"--count", text.c_str()}).get_unsigned("count", 0, 9); });
    EXPECT_LT(line.size(), 200u);
    EXPECT_THAT(line, HasSubstr("777...'"));
}

std::uint64_t time_ps(const std::string& text, std::uint64_t max_ps = 1'000'000'000'000)
{
    return parse({"--name", text.c_str()}).get_time_ps("name", max_ps);
}

TEST(options_test, time_is_a_number_with_a_unit)
{
    EXPECT_EQ(time_ps("0"), 0u);
    EXPECT_EQ(time_ps("0ns"), 0u);
    EXPECT_EQ(time_ps("1ps"), 1u);
    EXPECT_EQ(time_ps("250ps"), 250u);
    EXPECT_EQ(time_ps("10ns"), 10'000u);
    EXPECT_EQ(time_ps("1.5us"), 1'500'000u);
    EXPECT_EQ(time_ps("1ms"), 1'000'000'000u);
    EXPECT_EQ(time_ps("1s"), 1'000'000'000'000u);
    EXPECT_EQ(time_ps("1e3ns"), 1'000'000u);
    EXPECT_EQ(time_ps("0.001ns"), 1u);
    EXPECT_EQ(time_ps("0.3us"), 300'000u); // not a whole number in binary
}

TEST(options_test, time_up_to_the_largest)
{
    EXPECT_EQ(time_ps("1us", 1'000'000), 1'000'000u);
    EXPECT_EQ(input_error_of([] { time_ps("1000.001ns", 1'000'000); }),
              "--name is '1000.001ns', expected a time such as 0, 250ps, 10ns, 1us or 1ms, at most 1000000ps");
}

TEST(options_test, times_that_are_none)
{
    for (const char* text :
         {"1",   "-1ns", "-0",   "00",   "1.5ps", "0.0001ns", "2s",    "ns",   "1 ns",    " 1ns", "1ns ",
          "1NS", "1m",   "1min", "1ns2", "0x1ns", "+1ns",     "nanns", "infs", "1e400ns", "1,5ns"}) {
        EXPECT_EQ(input_error_of([&] { time_ps(text); }),
                  "--name is '" + std::string(text) +
                      "', expected a time such as 0, 250ps, 10ns, 1us or 1ms, at most 1000000000000ps");
    }
}

TEST(options_test, program_can_refuse_a_value_itself)
{
    EXPECT_STREQ(parse({"--name", "x"}).error("name", "a better one").what(), "--name is 'x', expected a better one");
}

TEST(options_test, all_gives_what_applies_in_the_order_of_the_table)
{
    EXPECT_THAT(parse({"--watch=1,1,1", "--watch=2,2,2", "--count=9"}).all(),
                ElementsAre(Pair("shape", "4x5x6"), Pair("count", "9"), Pair("transform", "dct"),
                            Pair("watch", "1,1,1 2,2,2")));
}

TEST(options_test, help_names_every_option_with_form_and_default)
{
    const std::string text = printed({"--help"});
    EXPECT_THAT(text, HasSubstr("Shows what options do."));
    EXPECT_THAT(text, HasSubstr("\nProblem:\n  --shape N1xN2xN3      "));
    EXPECT_THAT(text, HasSubstr("Sizes of the three modes. (default: 4x5x6)"));
    EXPECT_THAT(text, HasSubstr("A cell to watch. Can be repeated."));
    EXPECT_THAT(text, HasSubstr("\nRun:\n  --fast      "));
}

TEST(options_test, help_wraps_long_texts)
{
    option_table table("sample", "");
    std::string words;
    for (int i = 0; i < 60; ++i) { words += "word "; }
    table.add_value("option-with-a-long-name", "ITS_LONG_FORM", words);
    std::ostringstream out;
    table.print_help(out);
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) { EXPECT_LE(line.size(), 110u) << line; }
}

TEST(options_test, version_is_name_and_version) { EXPECT_EQ(printed({"--version"}), "sample " + version() + "\n"); }

} // namespace
} // namespace tensorloom::testbench
