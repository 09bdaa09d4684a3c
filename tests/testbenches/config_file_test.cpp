#include "platform/options/config_file.h"
#include <ctime>
#include <sstream>
#include <sys/stat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "platform/options/options.h"
#include "testbenches/input_error_of.h"
#include "testbenches/scratch_directory.h"

namespace tensorloom::testbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class config_file_test : public ::testing::Test {
protected:
    option_values parse(const std::string& yaml, const std::vector<std::string>& arguments = {})
    {
        return parse_file(m_scratch.write("job.yaml", yaml), arguments);
    }

    option_values parse_file(const std::string& path, const std::vector<std::string>& arguments = {})
    {
        option_table table("sample", "");
        table.add_value("config", "FILE.yaml", "");
        table.add_value("count", "INTEGER", "", "3");
        table.add_synonym("n");
        table.add_value("name", "WORD", "");
        table.add_list("watch", "I,J,K", "");
        table.add_flag("fast", "");
        table.add_flag("help", "");
        std::vector<const char*> argv{"sample", "--config", path.c_str()};
        for (const auto& a : arguments) { argv.push_back(a.c_str()); }
        std::ostringstream out;
        return table.parse(static_cast<int>(argv.size()), argv.data(), out).value();
    }

    std::string refusal(const std::string& yaml)
    {
        return input_error_of([&] { parse(yaml); });
    }

    std::string at_line(int line) const { return m_scratch.file("job.yaml") + ":" + std::to_string(line) + ": "; }

    scratch_directory m_scratch;
};

TEST_F(config_file_test, options_stand_by_their_names)
{
    const option_values values = parse("# a job\ncount: 7\nname: \"a b\"\nfast: true\nwatch: [\"1,2,3\", \"0,0,0\"]\n");
    EXPECT_EQ(values.get_unsigned("count", 0, 9), 7u);
    EXPECT_EQ(values.get_string("name"), "a b");
    EXPECT_TRUE(values.get_flag("fast"));
    EXPECT_THAT(values.get_list("watch"), ElementsAre("1,2,3", "0,0,0"));
    EXPECT_TRUE(values.has("count"));
}

TEST_F(config_file_test, single_value_of_a_list_and_an_empty_list)
{
    EXPECT_THAT(parse("watch: 1,2,3\n").get_list("watch"), ElementsAre("1,2,3"));
    EXPECT_FALSE(parse("watch: []\n").has("watch"));
}

TEST_F(config_file_test, command_line_wins)
{
    const option_values values =
        parse("count: 7\nfast: true\nwatch: [\"1,2,3\"]\n", {"--count", "8", "--fast=false", "--watch", "5,5,5"});
    EXPECT_EQ(values.get_unsigned("count", 0, 9), 8u);
    EXPECT_FALSE(values.get_flag("fast"));
    EXPECT_THAT(values.get_list("watch"), ElementsAre("5,5,5"));
}

TEST_F(config_file_test, synonym_is_its_option)
{
    EXPECT_EQ(parse("n: 7\n").get_unsigned("count", 0, 9), 7u);
    EXPECT_EQ(parse("n: 7\n", {"--count", "8"}).get_unsigned("count", 0, 9), 8u);
    EXPECT_EQ(parse("count: 7\n", {"--n", "8"}).get_unsigned("count", 0, 9), 8u);
    EXPECT_EQ(refusal("count: 7\nn: 7\n"), at_line(2) + "n is the same option as count, expected one of them");
}

TEST_F(config_file_test, flag_set_to_false) { EXPECT_FALSE(parse("fast: false\n").get_flag("fast")); }

TEST_F(config_file_test, empty_file_sets_nothing)
{
    EXPECT_EQ(parse("").get_unsigned("count", 0, 9), 3u);
    EXPECT_EQ(parse("# nothing\n").get_unsigned("count", 0, 9), 3u);
}

TEST_F(config_file_test, bad_value_names_file_line_and_key)
{
    const option_values values = parse("name: x\ncount: -1\n");
    EXPECT_EQ(input_error_of([&] { values.get_unsigned("count", 0, 9); }),
              at_line(2) + "count is '-1', expected an integer from 0 to 9");
}

