// What reads and writes do to a register of each kind.
#include <gmock/gmock.h>
#include "tlm/register_fixture.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<unsigned char>;

class register_kind_test : public register_fixture {};

TEST_F(register_kind_test, registers_begin_with_their_reset_values)
{
    EXPECT_EQ(bank.get(fixed), 0x44332211u);
    EXPECT_EQ(bank.get(mode), 5u);
    EXPECT_EQ(bank.get(flags), 0u);
    EXPECT_EQ(bank.get(reserved), 0u);
}

TEST_F(register_kind_test, reset_brings_the_reset_values_back)
{
    bank.set_reset_value(fixed, 0xabcd);
    bank.set(fixed, 1);
    bank.set(mode, 2);
    bank.set(flags, 7);
    bank.reset();
    EXPECT_EQ(bank.get(fixed), 0xabcdu);
    EXPECT_EQ(bank.get(mode), 5u);
    EXPECT_EQ(bank.get(flags), 0u);
}

TEST_F(register_kind_test, new_reset_value_shows_at_once)
{
    bank.set_reset_value(fixed, 0xabcd);
    EXPECT_EQ(bank.get(fixed), 0xabcdu);
}

TEST_F(register_kind_test, pairs_are_low_then_high)
{
    bank.set_pair(low, 0x1122334455667788);
    EXPECT_EQ(bank.get(low), 0x55667788u);
    EXPECT_EQ(bank.get(high), 0x11223344u);
}

