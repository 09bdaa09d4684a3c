#include <tensorloom/workloads/gemt_order.h>

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using workloads::parse_mode_order;

TEST(mode_order, all_six_orders_are_read)
{
    EXPECT_THAT(parse_mode_order("123"), ElementsAre(1, 2, 3));
    EXPECT_THAT(parse_mode_order("132"), ElementsAre(1, 3, 2));
    EXPECT_THAT(parse_mode_order("213"), ElementsAre(2, 1, 3));
    EXPECT_THAT(parse_mode_order("231"), ElementsAre(2, 3, 1));
    EXPECT_THAT(parse_mode_order("312"), ElementsAre(3, 1, 2));
    EXPECT_THAT(parse_mode_order("321"), ElementsAre(3, 2, 1));
}

TEST(mode_order, anything_else_is_refused)
{
    for (const char* order : {"", "1", "12", "112", "124", "012", "1231", "3,1,2", "abc", "312 "}) {
        EXPECT_THAT(message_of([&] { parse_mode_order(order); }), HasSubstr("'" + std::string(order) + "' found"));
    }
}

} // namespace
} // namespace tensorloom::test
