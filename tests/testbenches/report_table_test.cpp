#include "platform/report/report_table.h"
#include <limits>
#include <sstream>
#include <gtest/gtest.h>

namespace tensorloom::testbench {
namespace {

TEST(report_table_test, numbers_have_so_many_digits)
{
    EXPECT_EQ(number_text(1.0 / 3), "0.3333");
    EXPECT_EQ(number_text(2.0 / 3, 2), "0.67");
    EXPECT_EQ(number_text(1e-20), "1e-20");
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(100), "100");
}

TEST(report_table_test, quantities_have_the_prefix_that_leaves_less_than_a_thousand)
{
    EXPECT_EQ(quantity_text(0, "J"), "0 pJ");
    EXPECT_EQ(quantity_text(999.96, "J"), "1 nJ");
    EXPECT_EQ(quantity_text(999.94, "J"), "999.9 pJ");
    EXPECT_EQ(quantity_text(0.25, "J"), "0.25 pJ");
    EXPECT_EQ(quantity_text(999, "J"), "999 pJ");
    EXPECT_EQ(quantity_text(1000, "J"), "1 nJ");
    EXPECT_EQ(quantity_text(1234e6, "J"), "1.234 mJ");
    EXPECT_EQ(quantity_text(81.4e6, "s"), "81.4 us");
    EXPECT_EQ(quantity_text(2e12, "s"), "2 s");
    EXPECT_EQ(quantity_text(3e15, "J"), "3 kJ");
    EXPECT_EQ(quantity_text(-5e4, "J"), "-50 nJ");
    EXPECT_EQ(quantity_text(7e27, "J"), "7000 TJ"); // there is no larger prefix
}

TEST(report_table_test, counts_are_grouped)
{
    EXPECT_EQ(grouped_text(0), "0");
    EXPECT_EQ(grouped_text(999), "999");
    EXPECT_EQ(grouped_text(1000), "1,000");
    EXPECT_EQ(grouped_text(12345), "12,345");
    EXPECT_EQ(grouped_text(123456), "123,456");
    EXPECT_EQ(grouped_text(1234567), "1,234,567");
    EXPECT_EQ(grouped_text(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(report_table_test, texts_stand_in_a_column)
{
    std::ostringstream out;
    report_table table(out);
    table.line("cycles", "1,234");
    table.line("  large.registers", "9 pJ");
    table.line("a name that is longer than its column", "x");
    EXPECT_EQ(out.str(), "  cycles                1,234\n"
                         "    large.registers     9 pJ\n"
                         "  a name that is longer than its column x\n");
}

} // namespace
} // namespace tensorloom::testbench
