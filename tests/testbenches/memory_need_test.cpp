#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "platform/process/process_resources.h"
#include "testbenches/input_error_of.h"

namespace tensorloom::testbench {
namespace {

TEST(memory_need_test, something_is_available)
{
    EXPECT_GT(available_memory_bytes(), std::uint64_t{1} << 20);
    EXPECT_NO_THROW(require_memory(1, "less"));
}

TEST(memory_need_test, more_than_there_is_says_both_and_what_would_fit)
{
    const std::string text = input_error_of([] { require_memory(std::uint64_t{1} << 60, "a smaller problem"); });
    EXPECT_THAT(text, ::testing::StartsWith("the run needs about 1.21e+09 GiB of memory, "));
    EXPECT_THAT(text, ::testing::EndsWith("available, expected a smaller problem"));
}

} // namespace
} // namespace tensorloom::testbench
