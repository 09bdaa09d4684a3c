// Numbers of the host as bytes of a device's format, and back.
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/workloads/mmv/word_values.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using testing::HasSubstr;
using workloads::from_bytes;
using workloads::to_bytes;

template <class T> std::vector<T> there_and_back(const std::vector<T>& values, element_type type)
{
    const auto bytes = to_bytes(values, type);
    EXPECT_EQ(bytes.size(), values.size() * base::element_bytes(type));
    return from_bytes<T>(bytes.data(), values.size(), type);
}

TEST(word_values, whole_numbers_that_a_format_holds_come_back)
{
    const std::vector<std::int64_t> small{0, 1, -1, 100, -128, 127};
    for (const auto type : base::systolic_formats) { EXPECT_EQ(there_and_back(small, type), small); }
}

TEST(word_values, have_the_bits_of_their_formats)
{
    EXPECT_EQ(to_bytes(std::vector<double>{-1.5}, element_type::f32), (std::vector<std::uint8_t>{0, 0, 0xc0, 0xbf}));
    EXPECT_EQ(to_bytes(std::vector<double>{-1.5}, element_type::bf16), (std::vector<std::uint8_t>{0xc0, 0xbf}));
    EXPECT_EQ(to_bytes(std::vector<double>{-1.5}, element_type::f16), (std::vector<std::uint8_t>{0x00, 0xbe}));
}

TEST(word_values, real_numbers_are_rounded_but_not_to_infinity)
{
    const std::vector<double> x{1 + 0x1p-9, 3, 0.1};
    EXPECT_EQ(there_and_back(x, element_type::bf16), (std::vector<double>{1, 3, 205 * 0x1p-11}));
    EXPECT_EQ(there_and_back(x, element_type::f16), (std::vector<double>{1 + 0x1p-9, 3, 1638 * 0x1p-14}));
    EXPECT_THAT(message_of([] {
                    to_bytes(std::vector<double>{1, 65520}, element_type::f16);
                }),
                HasSubstr("element 1: found 65520, expected a number that f16 holds"));
    EXPECT_THAT(message_of([] { to_bytes(std::vector<double>{1e39}, element_type::f32); }), HasSubstr("f32 holds"));
    const std::vector<double> infinite{std::numeric_limits<double>::infinity()};
    EXPECT_EQ(there_and_back(infinite, element_type::f16), infinite);
}

TEST(word_values, whole_numbers_are_not_rounded)
{
    EXPECT_THAT(message_of([] { to_bytes(std::vector<std::int64_t>{257}, element_type::bf16); }),
                HasSubstr("element 0: found 257, expected a number that bf16 holds"));
    EXPECT_THAT(message_of([] { to_bytes(std::vector<std::int64_t>{2049}, element_type::f16); }), HasSubstr("2049"));
    EXPECT_THAT(message_of([] { to_bytes(std::vector<std::int64_t>{(1 << 24) + 1}, element_type::f32); }),
                HasSubstr("16777217"));
    EXPECT_THAT(message_of([] {
                    to_bytes(std::vector<std::complex<double>>{{1, 1}}, element_type::f32);
                }),
                HasSubstr("1 + 1 i"));
    EXPECT_THAT(message_of([] { to_bytes(std::vector<double>{1}, element_type::c64); }), HasSubstr("found c64"));
}

} // namespace
} // namespace tensorloom::test
