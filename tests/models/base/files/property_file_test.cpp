// Properties of a platform's modules from one file.
#include <tensorloom/models/base/files/property_file.h>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include "support/message_of.h"
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using base::property_file;

struct gadget {
    unsigned width = 4;
    unsigned rows = 0; // at most width
    bool folded = true;
    std::array<std::uint32_t, 3> mesh{2, 2, 2};
    std::string order = "none";
};

base::config_fields fields_of(gadget& g)
{
    return {
        base::number(g.width, {1, 64}, {"width", "width", "COUNT", "Width.", "", "", "breadth"}),
        base::number(g.rows, {0, g.width}, {"max-rows", "max_rows", "ROWS", "Rows."}),
        base::on_off(g.folded, {"folded", "folded", "on|off", "Folded."}),
        base::sizes(g.mesh, {1, 9}, {"mesh", "mesh", "AxBxC", "Mesh."}),
        base::text_field([&g] { return g.order; },
                         [&g](const std::string& text) -> std::optional<std::string> {
                             g.order = text;
                             return std::nullopt;
                         },
                         "a list", {"order", "order", "N,..", "Order."}),
    };
}

std::optional<std::string> validate(const gadget& g)
{
    return g.width == 13 ? std::optional<std::string>("width: found 13, expected no unlucky number") : std::nullopt;
}

gadget applied(const std::string& text, const std::string& instance = "top.g")
{
    gadget g;
    property_file::parse(text, "board.yaml").apply(instance, g);
    return g;
}

TEST(property_file_test, dotted_names_and_nested_maps_are_the_same)
{
    for (const char* const text :
         {"top.g.width: 8\ntop.g.folded: off\ntop.g.mesh: 3x4x5\n", "top:\n  g: {width: 8, folded: off, mesh: 3x4x5}\n",
          "top.g: {width: 8}\ntop:\n  g.folded: false\n  g:\n    mesh: 3x4x5\n"}) {
        const auto g = applied(text);
        EXPECT_EQ(g.width, 8u) << text;
        EXPECT_FALSE(g.folded) << text;
        EXPECT_EQ(g.mesh, (std::array<std::uint32_t, 3>{3, 4, 5})) << text;
    }
}

TEST(property_file_test, list_is_its_items_with_commas)
{
    EXPECT_EQ(applied("top.g.order: [3, 1, 2]\n").order, "3,1,2");
    EXPECT_EQ(applied("top.g.order: []\n").order, "none");
}

TEST(property_file_test, name_may_have_underscores)
{
    EXPECT_EQ(applied("top.g.max_rows: 3\n").rows, 3u);
    EXPECT_EQ(applied("top.g.max-rows: 3\n").rows, 3u);
}

TEST(property_file_test, fields_are_set_in_the_order_of_their_table)
{
    EXPECT_EQ(applied("top.g: {max-rows: 60, width: 60}\n").rows, 60u); // max-rows alone allows 4
}

TEST(property_file_test, other_instances_are_left_alone)
{
    const auto g = applied("top.h.width: 8\ntop.g.sub.width: 9\ntop.gg.width: 7\ng.width: 6\n");
    EXPECT_EQ(g.width, 4u);
    EXPECT_EQ(applied("", "top.g").width, 4u);
}

TEST(property_file_test, what_is_wrong_is_named_with_file_and_line)
{
    const std::pair<const char*, const char*> wrong[] = {
        {"top.g.width: 8\ntop.g.lanes: 3\n",
         "board.yaml:2: top.g: no field 'lanes', expected one of width, max-rows, folded, mesh, order"},
        {"top:\n  g:\n    width: 65\n", "board.yaml:3: top.g: width is '65', expected an integer from 1 to 64"},
        {"top.g.max_rows: 5\n", "board.yaml:1: top.g: max_rows is '5', expected an integer from 0 to 4"},
        {"top.g.folded: 1\n", "board.yaml:1: top.g: folded is '1', expected on or off"},
        {"\n\ntop.g.width: 13\n", "board.yaml: top.g: width: found 13, expected no unlucky number"},
        {"width: 3\n", "board.yaml:1: found 'width', expected a property INSTANCE.FIELD"},
        {"top..g.width: 3\n", "board.yaml:1: found 'top..g.width', expected a property INSTANCE.FIELD"},
        {"top.g.width: 3\ntop:\n  g.width: 3\n",
         "board.yaml:3: found 'top.g.width' again, expected it once, as at board.yaml:1"},
        {"top.g: {max-rows: 3, max_rows: 4}\n",
         "board.yaml:1: found 'top.g.max_rows', expected one value of the field, which also board.yaml:1 sets"},
        {"top.g.width: 5\ntop.g.breadth: 6\n",
         "board.yaml:2: found 'top.g.breadth', expected one value of the field, which also board.yaml:1 sets"},
        {"top: {g: {}}\n", "board.yaml:1: found a map, expected a map of properties, INSTANCE.FIELD: VALUE"},
        {"- top.g.width\n", "board.yaml:1: found a list, expected a map of properties, INSTANCE.FIELD: VALUE"},
        {"top.g.width:\n", "board.yaml:1: found nothing, expected a single value"},
        {"top.g.order: [[1], 2]\n", "board.yaml:1: found a list, expected a single value"},
    };
    for (const auto& [text, line] : wrong) {
        EXPECT_EQ(message_of([&text = text] { applied(text); }), line);
    }
    EXPECT_NE(message_of([] { applied("top.g.width: [\n"); }).find("board.yaml:"), std::string::npos);
}

TEST(property_file_test, configuration_is_unchanged_after_an_error)
{
    gadget g;
    const auto file = property_file::parse("top.g.width: 8\ntop.g.mesh: 0x1x1\n", "board.yaml");
    EXPECT_NE(message_of([&] { file.apply("top.g", g); }), "");
    EXPECT_EQ(g.width, 4u);
}

TEST(property_file_test, property_of_no_instance_is_found)
{
    const auto file = property_file::parse("top.g.width: 8\ntop.h.width: 9\n", "board.yaml");
    EXPECT_EQ(message_of([&] { file.expect_all_used(); }),
              "board.yaml:1: found 'top.g.width', expected a property of one of no instance");
    gadget g;
    file.apply("top.g", g);
    EXPECT_EQ(message_of([&] { file.expect_all_used(); }),
              "board.yaml:2: found 'top.h.width', expected a property of one of top.g");
    file.apply("top.h", g);
    EXPECT_NO_THROW(file.expect_all_used());
    EXPECT_EQ(g.width, 9u);
}

} // namespace
} // namespace tensorloom::test
