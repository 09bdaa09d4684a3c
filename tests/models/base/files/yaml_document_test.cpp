#include <tensorloom/models/base/files/yaml_document.h>
#include <functional>
#include <string>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tensorloom::base;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// "LINE: what", or "" when there is nothing wrong.
std::string refusal(const std::string& text)
{
    try {
        parse_yaml(text);
    } catch (const yaml_error& error) {
        return std::to_string(error.line) + ": " + error.what();
    }
    return "";
}

/// The value in a form of its own: {key=value;}, [item;], 'text', ~.
std::string shown(const yaml_value& value)
{
    std::string text;
    switch (value.what) {
    case yaml_value::kind::nothing: return "~";
    case yaml_value::kind::text: return "'" + value.text + "'";
    case yaml_value::kind::list:
        for (const auto& item : value.items) { text += shown(*item) + ";"; }
        return "[" + text + "]";
    default:
        for (const auto& [key, of] : value.entries) { text += shown(*key) + "=" + shown(*of) + ";"; }
        return "{" + text + "}";
    }
}

TEST(yaml_document, values_are_as_written)
{
    EXPECT_EQ(shown(*parse_yaml("a: 1\nb: [x, 'y z', ~]\nc: {d: \"\"}\ne:\n")),
              "{'a'='1';'b'=['x';'y z';~;];'c'={'d'='';};'e'=~;}");
    EXPECT_EQ(shown(*parse_yaml("a: 1\na: 2\n")),
              "{'a'='1';'a'='2';}"); // whether that is wrong is the reader's business
    EXPECT_EQ(shown(*parse_yaml("- - a\n  - b\n- ? c\n  : d\n")), "[['a';'b';];{'c'='d';};]");
    EXPECT_EQ(shown(*parse_yaml("")), "~");
    EXPECT_EQ(shown(*parse_yaml("# nothing\n")), "~");
    EXPECT_EQ(shown(*parse_yaml("--- a\n...\n")), "'a'");
}

TEST(yaml_document, lines_are_those_of_the_text)
{
    const auto root = parse_yaml("a: 1\n\nb:\n  - 2\n  - 3\n");
    EXPECT_EQ(root->line, 1u);
    EXPECT_EQ(root->entries[1].first->line, 3u);
    EXPECT_EQ(root->entries[1].second->items[1]->line, 5u);
    EXPECT_EQ(parse_yaml("a: 1\nb:\n\nc: 2\n")->entries[1].second->line, 2u); // omitted: where its key is
}

TEST(yaml_document, an_alias_is_what_it_names)
{
    EXPECT_EQ(shown(*parse_yaml("a: &x {b: [1, 2]}\nc: [*x, *x]\n")),
              "{'a'={'b'=['1';'2';];};'c'=[{'b'=['1';'2';];};{'b'=['1';'2';];};];}");
    EXPECT_EQ(shown(*parse_yaml("&a x: &a y\nz: *a\n")), "{'x'='y';'z'='y';}"); // the anchor before it
    EXPECT_EQ(shown(*parse_yaml("[&a ~, *a]")), "[~;~;]");
}

TEST(yaml_document, broken_text_is_refused_with_its_place)
{
    EXPECT_THAT(refusal("a: [1\nb: }"), StartsWith("2: "));
    EXPECT_THAT(refusal("a: 1\n  b: 2\n"), StartsWith("2: "));
    EXPECT_THAT(refusal("a: *nowhere"), StartsWith("1: "));
    EXPECT_NE(refusal(std::string(100000, '[')), "");
}

// yaml-cpp finds documents without end in it.
TEST(yaml_document, a_second_document_ends_the_reading)
{
    EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "2: a second document, expected one");
    EXPECT_EQ(refusal("&a x\n? "), "2: a second document, expected one");
}

TEST(yaml_document, an_alias_inside_of_its_value_is_refused)
{
    for (const char* text : {"&a {x: *a}", "&a [*a]", "&a [[b, {c: *a}]]", "&a {*a : x}", "- &a\n  - &b [*b]\n"}) {
        EXPECT_EQ(refusal(text).substr(1), ": an alias inside the value that it names") << text;
    }
}

/// N anchors, each a list of ten aliases of the one before: 10^N texts.
std::string explosion(unsigned levels)
{
    std::string text = "a0: &a0 lol\n";
    for (unsigned i = 1; i <= levels; ++i) {
        const std::string name = "a" + std::to_string(i), before = "*a" + std::to_string(i - 1);
        text += name + ": &" + name + " [" + before;
        for (unsigned k = 1; k < 10; ++k) { text += ", " + before; }
        text += "]\n";
    }
    return text;
}

TEST(yaml_document, aliases_stand_for_a_mebibyte_at_most)
{
    EXPECT_EQ(refusal(explosion(4)), "");
    EXPECT_THAT(refusal(explosion(6)), HasSubstr("aliases that expand to more than 1 MiB"));
    EXPECT_THAT(refusal(explosion(40)), HasSubstr("aliases that expand to more than 1 MiB"));

    const std::string long_text(1023, 'x'); // a KiB with the value itself
    std::string text = "- &a " + long_text + "\n";
    for (unsigned i = 0; i < 1024; ++i) { text += "- *a\n"; }
    EXPECT_EQ(refusal(text), "");
    EXPECT_EQ(refusal(text + "- *a\n"), "1026: aliases that expand to more than 1 MiB");
}

TEST(yaml_document, values_are_nested_64_deep_at_most)
{
    const auto nested = [](unsigned levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    EXPECT_EQ(refusal(nested(64)), "");
    EXPECT_EQ(refusal(nested(65)), "1: values nested more than 64 deep");
    EXPECT_EQ(refusal("- &a " + nested(62) + "\n- [*a]\n"), "");
    EXPECT_EQ(refusal("- &a " + nested(62) + "\n- [[*a]]\n"), "2: values nested more than 64 deep");
}

} // namespace
