// The generated files of the tree are those that the code generates, and what is generated says what it should.
#include <fstream>
#include <iterator>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string file(const std::string& path)
{
    std::ifstream in(std::string(TENSORLOOM_ROOT "/") + path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

isa::exported_devices all_devices()
{
    isa::exported_devices all;
    for (const auto* d : isa::described_devices()) { all.push_back(d); }
    return all;
}

TEST(generated_files, pages_have_the_sections_of_the_code)
{
    std::vector<std::string> paths{"docs/registers.md"};
    for (const auto* d : isa::described_devices()) { paths.push_back("docs/" + std::string(d->name) + ".md"); }
    for (const auto& path : paths) {
        const auto page = file(path);
        EXPECT_THAT(page, HasSubstr("<!-- generated: ")) << path;
        EXPECT_EQ(isa::with_generated_sections(page), page) << path << ": run scripts/generate";
    }
}

TEST(generated_files, register_page_has_every_section)
{
    const auto page = file("docs/registers.md");
    for (const char* section : {"registers", "fields", "error_codes", "bus_responses", "program_header",
                                "command_header", "opcodes", "loop", "transfer", "signal", "descriptor"}) {
        EXPECT_THAT(page, HasSubstr(std::string("<!-- generated: ") + section + " -->"));
    }
}

TEST(generated_files, c_header_is_that_of_the_code)
{
    EXPECT_EQ(file("models/isa/firmware/tensorloom_registers.h"), isa::c_header(all_devices()))
        << "run scripts/generate";
}

TEST(generated_markdown, shows_registers_and_fields)
{
    EXPECT_THAT(isa::markdown_section("registers"),
                HasSubstr("| 0x028 | IRQ_STATUS | write 1 to clear | 0 | Causes of the interrupt |\n"));
    EXPECT_THAT(isa::markdown_section("registers"), HasSubstr("| 0x000 | ID | read-only | the device's |"));
    const auto fields = isa::markdown_section("fields");
    EXPECT_THAT(fields, HasSubstr("| CTRL | 2 | RESET | write 1 to start | 0 |"));
    EXPECT_THAT(fields, HasSubstr("| VERSION | 31..16 | MAJOR | read-only | 1 |"));
    EXPECT_THAT(fields, HasSubstr("| Element type: 1 f64, 2 f32, 3 c128, 4 c64, 5 bf16, 6 int8, 7 int32, 8 int64, 9 f16 |\n"));
    EXPECT_THAT(fields,
                HasSubstr("3 burst_error, 4 byte_enable_error, 5 generic_error, 6 incomplete, 7 timed_out |\n"));
}

TEST(generated_markdown, shows_programs_commands_and_descriptors)
{
    EXPECT_THAT(isa::markdown_section("error_codes"), HasSubstr("| 9 | bus_error | bus error |\n"));
    EXPECT_THAT(isa::markdown_section("opcodes"), HasSubstr("| 0x01 | halt | all | ends the program"));
    EXPECT_THAT(isa::markdown_section("opcodes"), HasSubstr("| 0x20 | gemt | TriADA |"));
    EXPECT_THAT(isa::markdown_section("descriptor"), HasSubstr("| 48 | 8 x 8 | stride |"));
    EXPECT_THAT(isa::markdown_section("gemt"), HasSubstr("| 0x0010 | completion |"));
    EXPECT_THAT(isa::markdown_section("gemt"), HasSubstr("| 720 | 112 | workspace | contiguous elements, order 1: "));
}

TEST(generated_markdown, shows_the_commands_of_a_device_with_their_payloads)
{
    const auto commands = isa::markdown_section("mmv_commands");
    EXPECT_THAT(commands, HasSubstr("| 0x20 | matmul | mmv_matmul | z = x R"));
    EXPECT_THAT(commands, HasSubstr("| 0x44 | repl | mmv_strided |"));
    EXPECT_THAT(commands, HasSubstr("z[i][j] \\|= z[i][t] & z[t][j] |\n")); // a bar would end the cell
    EXPECT_THAT(commands, Not(HasSubstr("gemt")));
    EXPECT_THAT(isa::markdown_section("mmv_vector"), HasSubstr("| 0x0002 | broadcast_b |"));
    EXPECT_THAT(isa::markdown_section("mmv_strided"), Not(HasSubstr("| flag |")));
    EXPECT_THAT(isa::markdown_section("transfer"), HasSubstr("| 128 | 8 | local |"));
}

TEST(generated_c_header, has_a_payload_of_several_commands_once)
{
    const auto header = isa::c_header({isa::find_described_device("mmv")});
    const std::string line = "#define TL_MMV_STRIDED_TOTAL_BYTES 128u\n";
    const auto first = header.find(line);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(header.find(line, first + 1), std::string::npos);
    EXPECT_THAT(header, HasSubstr("#define TL_MMV_OPCODE_CLOSE_COLUMN 0x72u"));
    EXPECT_THAT(header, HasSubstr("#define TL_LOOP_COUNT_OFFSET 0u"));
}

TEST(generated_markdown, only_marked_sections_of_a_page_are_replaced)
{
    const std::string mark = "<!-- generated: error_codes -->\n";
    const std::string end = "<!-- end of generated -->\n";
    const auto page = isa::with_generated_sections("before\n" + mark + "stale\n" + end + "after\n");
    EXPECT_EQ(page, "before\n" + mark + "\n" + isa::markdown_section("error_codes") + "\n" + end + "after\n");
    EXPECT_EQ(isa::with_generated_sections("no mark\n"), "no mark\n");
}

TEST(generated_markdown, refuses_unknown_sections_and_such_without_an_end)
{
    EXPECT_THROW(isa::markdown_section("nothing"), base::input_error);
    EXPECT_THROW(isa::with_generated_sections("<!-- generated: nothing -->\n<!-- end of generated -->\n"),
                 base::input_error);
    EXPECT_THROW(isa::with_generated_sections("<!-- generated: fields -->\ntext\n"), base::input_error);
}

TEST(generated_c_header, has_a_device_only_when_asked_for)
{
    const auto bare = isa::c_header({});
    EXPECT_THAT(bare, HasSubstr("#define TL_REG_STATUS 0x024u"));
    EXPECT_THAT(bare, Not(HasSubstr("TRIADA_")));
    const auto triada = isa::c_header({isa::find_described_device("triada")});
    EXPECT_THAT(triada, HasSubstr("#define TL_TRIADA_OPCODE_GEMT 0x20u"));
}

TEST(described_devices, are_found_by_name)
{
    ASSERT_NE(isa::find_described_device("triada"), nullptr);
    EXPECT_EQ(isa::find_described_device("triada")->id, 0x41495254u);
    EXPECT_EQ(isa::find_described_device("TRIA"), nullptr);
}

} // namespace
} // namespace tensorloom::test
