// What a memory does with transactions, right and wrong.
#include <gmock/gmock.h>
#include "models/memory/sram_fixture.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using bytes = std::vector<unsigned char>;

class sram_access_test : public sram_fixture {
protected:
    void expect_check_error(payload& p, tlm::tlm_response_status status)
    {
        const auto before = contents();
        const auto data = p.data;
        EXPECT_EQ(send(p), status);
        EXPECT_EQ(contents(), before);
        EXPECT_EQ(p.data, data);
        EXPECT_EQ(body.counts()[0] + body.counts()[1], 0u);
    }
};

TEST_F(sram_access_test, new_memory_holds_zeros)
{
    memory::sram_body fresh(settings());
    auto p = reading(0, size);
    fresh.serve(p, now);
    EXPECT_EQ(p.data, bytes(size, 0));
}

TEST_F(sram_access_test, reads_of_any_length_at_any_address_give_the_bytes)
{
    const auto all = contents();
    for (std::uint64_t length : {1u, 2u, 3u, 4u, 8u, 64u, 100u, 256u}) {
        for (std::uint64_t a = 0; a + length <= size; ++a) {
            auto p = reading(a, length);
            ASSERT_EQ(send(p), tlm::TLM_OK_RESPONSE);
            ASSERT_EQ(p.data, bytes(all.begin() + static_cast<int>(a), all.begin() + static_cast<int>(a + length)));
        }
    }
}

TEST_F(sram_access_test, writes_change_their_bytes_only)
{
    auto expected = contents();
    for (std::uint64_t length : {1u, 3u, 64u, 130u}) {
        for (std::uint64_t a : {std::uint64_t{0}, std::uint64_t{7}, size - length}) {
            bytes data(length);
            for (auto& b : data) { b = static_cast<unsigned char>(length + a + 13); }
            std::copy(data.begin(), data.end(), expected.begin() + static_cast<int>(a));
            auto p = writing(a, data);
            ASSERT_EQ(send(p), tlm::TLM_OK_RESPONSE);
            ASSERT_EQ(contents(), expected) << length << " at " << a;
        }
    }
}

