#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <gmock/gmock.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::tensor_descriptor;
using testing::HasSubstr;

constexpr std::uint64_t top = UINT64_MAX;
constexpr std::uint32_t largest_size = UINT32_MAX;

/// Modes: size and stride of each.
tensor_descriptor strided(std::uint64_t base, element_type type,
                          const std::vector<std::pair<std::uint32_t, std::int64_t>>& modes)
{
    tensor_descriptor d;
    d.base = base;
    d.type = static_cast<std::uint8_t>(type);
    d.order = static_cast<std::uint8_t>(modes.size());
    for (std::size_t m = 0; m < modes.size(); ++m) { std::tie(d.size[m], d.stride[m]) = modes[m]; }
    return d;
}

std::string error_of(const tensor_descriptor& d) { return validate(d).value_or(""); }

TEST(tensor_descriptor_encoding, has_the_documented_bytes)
{
    tensor_descriptor d;
    d.base = 0x1122334455667788;
    d.type = 3;
    d.order = 2;
    d.size = {0x01020304, 0x0a0b0c0d};
    d.stride = {-2, 0x7766554433221100};
    std::vector<std::uint8_t> expected(112, 0);
    const std::vector<std::uint8_t> head{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 3,    2,    0,    0,
                                         0,    0,    0,    0,    0x04, 0x03, 0x02, 0x01, 0x0d, 0x0c, 0x0b, 0x0a};
    const std::vector<std::uint8_t> strides{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77};
    std::copy(head.begin(), head.end(), expected.begin());
    std::copy(strides.begin(), strides.end(), expected.begin() + 48);

    std::vector<std::uint8_t> bytes(112, 0xcc);
    d.encode(bytes.data());
    EXPECT_EQ(bytes, expected);
}

TEST(tensor_descriptor_encoding, last_size_and_stride_are_at_44_and_104)
{
    tensor_descriptor d;
    d.size[7] = 0x04030201;
    d.stride[7] = 0x0807060504030201;
    std::vector<std::uint8_t> bytes(112, 0xcc);
    d.encode(bytes.data());
    EXPECT_THAT(std::vector<std::uint8_t>(bytes.begin() + 44, bytes.begin() + 48), testing::ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(std::vector<std::uint8_t>(bytes.begin() + 104, bytes.end()),
                testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(tensor_descriptor_encoding, is_112_bytes)
{
    EXPECT_EQ(tensor_descriptor::encoded_bytes, 112u);
    std::vector<std::uint8_t> bytes(113, 0xcc);
    tensor_descriptor{}.encode(bytes.data());
    EXPECT_EQ(bytes[112], 0xcc);
}

TEST(tensor_descriptor_encoding, no_tensor_is_all_zero)
{
    std::vector<std::uint8_t> bytes(112, 0xcc);
    tensor_descriptor{}.encode(bytes.data());
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(112, 0));
    EXPECT_FALSE(tensor_descriptor::decode(bytes.data()).present());
}

TEST(tensor_descriptor_encoding, every_byte_is_read_back)
{
    tensor_descriptor d;
    d.base = 0xf0e0d0c0b0a09080;
    d.type = 4;
    d.order = 8;
    for (unsigned m = 0; m < 8; ++m) {
        d.size[m] = 0x10203040u + m;
        d.stride[m] = std::numeric_limits<std::int64_t>::min() + m;
    }
    std::uint8_t bytes[112];
    d.encode(bytes);
    const auto read = tensor_descriptor::decode(bytes);
    EXPECT_EQ(read.base, d.base);
    EXPECT_EQ(read.type, d.type);
    EXPECT_EQ(read.order, d.order);
    EXPECT_EQ(read.size, d.size);
    EXPECT_EQ(read.stride, d.stride);
}

TEST(tensor_descriptor_encoding, no_tensor_has_no_byte_but_0)
{
    for (unsigned at = 0; at < 112; ++at) {
        std::uint8_t bytes[112] = {};
        bytes[at] = 0x80;
        EXPECT_TRUE(tensor_descriptor::decode(bytes).present()) << at;
    }
}

TEST(tensor_descriptor_encoding, reserved_bytes_survive_a_round_trip)
{
    std::uint8_t bytes[112] = {};
    for (unsigned i = 0; i < 6; ++i) { bytes[10 + i] = static_cast<std::uint8_t>(0xf1 + i); }
    std::uint8_t again[112];
    tensor_descriptor::decode(bytes).encode(again);
    EXPECT_EQ(std::vector<std::uint8_t>(again, again + 112), std::vector<std::uint8_t>(bytes, bytes + 112));
}

TEST(dense_descriptor, strides_are_in_c_order)
{
    const auto d = isa::dense_descriptor(0x1000, element_type::c64, {2, 3, 5, 7});
    EXPECT_EQ(d.base, 0x1000u);
    EXPECT_EQ(d.type, 4);
    EXPECT_EQ(d.order, 4);
    EXPECT_THAT(d.size, testing::ElementsAre(2, 3, 5, 7, 0, 0, 0, 0));
    EXPECT_THAT(d.stride, testing::ElementsAre(105, 35, 7, 1, 0, 0, 0, 0));
    EXPECT_EQ(d.elements(), 210u);
}

TEST(validate_descriptor, unknown_element_types)
{
    for (int type : {0, 10, 255}) {
        auto d = isa::dense_descriptor(0, element_type::f64, {2});
        d.type = static_cast<std::uint8_t>(type);
        EXPECT_THAT(error_of(d), HasSubstr("type " + std::to_string(type)));
    }
}

TEST(validate_descriptor, order_zero)
{
    auto d = isa::dense_descriptor(0, element_type::f64, {2});
    d.order = 0;
    EXPECT_THAT(error_of(d), HasSubstr("order 0"));
}

TEST(validate_descriptor, orders_above_eight)
{
    for (int order : {9, 255}) {
        auto d = isa::dense_descriptor(0, element_type::f64, std::vector<std::uint32_t>(8, 1));
        d.order = static_cast<std::uint8_t>(order);
        EXPECT_THAT(error_of(d), HasSubstr("order " + std::to_string(order)));
    }
}

TEST(validate_descriptor, size_zero_of_any_mode)
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        auto d = isa::dense_descriptor(0, element_type::f64, {2, 2, 2});
        d.size[mode] = 0;
        EXPECT_THAT(error_of(d), HasSubstr("mode " + std::to_string(mode + 1)));
    }
}