TEST_F(config_file_test, unknown_key)
{
    EXPECT_EQ(refusal("count: 1\nnonsense: 2\n"), at_line(2) + "nonsense is not an option of sample");
}
TEST_F(config_file_test, abbreviated_key)
{
    EXPECT_EQ(refusal("cou: 1\n"), at_line(1) + "cou is not an option of sample");
}
TEST_F(config_file_test, repeated_key)
{
    EXPECT_EQ(refusal("count: 1\nname: x\ncount: 1\n"), at_line(3) + "count is given twice");
}
TEST_F(config_file_test, key_twice_in_flow_style)
{
    EXPECT_EQ(refusal("{count: 1, count: 2}\n"), at_line(1) + "count is given twice");
}
TEST_F(config_file_test, key_that_is_not_a_name)
{
    EXPECT_EQ(refusal("? [a, b]\n: 1\n"), at_line(1) + "a key is not a plain name");
}
TEST_F(config_file_test, nested_value)
{
    EXPECT_EQ(refusal("count:\n  a: 1\n"), at_line(1) + "count is nested, expected a single value");
}
TEST_F(config_file_test, nested_list)
{
    EXPECT_EQ(refusal("watch: [[1, 2, 3]]\n"), at_line(1) + "watch is nested, expected a single value");
}
TEST_F(config_file_test, list_for_a_single_option)
{
    EXPECT_EQ(refusal("count: [1]\n"), at_line(1) + "count is a list, expected a single value");
}
TEST_F(config_file_test, flag_that_is_neither_true_nor_false)
{
    EXPECT_EQ(refusal("fast: yes\n"), at_line(1) + "fast is 'yes', expected on or off");
}
TEST_F(config_file_test, flag_as_a_list)
{
    EXPECT_EQ(refusal("fast: []\n"), at_line(1) + "fast is a list, expected a single value");
}
TEST_F(config_file_test, config_inside_config)
{
    EXPECT_EQ(refusal("config: other.yaml\n"), at_line(1) + "config is allowed on the command line only");
}
TEST_F(config_file_test, help_inside_config)
{
    EXPECT_EQ(refusal("help: true\n"), at_line(1) + "help is allowed on the command line only");
}

TEST_F(config_file_test, value_left_out)
{
    for (const char* yaml : {"count:\n", "count: ~\n", "count: ''\n", "watch: [~]\n"}) {
        EXPECT_THAT(refusal(yaml), HasSubstr(" has no value")) << yaml;
    }
}

TEST_F(config_file_test, not_a_mapping)
{
    EXPECT_EQ(refusal("just words\n"), at_line(1) + "expected lines of the form 'option: value'");
    EXPECT_EQ(refusal("- count\n"), at_line(1) + "expected lines of the form 'option: value'");
}

TEST_F(config_file_test, not_yaml)
{
    EXPECT_THAT(refusal("count: [1\n"), HasSubstr("not valid YAML"));
    EXPECT_THAT(refusal("count: 1\n  name: x\n"), StartsWith(at_line(2) + "not valid YAML"));
    EXPECT_THAT(refusal("count: *nowhere\n"), HasSubstr("not valid YAML"));
    EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("not valid YAML"));
}

TEST_F(config_file_test, several_documents)
{
    const std::string found = "not valid YAML: a second document, expected one";
    EXPECT_EQ(refusal("count: 1\n---\ncount: 2\n"), at_line(2) + found);
    EXPECT_EQ(refusal("&a x\n? "), at_line(2) + found); // yaml-cpp finds documents without end
}

TEST_F(config_file_test, aliases)
{
    EXPECT_THAT(parse("name: &a \"1,2,3\"\nwatch: [*a, *a]\n").get_list("watch"), ElementsAre("1,2,3", "1,2,3"));
    EXPECT_EQ(refusal("&a {name: *a}"), at_line(1) + "not valid YAML: an alias inside the value that it names");
}

TEST_F(config_file_test, unreadable_file)
{
    const std::string missing = m_scratch.file("missing.yaml");
    EXPECT_EQ(input_error_of([&] { parse_file(missing); }),
              "--config is '" + missing + "', expected a readable file: No such file or directory");
    EXPECT_EQ(input_error_of([&] { parse_file(m_scratch.path()); }),
              "--config is '" + m_scratch.path() + "', expected a readable file: Is a directory");
}

TEST_F(config_file_test, endless_file)
{
    EXPECT_EQ(input_error_of([&] { parse_file("/dev/zero"); }), "--config is '/dev/zero', expected at most 1 MiB");
}

TEST_F(config_file_test, pipe_is_refused_instead_of_waited_for)
{
    ASSERT_EQ(mkfifo(m_scratch.file("pipe").c_str(), 0600), 0);
    EXPECT_EQ(input_error_of([&] { parse_file(m_scratch.file("pipe")); }),
              "--config is '" + m_scratch.file("pipe") + "', expected a regular file");
}

// ---- a summary of a run in place of options ----

constexpr auto recorded = R"({"testbench": "sample", "events": {"options_given": {"count": "9"}},
    "configuration": {"deep": [[[{"options_given": 1}]]], "options_given": {"count": "7", "watch": ["1,2,3", "0,0,0"]},
    "inputs": [{"option": "--input", "name": "a.npy", "sha256": "00ff", "more": [1]}]}, "cycles": 12})";