TEST_F(sram_access_test, any_byte_outside_is_an_address_error)
{
    const std::pair<std::uint64_t, std::size_t> outside[] = {
        {size, 1}, {size - 1, 2}, {size - 3, 4}, {0, size + 1}, {std::uint64_t{1} << 32, 4}};
    for (const auto& [address, length] : outside) {
        auto r = reading(address, length);
        expect_check_error(r, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        auto w = writing(address, bytes(length, 0xee));
        expect_check_error(w, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

TEST_F(sram_access_test, wrapping_round_2_to_the_64_is_an_address_error)
{
    for (std::uint64_t address : {UINT64_MAX, UINT64_MAX - 3}) {
        auto w = writing(address, bytes(8, 0xee));
        expect_check_error(w, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

TEST_F(sram_access_test, null_data_and_length_zero_are_refused)
{
    auto null = writing(0, bytes(4));
    null.set_data_ptr(nullptr);
    expect_check_error(null, tlm::TLM_GENERIC_ERROR_RESPONSE);
    auto empty = writing(0, bytes(4));
    empty.set_data_length(0);
    expect_check_error(empty, tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_F(sram_access_test, status_set_to_ok_beforehand_is_replaced)
{
    auto p = reading(size, 4);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(send(p), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(sram_access_test, ignore_command_moves_and_counts_nothing)
{
    payload p(tlm::TLM_IGNORE_COMMAND, 3, bytes(4, untouched));
    expect_check_error(p, tlm::TLM_OK_RESPONSE);
}

TEST_F(sram_access_test, ignore_command_without_data_is_taken)
{
    payload p(tlm::TLM_IGNORE_COMMAND, 0, {});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
}

TEST_F(sram_access_test, streaming_width_of_zero_or_at_least_the_length_is_normal)
{
    for (unsigned width : {0u, 4u, 5u, 20u, 0xffffffffu}) {
        auto p = reading(16, 4);
        p.set_streaming_width(width);
        EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE) << width;
        EXPECT_THAT(p.data, ElementsAre(16, 17, 18, 19));
    }
}

TEST_F(sram_access_test, disabled_bytes_of_a_read_stay)
{
    auto p = reading(16, 4);
    p.enable({0x00, 0xff, 0xff, 0x00});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(p.data, ElementsAre(untouched, 17, 18, untouched));
}

TEST_F(sram_access_test, disabled_bytes_of_a_write_stay)
{
    auto p = writing(16, {1, 2, 3, 4});
    p.enable({0xff, 0x00, 0xff, 0x00});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    const auto all = contents();
    EXPECT_THAT(bytes(all.begin() + 15, all.begin() + 21), ElementsAre(15, 1, 17, 3, 19, 20));
}

TEST_F(sram_access_test, byte_enables_repeat_from_the_first_byte_of_the_data)
{
    auto p = writing(17, bytes(8, 0xee));
    p.enable({0x00, 0xff, 0x00});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    const auto all = contents();
    EXPECT_THAT(bytes(all.begin() + 17, all.begin() + 25), ElementsAre(17, 0xee, 19, 20, 0xee, 22, 23, 0xee));
}

TEST_F(sram_access_test, byte_enables_may_be_longer_than_the_data)
{
    auto p = writing(16, {1, 2});
    p.enable({0xff, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff});
    EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
    const auto all = contents();
    EXPECT_THAT(bytes(all.begin() + 16, all.begin() + 19), ElementsAre(1, 17, 18));
}

TEST_F(sram_access_test, all_bytes_disabled_moves_nothing)
{
    const auto before = contents();
    for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        payload p(command, 16, bytes(4, untouched));
        p.enable({0x00});
        EXPECT_EQ(send(p), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(p.data, bytes(4, untouched));
    }
    EXPECT_EQ(contents(), before);
}

TEST_F(sram_access_test, byte_enables_of_length_zero_are_refused)
{
    auto p = writing(16, bytes(4, 0xee));
    p.enable({0xff});
    p.set_byte_enable_length(0);
    expect_check_error(p, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_F(sram_access_test, payload_keeps_its_fields_and_written_data)
{
    auto p = writing(16, {1, 2, 3, 4});
    p.enable({0xff, 0x00});
    const auto before = fixed_fields(p);
    send(p);
    EXPECT_EQ(fixed_fields(p), before);
    EXPECT_THAT(p.data, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(p.enables, ElementsAre(0xff, 0x00));
}

TEST_F(sram_access_test, debug_needs_no_time_and_counts_nothing)
{
    contents();
    EXPECT_EQ(body.counts()[0] + body.counts()[1], 0u);
}

TEST_F(sram_access_test, debug_across_the_end_moves_what_exists)
{
    auto r = reading(size - 2, 5);
    EXPECT_EQ(body.transport_dbg(r), 2u);
    EXPECT_THAT(r.data, ElementsAre(254, 255, untouched, untouched, untouched));
    auto w = writing(size - 1, {9, 9, 9});
    EXPECT_EQ(body.transport_dbg(w), 1u);
    EXPECT_EQ(contents().back(), 9);
}

TEST_F(sram_access_test, debug_outside_moves_nothing)
{
    for (std::uint64_t address : {size, std::uint64_t{1} << 32, UINT64_MAX}) {
        auto r = reading(address, 4);
        EXPECT_EQ(body.transport_dbg(r), 0u);
        EXPECT_EQ(r.data, bytes(4, untouched));
    }
}

TEST_F(sram_access_test, debug_with_ignore_or_null_data_moves_nothing)
{
    payload ignore(tlm::TLM_IGNORE_COMMAND, 0, bytes(4));
    EXPECT_EQ(body.transport_dbg(ignore), 0u);
    auto null = reading(0, 4);
    null.set_data_ptr(nullptr);
    EXPECT_EQ(body.transport_dbg(null), 0u);
}

} // namespace
} // namespace tensorloom::test
