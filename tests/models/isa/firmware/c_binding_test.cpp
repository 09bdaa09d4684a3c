// Programs that were made elsewhere, opened and bound in C: what the C++ twin does, and never a byte outside.
#include <algorithm>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/firmware/tensorloom.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using program_bytes = std::vector<std::uint8_t>;

class c_binding : public testing::Test {
protected:
    c_binding()
        : assembled(assemble_relocatable(".device triada\nnop\nload tensor=x:f64:4 local=0x10\n"
                                         "store tensor=y-8:f64:4\nload tensor=x+0x100:f64:4\n",
                                         "f", described_device("triada")))
    {
        for (const auto& r : assembled.relocations) { table.push_back({r.symbol.c_str(), r.offset, r.addend}); }
        table.push_back({nullptr, 0, 0});
        bytes = assembled.bytes;
        EXPECT_EQ(tl_program_open(&program, bytes.data(), bytes.size()), tl_ok);
    }
    tl_status bind(const char* symbol, std::uint64_t address)
    {
        return tl_program_bind(&program, table.data(), symbol, address);
    }

    relocatable_program assembled;
    std::vector<tl_relocation> table;
    program_bytes bytes;
    tl_program program;
};

TEST_F(c_binding, has_the_bytes_of_its_cpp_twin)
{
    for (const std::uint64_t x : {std::uint64_t{0x80000000}, std::uint64_t{0}, UINT64_MAX - 0x100}) {
        for (const std::uint64_t y : {std::uint64_t{8}, UINT64_MAX}) {
            EXPECT_EQ(bind("x", x), tl_ok);
            EXPECT_EQ(bind("y", y), tl_ok);
            auto in_cpp = assembled.bytes;
            bind_symbol(in_cpp, assembled.relocations, "x", x);
            bind_symbol(in_cpp, assembled.relocations, "y", y);
            EXPECT_EQ(bytes, in_cpp);
        }
    }
}

TEST_F(c_binding, that_cannot_be_changes_nothing)
{
    EXPECT_EQ(bind("z", 0), tl_bad_argument);
    EXPECT_EQ(bind("", 0), tl_bad_argument);
    EXPECT_EQ(bind("xx", 0), tl_bad_argument);
    EXPECT_EQ(bind("x", UINT64_MAX - 0xff), tl_bad_argument); // with an addend of 0x100
    EXPECT_EQ(bind("y", 7), tl_bad_argument);
    EXPECT_EQ(bytes, assembled.bytes);
    for (const std::uint32_t outside : {0u, 15u, static_cast<std::uint32_t>(bytes.size()) - 7, UINT32_MAX}) {
        table[2].offset = outside; // behind one of the same symbol that is fine
        EXPECT_EQ(bind("x", 0), tl_bad_argument) << outside;
        EXPECT_EQ(bytes, assembled.bytes);
    }
    table[2].offset = static_cast<std::uint32_t>(bytes.size()) - 8;
    EXPECT_EQ(bind("x", 0), tl_ok);
}

TEST_F(c_binding, of_a_failed_program_fails_in_the_same_way)
{
    tl_program_begin(&program, bytes.data(), 0);
    EXPECT_EQ(bind("x", 0), tl_buffer_too_small);
    EXPECT_EQ(bytes, assembled.bytes);
}

TEST_F(c_binding, opened_program_is_whole)
{
    bytes.resize(bytes.size() + 100); // memory behind it
    EXPECT_EQ(tl_program_open(&program, bytes.data(), bytes.size()), tl_ok);
    EXPECT_EQ(program.used, assembled.bytes.size());
    EXPECT_EQ(program.commands, 4u);
    std::size_t used = 0;
    EXPECT_EQ(tl_program_end(&program, &used), tl_ok);
    EXPECT_EQ(used, assembled.bytes.size());
    bytes.resize(used);
    EXPECT_EQ(bytes, assembled.bytes);
    EXPECT_EQ(tl_program_nop(&program, 0), tl_buffer_too_small);
}

TEST_F(c_binding, what_is_no_program_is_not_opened)
{
    const auto open = [&](std::size_t at, std::uint8_t value) {
        auto changed = assembled.bytes;
        changed[at] = value;
        return tl_program_open(&program, changed.data(), changed.size());
    };
    EXPECT_EQ(open(4, 250), tl_ok); // another minor version
    EXPECT_EQ(open(0, 'X'), tl_bad_argument);
    EXPECT_EQ(open(6, 2), tl_bad_argument);
    EXPECT_EQ(open(13, 0xff), tl_bad_argument); // more bytes than there are
    auto short_one = assembled.bytes;
    std::fill_n(short_one.begin() + 12, 4, std::uint8_t{0}); // fewer than its header
    EXPECT_EQ(tl_program_open(&program, short_one.data(), short_one.size()), tl_bad_argument);
    for (std::size_t size = 0; size < assembled.bytes.size(); ++size) {
        EXPECT_EQ(tl_program_open(&program, bytes.data(), size), tl_bad_argument) << size;
        EXPECT_EQ(bind("x", 0), tl_bad_argument);
    }
}

} // namespace
} // namespace tensorloom::test