TEST_F(register_kind_test, low_half_takes_the_present_value_and_latches_the_high_half)
{
    count = 0xfedcba9876543210;
    EXPECT_THAT(read(count_hi, 4), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(read(count_lo, 4, ns(3)), ElementsAre(0x10, 0x32, 0x54, 0x76));
    count = 0;
    EXPECT_THAT(read(count_hi, 4), ElementsAre(0x98, 0xba, 0xdc, 0xfe));
    EXPECT_THAT(latches, ElementsAre(ns(3)));
}

TEST_F(register_kind_test, whole_pair_read_at_once_is_one_value)
{
    count = 0xfedcba9876543210;
    EXPECT_THAT(read(count_lo, 8), ElementsAre(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe));
    EXPECT_EQ(latches.size(), 1u);
}

TEST_F(register_kind_test, bytes_of_a_pair_read_one_by_one_from_the_lowest_are_one_value)
{
    count = 0xfedcba9876543210;
    bytes all;
    for (unsigned i = 0; i < 8; ++i) {
        all.push_back(read(count_lo + i, 1)[0]);
        count += 0x0101010101010101;
    }
    EXPECT_THAT(all, ElementsAre(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe));
}

TEST_F(register_kind_test, pair_is_not_latched_while_its_lowest_byte_is_disabled)
{
    count = 0xff;
    auto p = reading(count_lo, 8);
    p.enable({0x00, 0xff, 0xff, 0xff});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(latches, IsEmpty());
}

TEST_F(register_kind_test, reads_of_other_registers_latch_nothing)
{
    for (std::uint32_t a = 0; a < count_lo; a += 4) { read(a, 4); }
    read(count_hi, 4);
    EXPECT_THAT(latches, IsEmpty());
}

TEST_F(register_kind_test, fields_of_one_register_keep_their_own_access)
{
    EXPECT_EQ(bank.get(mixed), 0x0f69u);
    EXPECT_EQ(write(mixed, {0x35, 0x25, 0xff, 0xff}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(mixed), 0x0a39u); // STATE stays, MODE is 3, flags 0 and 2 are cleared, GO reads 0
    EXPECT_THAT(writes, ElementsAre(told{mixed, 0x2530, sc_core::SC_ZERO_TIME}));
}

TEST_F(register_kind_test, field_without_an_enabled_byte_is_not_written)
{
    EXPECT_EQ(write(mixed + 1, {0xff}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(mixed), 0x0069u);
    EXPECT_THAT(writes, ElementsAre(told{mixed, 0xff60, sc_core::SC_ZERO_TIME}));
}

TEST_F(register_kind_test, write_to_read_only_is_a_command_error)
{
    for (unsigned size : {1u, 2u, 4u}) { EXPECT_EQ(write(fixed, bytes(size, 0xff)), tlm::TLM_COMMAND_ERROR_RESPONSE); }
    EXPECT_EQ(bank.get(fixed), 0x44332211u);
    EXPECT_THAT(writes, IsEmpty());
}

TEST_F(register_kind_test, write_that_touches_a_read_only_register_writes_nothing)
{
    EXPECT_EQ(write(fixed, bytes(8, 0xff)), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(write(start, bytes(8, 0xff)), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(bank.get(mode), 5u);
    EXPECT_THAT(writes, IsEmpty());
}

TEST_F(register_kind_test, read_only_register_in_disabled_lanes_is_not_touched)
{
    auto p = writing(start, {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff});
    p.enable({0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(writes, ElementsAre(told{start, 1, sc_core::SC_ZERO_TIME}));
    EXPECT_EQ(bank.get(state), 0x88776655u);
}

TEST_F(register_kind_test, owner_hears_of_registers_with_enabled_bytes_only)
{
    auto p = writing(low, bytes(8, 0xff));
    p.enable({0x00, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00});
    send(p);
    EXPECT_THAT(writes, ElementsAre(told{high, 0xff, sc_core::SC_ZERO_TIME}));
}

TEST_F(register_kind_test, reserved_bits_ignore_writes)
{
    EXPECT_EQ(write(mode, bytes(4, 0xff)), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(mode), 0x00ff00ffu);
    EXPECT_EQ(write(mode + 1, {0xee}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(mode), 0x00ff00ffu);
}

TEST_F(register_kind_test, reserved_register_takes_writes_and_reads_zero)
{
    EXPECT_EQ(write(reserved, bytes(4, 0xff)), tlm::TLM_OK_RESPONSE);
    auto p = reading(reserved, 4);
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(p.data, bytes(4, 0));
    EXPECT_THAT(writes, IsEmpty());
}

TEST_F(register_kind_test, owner_gets_the_whole_register_after_a_part_is_written)
{
    bank.set(low, 0x11223344);
    write(low + 2, {0xee});
    EXPECT_THAT(writes, ElementsAre(told{low, 0x11ee3344, sc_core::SC_ZERO_TIME}));
}

TEST_F(register_kind_test, owner_gets_the_annotated_time_of_a_write)
{
    auto p = writing(low, bytes(8, 1));
    send(p, ns(17));
    EXPECT_THAT(writes, ElementsAre(told{low, 0x01010101, ns(17)}, told{high, 0x01010101, ns(17)}));
}

TEST_F(register_kind_test, ones_clear_their_flags)
{
    bank.set(flags, 0x107);
    EXPECT_EQ(write(flags, {0x05, 0, 0, 0}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(flags), 0x102u);
}

TEST_F(register_kind_test, ones_in_a_byte_clear_flags_of_that_byte_only)
{
    bank.set(flags, 0x107);
    write(flags + 1, {0xff});
    EXPECT_EQ(bank.get(flags), 0x007u);
}

TEST_F(register_kind_test, disabled_ones_do_not_clear)
{
    bank.set(flags, 0x107);
    auto p = writing(flags, bytes(4, 0xff));
    p.enable({0x00, 0xff});
    send(p);
    EXPECT_EQ(bank.get(flags), 0x007u);
}

TEST_F(register_kind_test, owner_gets_the_bits_that_were_written_as_one)
{
    bank.set(flags, 0x107);
    write(flags, {0xf5, 0xf1, 0xff, 0xff});
    EXPECT_THAT(writes, ElementsAre(told{flags, 0x105, sc_core::SC_ZERO_TIME}));
}

TEST_F(register_kind_test, start_acts_with_its_writable_bits_and_reads_zero)
{
    EXPECT_EQ(write(start, bytes(4, 0xff)), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(writes, ElementsAre(told{start, 3, sc_core::SC_ZERO_TIME}));
    EXPECT_EQ(bank.get(start), 0u);
}

} // namespace
} // namespace tensorloom::test
