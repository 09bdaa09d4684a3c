// docs/registers.md says what is in the code.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/error_code.h>
#include <tensorloom/models/arch/register_map.h>

namespace {

using namespace tensorloom::arch;

std::string page()
{
    std::ifstream file(TENSORLOOM_DOCS "/registers.md");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string access_text(register_access access)
{
    switch (access) {
    case register_access::read_only: return "read-only";
    case register_access::read_write: return "read/write";
    case register_access::write_one_clear: return "write 1 to clear";
    case register_access::write_start: return "write 1 to start";
    }
    return "?";
}

TEST(registers_page, has_every_register_in_order)
{
    const std::string text = page();
    std::size_t at = 0;
    for (const auto& r : register_map) {
        char offset[8];
        std::snprintf(offset, sizeof offset, "0x%03x", r.offset);
        const std::string row =
            std::string("| ") + offset + " | " + r.name + " | " + access_text(r.access) + " | " + r.meaning + " |\n";
        const auto found = text.find(row, at);
        ASSERT_NE(found, std::string::npos) << row;
        at = found;
    }
}

TEST(registers_page, has_every_error_code)
{
    const std::string text = page();
    const auto last = static_cast<unsigned>(error_code::aborted);
    for (unsigned code = 0; code <= last; ++code) {
        const std::string start = "| " + std::to_string(code) + " | ";
        const std::string end = std::string(" | ") + error_text(static_cast<error_code>(code)) + " |\n";
        const auto row = text.find("\n" + start);
        ASSERT_NE(row, std::string::npos) << start;
        const auto line_end = text.find('\n', row + 1) + 1;
        EXPECT_EQ(text.substr(line_end - end.size(), end.size()), end);
    }
}

TEST(register_map, is_in_order_and_inside_the_block)
{
    std::uint32_t next = 0;
    for (const auto& r : register_map) {
        EXPECT_EQ(r.offset % 4, 0u);
        EXPECT_GE(r.offset, next);
        next = r.offset + 4;
    }
    EXPECT_LE(next, reg::block_bytes);
}

} // namespace
