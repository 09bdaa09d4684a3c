// Which accesses a register block takes, and how it answers the others.
#include <gmock/gmock.h>
#include "tlm/register_fixture.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<unsigned char>;

class register_access_test : public register_fixture {
protected:
    // Sends what must be refused with `status`, as a read and as a write; nothing may come of it.
    void expect_check_error(std::uint64_t address, std::size_t length, tlm::tlm_response_status status)
    {
        const auto before = image();
        auto r = reading(address, length);
        EXPECT_EQ(send(r), status) << "read of " << length << " at " << address;
        EXPECT_EQ(r.data, bytes(length, untouched));
        auto w = writing(address, bytes(length, 0xff));
        EXPECT_EQ(send(w), status) << "write of " << length << " at " << address;
        EXPECT_EQ(image(), before);
        EXPECT_THAT(latches, IsEmpty());
        EXPECT_THAT(writes, IsEmpty());
    }
};

TEST_F(register_access_test, reads_of_every_size_at_every_aligned_address_give_the_bytes)
{
    bank.set(low, 0x0c0b0a09);
    bank.set(high, 0xfcfbfaf9);
    const auto all = image();
    for (unsigned size : {1u, 2u, 4u, 8u}) {
        for (unsigned a = 0; a + size <= block; a += size) {
            auto p = reading(a, size);
            EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(p.data, bytes(all.begin() + a, all.begin() + a + size)) << size << " at " << a;
        }
    }
}

