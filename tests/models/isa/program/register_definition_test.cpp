// What every register table must fulfil: one table for each way to break it.
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/register_definition.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;

constexpr auto ro = register_access::read_only;
constexpr auto rw = register_access::read_write;
constexpr auto w1c = register_access::write_one_clear;
constexpr auto w1s = register_access::write_start;
constexpr auto plain = register_trait::plain;
constexpr auto latches = register_trait::latches_next;

constexpr field_definition whole[] = {{"ALL", 0, 32, ro, 0xffffffff, ""}};
constexpr field_definition several[] = {
    {"A", 0, 4, ro, 0xf, ""}, {"B", 4, 8, rw, 0x81, ""}, {"C", 12, 1, w1c, 1, ""}, {"D", 31, 1, w1s, 0, ""}};

template <std::size_t N> constexpr register_table table(const register_definition (&map)[N], std::uint32_t block = 0x20)
{
    return {map, N, block};
}

template <std::size_t N> constexpr bool fields_fine(const field_definition (&fields)[N])
{
    const register_definition map[] = {{0, "R", plain, "", fields}};
    return fields_are_apart(table(map));
}
template <std::size_t N> constexpr bool values_fine(const field_definition (&fields)[N])
{
    const register_definition map[] = {{0, "R", plain, "", fields}};
    return values_fit(table(map));
}

TEST(register_definition_test, masks_and_reset_value_come_from_the_fields)
{
    const register_definition r{0, "R", plain, "", several};
    EXPECT_EQ(r.mask(ro), 0x0000000fu);
    EXPECT_EQ(r.mask(rw), 0x00000ff0u);
    EXPECT_EQ(r.mask(w1c), 0x00001000u);
    EXPECT_EQ(r.mask(w1s), 0x80000000u);
    EXPECT_EQ(r.writable(), 0x80001ff0u);
    EXPECT_EQ(r.reset(), 0x0000181fu);
    EXPECT_EQ(whole[0].mask(), 0xffffffffu);
}

TEST(register_definition_test, offsets_must_ascend_by_words_inside_the_block)
{
    const register_definition fine[] = {{0, "A", plain, "", whole}, {0x1c, "B", plain, "", whole}};
    const register_definition same[] = {{4, "A", plain, "", whole}, {4, "B", plain, "", whole}};
    const register_definition back[] = {{8, "A", plain, "", whole}, {4, "B", plain, "", whole}};
    const register_definition odd[] = {{2, "A", plain, "", whole}};
    const register_definition outside[] = {{0x20, "A", plain, "", whole}};
    EXPECT_TRUE(offsets_ascend(table(fine)));
    for (const auto& bad : {table(same), table(back), table(odd), table(outside)}) {
        EXPECT_FALSE(offsets_ascend(bad));
    }
}

TEST(register_definition_test, fields_must_ascend_without_sharing_bits_inside_the_register)
{
    const field_definition shared[] = {{"A", 0, 4, ro, 0, ""}, {"B", 3, 1, ro, 0, ""}};
    const field_definition back[] = {{"A", 4, 1, ro, 0, ""}, {"B", 0, 1, ro, 0, ""}};
    const field_definition empty[] = {{"A", 0, 0, ro, 0, ""}};
    const field_definition wide[] = {{"A", 0, 33, ro, 0, ""}};
    const field_definition over[] = {{"A", 30, 3, ro, 0, ""}};
    EXPECT_TRUE(fields_fine(whole));
    EXPECT_TRUE(fields_fine(several));
    EXPECT_FALSE(fields_fine(shared));
    EXPECT_FALSE(fields_fine(back));
    EXPECT_FALSE(fields_fine(empty));
    EXPECT_FALSE(fields_fine(wide));
    EXPECT_FALSE(fields_fine(over));
}

TEST(register_definition_test, reset_and_named_values_must_fit_their_field)
{
    static constexpr named_value small[] = {{3, "last", ""}};
    static constexpr named_value large[] = {{4, "too_large", ""}};
    const field_definition fine[] = {{"A", 7, 2, rw, 3, "", small}};
    const field_definition reset[] = {{"A", 7, 2, rw, 4, ""}};
    const field_definition value[] = {{"A", 7, 2, rw, 0, "", large}};
    const field_definition start[] = {{"A", 0, 1, w1s, 1, ""}}; // reads 0
    EXPECT_TRUE(values_fine(fine));
    EXPECT_FALSE(values_fine(reset));
    EXPECT_FALSE(values_fine(value));
    EXPECT_FALSE(values_fine(start));
}

TEST(register_definition_test, latching_needs_the_next_register)
{
    const register_definition fine[] = {{0, "LO", latches, "", whole}, {4, "HI", plain, "", whole}};
    const register_definition last[] = {{0, "LO", latches, "", whole}};
    const register_definition apart[] = {{0, "LO", latches, "", whole}, {8, "HI", plain, "", whole}};
    EXPECT_TRUE(latches_have_a_place(table(fine)));
    EXPECT_FALSE(latches_have_a_place(table(last)));
    EXPECT_FALSE(latches_have_a_place(table(apart)));
}

TEST(byte_layout_test, whole_one_has_every_byte_once)
{
    static constexpr layout_field fine[] = {{"a", 0, 4, 1, ""}, {"b", 4, 2, 3, ""}};
    static constexpr layout_field gap[] = {{"a", 0, 4, 1, ""}, {"b", 5, 1, 1, ""}};
    static constexpr layout_field shared[] = {{"a", 0, 4, 2, ""}, {"b", 4, 4, 1, ""}};
    static constexpr layout_field late[] = {{"a", 1, 4, 1, ""}};
    EXPECT_TRUE(byte_layout("fine", fine).is_whole());
    EXPECT_EQ(byte_layout("fine", fine).bytes(), 10u);
    EXPECT_FALSE(byte_layout("gap", gap).is_whole());
    EXPECT_FALSE(byte_layout("shared", shared).is_whole());
    EXPECT_FALSE(byte_layout("late", late).is_whole());
}

} // namespace
} // namespace tensorloom::test