TEST(validate_descriptor, sizes_and_strides_past_the_order_must_be_0)
{
    for (unsigned mode = 2; mode < 8; ++mode) {
        auto sized = isa::dense_descriptor(0, element_type::f64, {2, 2});
        sized.size[mode] = 1;
        EXPECT_THAT(error_of(sized), HasSubstr("mode " + std::to_string(mode + 1)));
        auto strided = isa::dense_descriptor(0, element_type::f64, {2, 2});
        strided.stride[mode] = -1;
        EXPECT_THAT(error_of(strided), HasSubstr("mode " + std::to_string(mode + 1)));
    }
}

TEST(validate_descriptor, every_reserved_bit_must_be_0)
{
    for (unsigned at = 10; at < 16; ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::uint8_t bytes[112];
            isa::dense_descriptor(0, element_type::f64, {2, 2}).encode(bytes);
            bytes[at] = static_cast<std::uint8_t>(1u << bit);
            EXPECT_THAT(error_of(tensor_descriptor::decode(bytes)), HasSubstr("reserved")) << at << " " << bit;
        }
    }
}

struct judged_descriptor {
    const char* name;
    tensor_descriptor d;
    const char* error; ///< a part of it; "": there is none
};
void PrintTo(const judged_descriptor& j, std::ostream* out) { *out << j.name; }

class judged_descriptors : public testing::TestWithParam<judged_descriptor> {};

TEST_P(judged_descriptors, have_this_complaint)
{
    const auto found = error_of(GetParam().d);
    EXPECT_EQ(found.empty(), *GetParam().error == '\0') << found;
    EXPECT_THAT(found, HasSubstr(GetParam().error));
}

constexpr auto f32 = element_type::f32, f64 = element_type::f64, c128 = element_type::c128;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr const char* outside = "outside of 64 bits";
using sizes = std::vector<std::uint32_t>;

INSTANTIATE_TEST_SUITE_P(
    ends_of_ranges, judged_descriptors,
    testing::Values(
        judged_descriptor{"dense", isa::dense_descriptor(0x80, f64, {4, 4, 4}), ""},
        judged_descriptor{"order_eight", isa::dense_descriptor(0, f64, sizes(8, 2)), ""},
        judged_descriptor{"nine_modes", isa::dense_descriptor(0, f32, sizes(9, 2)), "order 9"},
        judged_descriptor{"too_large_for_64_bits", isa::dense_descriptor(0, f64, sizes(8, largest_size)), " "},
        judged_descriptor{"last_byte_of_all", strided(top - 15, f64, {{2, 1}}), ""},
        judged_descriptor{"last_byte_of_all_in_one_element", strided(top - 15, c128, {{1, 1}}), ""},
        judged_descriptor{"byte_past_the_last_address", strided(top - 14, f64, {{2, 1}}), outside},
        judged_descriptor{"byte_past_the_last_address_in_one_element", strided(top - 2, f32, {{1, 1}}), outside},
        judged_descriptor{"first_byte_at_address_zero", strided(8, f64, {{2, -1}}), ""},
        judged_descriptor{"byte_below_address_zero", strided(7, f64, {{2, -1}}), outside},
        // 2^61 elements of 8 bytes are 2^64 bytes: 0 when they wrap.
        judged_descriptor{"bytes_that_wrap", strided(0, f64, {{2, std::int64_t{1} << 61}}), " "},
        judged_descriptor{"bytes_that_wrap_downwards", strided(0, f64, {{2, -(std::int64_t{1} << 61)}}), " "},
        judged_descriptor{"largest_size_and_stride", strided(0, c128, {{largest_size, highest}}), " "},
        judged_descriptor{"largest_size_and_lowest_stride", strided(top, c128, {{largest_size, lowest}}), " "},
        // element (0, 1) lies at -4
        judged_descriptor{"strides_of_two_signs", strided(0, f32, {{2, 1}, {2, -1}}), outside},
        judged_descriptor{"elements_in_64_bits", strided(0, f32, {{largest_size, 0}, {largest_size, 0}}), ""},
        judged_descriptor{"more_elements", strided(0, f32, {{largest_size, 0}, {largest_size, 0}, {2, 0}}),
                          "elements"}),
    testing::PrintToStringParamName());

TEST(descriptor_elements, are_counted_in_64_bits)
{
    EXPECT_EQ(strided(0, f32, {{largest_size, 0}, {largest_size, 0}}).elements(),
              std::uint64_t{largest_size} * largest_size);
}

} // namespace
} // namespace tensorloom::test
