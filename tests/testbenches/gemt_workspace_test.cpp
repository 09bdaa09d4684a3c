#include "platform/run/transform_job.h"
#include <gtest/gtest.h>
#include "testbenches/input_error_of.h"

namespace tensorloom::testbench {
namespace {

TEST(gemt_workspace_test, none_needs_no_place)
{
    memory_layout memory(0x1000);
    EXPECT_EQ(place_workspace(0, base::element_type::f64, memory), 0u);
    EXPECT_EQ(memory.bytes(), 0u);
}

TEST(gemt_workspace_test, takes_its_elements_of_the_format)
{
    memory_layout memory(0x1000);
    EXPECT_EQ(place_workspace(1024, base::element_type::c128, memory), 0x1000u);
    EXPECT_EQ(memory.bytes(), 16384u);
}

TEST(gemt_workspace_test, more_than_a_descriptor_can_say_is_refused)
{
    memory_layout memory(0x1000);
    EXPECT_NE(place_workspace(4294967295, base::element_type::int8, memory), 0u);
    const auto refusal = input_error_of([&] { place_workspace(4294967296, base::element_type::int8, memory); });
    EXPECT_NE(refusal.find("4294967296 elements, expected at most 4294967295"), std::string::npos) << refusal;
}

} // namespace
} // namespace tensorloom::testbench
