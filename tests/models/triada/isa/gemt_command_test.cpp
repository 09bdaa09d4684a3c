#include <tensorloom/models/triada/isa/gemt_command.h>
#include <cstdint>
#include <vector>
#include <gmock/gmock.h>
#include "gemt_case.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::tensor_descriptor;
using testing::ElementsAre;
using triada::gemt_command;
using bytes = std::vector<std::uint8_t>;

bytes piece(const bytes& all, std::size_t from, std::size_t length)
{
    return bytes(all.begin() + static_cast<std::ptrdiff_t>(from),
                 all.begin() + static_cast<std::ptrdiff_t>(from + length));
}

std::vector<tensor_descriptor*> descriptors_in_order(gemt_command& c)
{
    return {&c.x, &c.y, &c.initial_y, &c.matrix[0], &c.matrix[1], &c.matrix[2], &c.workspace};
}

TEST(gemt_encoding, is_832_bytes_after_the_header)
{
    EXPECT_EQ(gemt_command::payload_bytes, 832u);
    EXPECT_EQ(gemt_command{}.encode().size(), 832u);
}

TEST(gemt_encoding, head_has_the_documented_bytes)
{
    gemt_command c;
    c.order = {2, 3, 1};
    c.stage_mask = 0x77;
    c.shifts = {0x11, 0x12, 0x13};
    c.partials = 0x5a;
    c.zero_threshold = -2.5; // 0xc004000000000000
    c.completion_address = 0x0102030405060708;
    c.row_order_address = {0x1111111111111101, 0x2222222222222202, 0x3333333333333303};
    const auto all = c.encode();
    EXPECT_THAT(piece(all, 0, 8), ElementsAre(2, 3, 1, 0x77, 0x11, 0x12, 0x13, 0x5a));
    EXPECT_THAT(piece(all, 8, 8), ElementsAre(0, 0, 0, 0, 0, 0, 0x04, 0xc0));
    EXPECT_THAT(piece(all, 16, 8), ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
    EXPECT_THAT(piece(all, 24, 8), ElementsAre(0x01, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11));
    EXPECT_THAT(piece(all, 32, 8), ElementsAre(0x02, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22));
    EXPECT_THAT(piece(all, 40, 8), ElementsAre(0x03, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33));
}

TEST(gemt_encoding, descriptors_follow_in_the_documented_order)
{
    gemt_command c;
    std::uint32_t size = 1;
    for (auto* d : descriptors_in_order(c)) {
        *d = isa::dense_descriptor(size * 0x100, element_type::f32, {size, size}), ++size;
    }
    const auto all = c.encode();
    for (std::uint32_t i = 0; i < 7; ++i) {
        bytes expected(112);
        isa::dense_descriptor((i + 1) * 0x100, element_type::f32, {i + 1, i + 1}).encode(expected.data());
        EXPECT_EQ(piece(all, 48 + 112 * i, 112), expected) << "descriptor " << i;
    }
}

TEST(gemt_encoding, every_byte_is_read_back)
{
    bytes from(832);
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::uint8_t>(37 * i + 11); }
    const auto c = gemt_command::decode(0xabcd, from.data());
    EXPECT_EQ(c.flags, 0xabcd);
    EXPECT_EQ(c.encode(), from);
}

TEST(gemt_encoding, flags_have_the_documented_bits)
{
    const auto with = [](unsigned bit) {
        gemt_command c;
        c.flags = static_cast<std::uint16_t>(1u << bit);
        return c;
    };
    bool (gemt_command::*const flags[])()
        const = {&gemt_command::esop,          &gemt_command::accumulate, &gemt_command::keep_matrices,
                 &gemt_command::double_buffer, &gemt_command::completion, &gemt_command::keep_tensor,
                 &gemt_command::hold_result,   &gemt_command::take_next,  &gemt_command::load_next,
                 &gemt_command::store_previous};
    for (unsigned bit = 0; bit < 16; ++bit) {
        unsigned flag = 0;
        for (const auto is_set : flags) { EXPECT_EQ((with(bit).*is_set)(), bit == flag++) << bit; }
    }
}

} // namespace
} // namespace tensorloom::test
