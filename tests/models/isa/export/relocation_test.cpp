// Addresses that a program gets before it runs, and the file that says where they belong.
#include <tensorloom/models/isa/program/relocation.h>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using testing::HasSubstr;
using bytes = std::vector<std::uint8_t>;

std::string error_of_binding(const relocation_table& table, const char* symbol, std::uint64_t address)
{
    bytes program(64, 0xcc);
    try {
        bind_symbol(program, table, symbol, address);
        return "none";
    } catch (const input_error& e) {
        EXPECT_EQ(program, bytes(64, 0xcc)); // also where an earlier place was fine
        return e.what();
    }
}

TEST(relocation, binding_changes_the_places_of_its_symbol_alone)
{
    bytes program(64, 0xcc);
    const relocation_table table{{"x", 16, 0}, {"y", 40, 1}, {"x", 56, -2}};
    bind_symbol(program, table, "x", 0x0102030405060708);
    bytes expected(64, 0xcc);
    store_le(expected.data() + 16, std::uint64_t{0x0102030405060708});
    store_le(expected.data() + 56, std::uint64_t{0x0102030405060706});
    EXPECT_EQ(program, expected);
    bind_symbol(program, table, "x", 0xcccccccccccccccc); // nothing of the first address is left
    store_le(expected.data() + 16, std::uint64_t{0xcccccccccccccccc});
    store_le(expected.data() + 56, std::uint64_t{0xccccccccccccccca});
    EXPECT_EQ(program, expected);
}

TEST(relocation, sums_of_64_bits_and_no_others)
{
    EXPECT_EQ(error_of_binding({{"x", 16, 1}}, "x", UINT64_MAX - 1), "none");
    EXPECT_EQ(error_of_binding({{"x", 16, 0}}, "x", UINT64_MAX), "none");
    EXPECT_EQ(error_of_binding({{"x", 16, -1}}, "x", 1), "none");
    EXPECT_EQ(error_of_binding({{"x", 16, INT64_MIN}}, "x", UINT64_MAX), "none");
    EXPECT_EQ(error_of_binding({{"x", 16, 0}, {"x", 24, 1}}, "x", UINT64_MAX),
              "symbol 'x': found address 0xffffffffffffffff with addend 1, expected a sum of 64 bits");
    EXPECT_THAT(error_of_binding({{"x", 16, -1}}, "x", 0), HasSubstr("address 0x0 with addend -1"));
}

TEST(relocation, refuses_unknown_symbols_and_places_outside)
{
    EXPECT_EQ(error_of_binding({{"x", 16, 0}}, "xx", 0), "symbol 'xx': the table has no such symbol");
    EXPECT_EQ(error_of_binding({}, "", 0), "symbol '': the table has no such symbol");
    EXPECT_EQ(error_of_binding({{"x", 56, 0}}, "x", 0), "none");
    for (const std::uint32_t outside : {57u, 64u, 0u, 15u, UINT32_MAX}) {
        EXPECT_THAT(error_of_binding({{"x", 16, 0}, {"x", outside, 0}}, "x", 0),
                    HasSubstr("symbol 'x': found offset " + std::to_string(outside) + " in a program of 64 bytes"));
    }
}

TEST(relocation, table_is_a_file_and_back)
{
    const relocation_table table{{"x", 16, 0}, {"_long_Name9", UINT32_MAX, -9223372036854775807}, {"x", 56, INT64_MAX}};
    EXPECT_EQ(relocation_text(table), "/* symbol, byte offset, addend: what tl_program_bind takes */\n"
                                      "{\"x\", 16, 0},\n"
                                      "{\"_long_Name9\", 4294967295, -9223372036854775807},\n"
                                      "{\"x\", 56, 9223372036854775807},\n"
                                      "{0, 0, 0},\n");
    EXPECT_EQ(parse_relocations(relocation_text(table), "f"), table);
    EXPECT_EQ(parse_relocations(relocation_text({}), "f"), relocation_table{});
}

TEST(relocation, complaints_name_the_line)
{
    const auto of = [](const std::string& text) {
        try {
            parse_relocations(text, "p.rel");
            return std::string("none");
        } catch (const input_error& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            return std::string(e.what());
        }
    };
    const std::string head = "/* symbol, byte offset, addend: what tl_program_bind takes */\n";
    EXPECT_EQ(of(""), "p.rel:1: found '', expected a table of relocations");
    EXPECT_EQ(of("nop\n"), "p.rel:1: found 'nop', expected a table of relocations");
    EXPECT_EQ(of(head), "p.rel:2: found '', expected {\"SYMBOL\", OFFSET, ADDEND},");
    EXPECT_EQ(of(head + "{\"x\", 1, 2},"), "p.rel: found no last line {0, 0, 0},");
    EXPECT_EQ(of(head + "{0, 0, 0},\n{\"x\", 1, 2},\n"),
              "p.rel:3: found '{\"x\", 1, 2},', expected nothing after the last relocation");
    for (const char* line : {"{\"x\", 1, 2}", "{\"x\", 1},", "{\"x\", 1, 2, 3},", "{\"\", 1, 2},", "{\"9\", 1, 2},",
                             "{\"x, 1, 2},", "{\"none\", 1, 2},", "{\"x\", -1, 2},", "{\"x\", 4294967296, 2},",
                             "{\"x\",1,2},", "{\"},", "{0, 0, 1},", "{\"x\", 1, },", "{\"x\", , 1},"}) {
        EXPECT_THAT(of(head + line + "\n{0, 0, 0},\n"), HasSubstr("p.rel:2: found ")) << line;
    }
}

} // namespace
} // namespace tensorloom::test
