#include <gtest/gtest.h>
#include <tensorloom/models/base/values/event_table.h>

namespace {

using tensorloom::base::event_definition;
using tensorloom::base::is_table_of;

enum class event { read, read_word, stall, count_ };

constexpr event_definition in_order[] = {{"read", "", "."}, {"read_word", "", "."}, {"stall", "", "."}};
constexpr event_definition swapped[] = {{"read_word", "", "."}, {"read", "", "."}, {"stall", "", "."}};
constexpr event_definition shorter_name[] = {{"read", "", "."}, {"read", "", "."}, {"stall", "", "."}};
constexpr event_definition longer_name[] = {{"read", "", "."}, {"read_word", "", "."}, {"stalls", "", "."}};
constexpr event_definition one_less[] = {{"read", "", "."}, {"read_word", "", "."}};
constexpr event_definition one_more[] = {
    {"read", "", "."}, {"read_word", "", "."}, {"stall", "", "."}, {"count_", "", "."}};

TEST(event_table_test, lists_the_names_of_its_enumeration_in_order)
{
    EXPECT_TRUE(is_table_of<event>(in_order));
    EXPECT_FALSE(is_table_of<event>(swapped));
    EXPECT_FALSE(is_table_of<event>(shorter_name));
    EXPECT_FALSE(is_table_of<event>(longer_name));
    EXPECT_FALSE(is_table_of<event>(one_less));
    EXPECT_FALSE(is_table_of<event>(one_more));
}

} // namespace