TEST_F(register_access_test, writes_of_every_size_at_every_aligned_address_change_those_bytes_only)
{
    for (unsigned size : {1u, 2u, 4u, 8u}) {
        for (unsigned a = low; a + size <= low + 8; a += size) {
            bank.set(low, 0x11111111);
            bank.set(high, 0x22222222);
            auto expected = image();
            bytes written;
            for (unsigned i = 0; i < size; ++i) { written.push_back(static_cast<unsigned char>(0xe0 + i)); }
            std::copy(written.begin(), written.end(), expected.begin() + a);
            EXPECT_EQ(write(a, written), tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(image(), expected) << size << " at " << a;
        }
    }
}

TEST_F(register_access_test, unaligned_accesses_are_burst_errors)
{
    for (unsigned size : {2u, 4u, 8u}) {
        for (unsigned a = 0; a + size <= block; ++a) {
            if (a % size != 0) { expect_check_error(a, size, tlm::TLM_BURST_ERROR_RESPONSE); }
        }
    }
}

TEST_F(register_access_test, other_lengths_are_burst_errors)
{
    for (unsigned size : {0u, 3u, 5u, 6u, 7u, 9u, 12u, 16u, 32u}) {
        expect_check_error(0, size, tlm::TLM_BURST_ERROR_RESPONSE);
    }
}

TEST_F(register_access_test, crossing_the_end_is_an_address_error)
{
    expect_check_error(block - 4, 8, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_check_error(block - 1, 2, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(register_access_test, outside_is_an_address_error)
{
    expect_check_error(block, 1, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_check_error(block, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_check_error(std::uint64_t{1} << 32, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE); // 0 when cut to 32 bits
}

TEST_F(register_access_test, wrapping_round_2_to_the_64_is_an_address_error)
{
    expect_check_error(UINT64_MAX - 3, 8, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_check_error(UINT64_MAX, 1, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    expect_check_error(UINT64_MAX - 7, 8, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(register_access_test, null_data_is_refused)
{
    for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        payload p(command, low, bytes(4));
        p.set_data_ptr(nullptr);
        EXPECT_EQ(send(p), tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
}

TEST_F(register_access_test, status_set_to_ok_beforehand_is_replaced)
{
    auto p = reading(block, 4);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(send(p), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    auto w = writing(fixed, bytes(4));
    w.set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(send(w), tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST_F(register_access_test, ignore_command_does_nothing)
{
    const auto before = image();
    payload p(tlm::TLM_IGNORE_COMMAND, low, bytes(4, untouched));
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(p.data, bytes(4, untouched));
    EXPECT_EQ(image(), before);
    EXPECT_THAT(latches, IsEmpty());
    EXPECT_THAT(writes, IsEmpty());
}

TEST_F(register_access_test, ignore_command_without_data_does_not_crash)
{
    payload p(tlm::TLM_IGNORE_COMMAND, UINT64_MAX, {});
    send(p);
    EXPECT_NE(p.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
}

TEST_F(register_access_test, streaming_width_of_zero_or_at_least_the_length_is_normal)
{
    for (unsigned width : {0u, 4u, 5u, 20u, 0xffffffffu}) { // 0 by the tolerance that is on at first
        auto p = reading(fixed, 4);
        p.set_streaming_width(width);
        EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE) << width;
        EXPECT_THAT(p.data, ElementsAre(0x11, 0x22, 0x33, 0x44));
    }
}

TEST_F(register_access_test, streaming_width_of_zero_is_a_burst_error_without_the_tolerance)
{
    bus::target_tolerance strict;
    strict.zero_streaming_width = false;
    bus::register_bank other(table, *this, strict);
    for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        payload p(command, low, bytes(4, 0xff));
        p.set_streaming_width(0);
        other.b_transport(p, sc_core::SC_ZERO_TIME);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    }
    EXPECT_EQ(other.get(low), 0u);
    auto p = reading(fixed, 4);
    other.b_transport(p, sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(p.is_response_ok());
}

TEST_F(register_access_test, streaming_width_below_the_length_is_a_burst_error)
{
    for (unsigned width : {1u, 2u, 3u}) {
        auto p = writing(low, bytes(4, 0xff));
        p.set_streaming_width(width);
        EXPECT_EQ(send(p), tlm::TLM_BURST_ERROR_RESPONSE) << width;
        EXPECT_EQ(bank.get(low), 0u);
    }
}

TEST_F(register_access_test, disabled_bytes_of_a_read_stay)
{
    auto p = reading(fixed, 4);
    p.enable({0xff, 0x00, 0x00, 0xff});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(p.data, ElementsAre(0x11, untouched, untouched, 0x44));
}

TEST_F(register_access_test, disabled_bytes_of_a_write_stay)
{
    bank.set(low, 0x11111111);
    auto p = writing(low, {0xe0, 0xe1, 0xe2, 0xe3});
    p.enable({0x00, 0xff, 0xff, 0x00});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(low), 0x11e2e111u);
}

TEST_F(register_access_test, byte_enables_repeat)
{
    auto p = writing(low, {0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7});
    p.enable({0xff, 0x00, 0x00});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(low), 0xe30000e0u);
    EXPECT_EQ(bank.get(high), 0x00e60000u);
}

TEST_F(register_access_test, byte_enables_may_be_longer_than_the_data)
{
    auto p = writing(low, {0xe0, 0xe1});
    p.enable({0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(low), 0x0000e100u);
}

TEST_F(register_access_test, one_byte_enable_serves_all_bytes)
{
    auto on = writing(low, bytes(8, 0xee));
    on.enable({0xff});
    EXPECT_EQ(send(on), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(high), 0xeeeeeeeeu);
    auto off = writing(low, bytes(8, 0x11));
    off.enable({0x00});
    EXPECT_EQ(send(off), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bank.get(low), 0xeeeeeeeeu);
}

TEST_F(register_access_test, byte_enables_of_length_zero_are_refused)
{
    auto p = writing(low, bytes(4, 0xff));
    p.enable({0xff});
    p.set_byte_enable_length(0);
    EXPECT_EQ(send(p), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(bank.get(low), 0u);
}

TEST_F(register_access_test, payload_keeps_its_fields_and_written_data)
{
    auto p = writing(low, {1, 2, 3, 4, 5, 6, 7, 8});
    p.enable({0xff, 0x00});
    const auto before = fixed_fields(p);
    send(p);
    EXPECT_EQ(fixed_fields(p), before);
    EXPECT_THAT(p.data, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_THAT(p.enables, ElementsAre(0xff, 0x00));
}

TEST_F(register_access_test, dmi_is_never_hinted)
{
    auto p = reading(fixed, 4);
    p.set_dmi_allowed(true);
    send(p);
    EXPECT_FALSE(p.is_dmi_allowed());
}

TEST_F(register_access_test, debug_reads_any_bytes_without_side_effects)
{
    const auto all = image();
    auto p = reading(1, 46);
    EXPECT_EQ(bank.transport_dbg(p), 46u);
    EXPECT_EQ(p.data, bytes(all.begin() + 1, all.begin() + 47));
    EXPECT_THAT(latches, IsEmpty());
}

TEST_F(register_access_test, debug_read_shows_the_present_value_of_a_pair_and_latches_nothing)
{
    count = 0x1111111122222222;
    read(count_lo, 4);
    count = 0xfedcba9876543210;
    auto p = reading(count_lo, 8);
    EXPECT_EQ(bank.transport_dbg(p), 8u);
    EXPECT_THAT(p.data, ElementsAre(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe));
    EXPECT_EQ(latches.size(), 1u);
    EXPECT_THAT(read(count_hi, 4), ElementsAre(0x11, 0x11, 0x11, 0x11));
}

TEST_F(register_access_test, debug_read_across_the_end_gives_what_exists)
{
    count = 0x8877665500000000;
    auto p = reading(block - 3, 8);
    EXPECT_EQ(bank.transport_dbg(p), 3u);
    EXPECT_THAT(p.data, ElementsAre(0x66, 0x77, 0x88, untouched, untouched, untouched, untouched, untouched));
}

TEST_F(register_access_test, debug_read_outside_gives_nothing)
{
    for (std::uint64_t a : {std::uint64_t{block}, std::uint64_t{1} << 32, UINT64_MAX}) {
        auto p = reading(a, 4);
        EXPECT_EQ(bank.transport_dbg(p), 0u);
        EXPECT_EQ(p.data, bytes(4, untouched));
    }
}

TEST_F(register_access_test, debug_writes_do_nothing)
{
    const auto before = image();
    for (unsigned a : {low, flags, start, mixed, reserved}) {
        auto p = writing(a, bytes(4, 0xff));
        EXPECT_EQ(bank.transport_dbg(p), 0u);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
    EXPECT_EQ(image(), before);
    EXPECT_THAT(writes, IsEmpty());
}

} // namespace
} // namespace tensorloom::test
