#include <tensorloom/tlm/router.h>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using bus::address_map;

TEST(address_map_test, finds_both_ends_of_a_range_and_nothing_beside_them)
{
    address_map map;
    ASSERT_FALSE(map.add({0x100, 0x1ff, 3, true}));
    ASSERT_NE(map.find(0x100), nullptr);
    EXPECT_EQ(map.find(0x100)->target, 3u);
    EXPECT_NE(map.find(0x1ff), nullptr);
    EXPECT_EQ(map.find(0x0ff), nullptr);
    EXPECT_EQ(map.find(0x200), nullptr);
}

TEST(address_map_test, range_may_end_at_the_last_address)
{
    address_map map;
    ASSERT_FALSE(map.add({UINT64_MAX - 15, UINT64_MAX, 0, true}));
    EXPECT_NE(map.find(UINT64_MAX), nullptr);
    EXPECT_EQ(map.find(0), nullptr);
}

TEST(address_map_test, range_may_be_everything)
{
    address_map map;
    ASSERT_FALSE(map.add({0, UINT64_MAX, 0, true}));
    EXPECT_NE(map.find(0), nullptr);
    EXPECT_NE(map.find(UINT64_MAX), nullptr);
    EXPECT_TRUE(map.add({5, 5, 1, true}));
}

TEST(address_map_test, neighbours_do_not_overlap)
{
    address_map map;
    EXPECT_FALSE(map.add({0x100, 0x1ff, 0, true}));
    EXPECT_FALSE(map.add({0x200, 0x2ff, 1, true}));
    EXPECT_FALSE(map.add({0x0ff, 0x0ff, 2, true}));
}

TEST(address_map_test, overlaps_of_every_kind_are_refused)
{
    address_map map;
    ASSERT_FALSE(map.add({0x100, 0x1ff, 7, true}));
    const address_map::range overlaps[] = {{0x100, 0x1ff, 0, true},
                                           {0x0f0, 0x100, 0, true},
                                           {0x1ff, 0x210, 0, true},
                                           {0x110, 0x120, 0, true},
                                           {0x000, 0x300, 0, true}};
    for (const auto& r : overlaps) {
        const auto wrong = map.add(r);
        ASSERT_TRUE(wrong);
        EXPECT_NE(wrong->find("target 7"), std::string::npos);
    }
    EXPECT_EQ(map.ranges().size(), 1u);
}

TEST(address_map_test, range_that_ends_before_it_begins_is_refused)
{
    address_map map;
    EXPECT_TRUE(map.add({0x200, 0x1ff, 0, true}));
    EXPECT_TRUE(map.ranges().empty());
}

} // namespace
} // namespace tensorloom::test