TEST_F(config_file_test, summary_gives_its_options_and_inputs)
{
    const auto run = read_recorded_run(m_scratch.write("summary.json", recorded));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->testbench, "sample");
    ASSERT_EQ(run->options.size(), 2u);
    EXPECT_EQ(run->options[0].key, "count");
    EXPECT_FALSE(run->options[0].sequence);
    EXPECT_THAT(run->options[0].values, ElementsAre("7"));
    EXPECT_TRUE(run->options[1].sequence);
    EXPECT_THAT(run->options[1].values, ElementsAre("1,2,3", "0,0,0"));
    ASSERT_EQ(run->inputs.size(), 1u);
    EXPECT_EQ(run->inputs[0].option + run->inputs[0].name + run->inputs[0].sha256, "--inputa.npy00ff");
}

TEST_F(config_file_test, summary_behind_a_byte_order_mark_or_blanks)
{
    for (const std::string before : {"\xef\xbb\xbf", " \n", "\xef\xbb\xbf\r\n\t"}) {
        EXPECT_TRUE(read_recorded_run(m_scratch.write("summary.json", before + recorded)));
    }
}

TEST_F(config_file_test, summary_with_other_kinds_of_values_is_refused)
{
    const std::string path = m_scratch.file("summary.json");
    const std::string refused = "--config is '" + path +
                                "', a summary without the options and inputs of its run, expected testbench, "
                                "configuration.options_given and configuration.inputs";
    for (const char* configuration :
         {"3", "[]", "{}", R"({"options_given": {}})", R"({"options_given": ["7"], "inputs": []})",
          R"({"options_given": [["7"]], "inputs": []})", R"({"options_given": {"count": 7}, "inputs": []})",
          R"({"options_given": {"count": {}}, "inputs": []})", R"({"options_given": {"count": [["7"]]}, "inputs": []})",
          R"({"options_given": {"count": {"a": "7"}}, "inputs": []})", R"({"options_given": {}, "inputs": {}})",
          R"({"options_given": {}, "inputs": ["a"]})", R"({"options_given": {}, "inputs": [["a"]]})",
          R"({"options_given": {}, "inputs": [{"option": "--input", "name": "a.npy"}]})",
          R"({"options_given": {}, "inputs": [{"option": "--input", "name": "a.npy", "sha256": []}]})"}) {
        const auto text = std::string(R"({"testbench": "sample", "configuration": )") + configuration + "}";
        EXPECT_EQ(input_error_of([&] { read_recorded_run(m_scratch.write("summary.json", text)); }), refused) << text;
    }
    EXPECT_EQ(input_error_of([&] {
                  read_recorded_run(m_scratch.write("summary.json", R"({"testbench": [], "configuration": {}})"));
              }),
              refused);
}

TEST_F(config_file_test, json_without_a_run_is_no_summary)
{
    for (const char* text : {"{}", R"({"testbench": "sample"})", R"({"configuration": {}})",
                             R"({"testbench": "sample")", R"({"a": {"testbench": "sample", "configuration": {}}})"}) {
        EXPECT_FALSE(read_recorded_run(m_scratch.write("summary.json", text))) << text;
    }
}

// A megabyte took 18 seconds when every end of a value looked for itself among all before it.
TEST_F(config_file_test, long_lists_and_deep_ones_take_time_in_proportion)
{
    std::string wide = R"({"a": [{})";
    while (wide.size() < (4u << 20)) { wide += ",{}"; }
    const std::string deep = R"({"a": )" + std::string(2u << 20, '[') + std::string(2u << 20, ']') + "}";
    const std::clock_t start = std::clock();
    EXPECT_FALSE(read_recorded_run(m_scratch.write("wide.json", wide + "]}")));
    EXPECT_FALSE(read_recorded_run(m_scratch.write("deep.json", deep)));
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

TEST_F(config_file_test, lengths_are_refused_by_what_is_expected)
{
    const std::string path = m_scratch.file("long.json");
    const std::string of_a_brace =
        "--config is '" + path + "', expected a summary of a run, at most 64 MiB, or options, at most 1 MiB";
    const auto check_error_of = [&](const std::string& text) {
        return input_error_of([&] { parse_file(m_scratch.write("long.json", text)); });
    };
    EXPECT_EQ(check_error_of("{name: " + std::string(1u << 20, 'a') + "}"), of_a_brace);
    EXPECT_EQ(check_error_of("{" + std::string(64u << 20, ' ')), of_a_brace);
    EXPECT_EQ(check_error_of("name: " + std::string(1u << 20, 'a')),
              "--config is '" + path + "', expected at most 1 MiB");
    EXPECT_EQ(
        check_error_of(R"({"configuration": {"options_given": {"name": ")" + std::string(4u << 20, 'a') + "\"}}}"),
        "--config is '" + path + "', expected at most 4 MiB of options and inputs in a summary");
}

} // namespace
} // namespace tensorloom::testbench
