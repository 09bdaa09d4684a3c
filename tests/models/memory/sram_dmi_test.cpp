#include "models/memory/sram_fixture.h"

namespace tensorloom::test {
namespace {

class sram_dmi_test : public sram_fixture {
protected:
    tlm::tlm_dmi dmi;
};

TEST_F(sram_dmi_test, pointer_shows_every_byte_up_to_the_last)
{
    auto p = reading(17, 4);
    ASSERT_TRUE(body.get_direct_mem_ptr(p, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0u);
    EXPECT_EQ(dmi.get_end_address(), size - 1);
    for (std::uint64_t a = dmi.get_start_address(); a <= dmi.get_end_address(); ++a) {
        auto byte = reading(a, 1);
        ASSERT_EQ(send(byte), tlm::TLM_OK_RESPONSE);
        ASSERT_EQ(dmi.get_dmi_ptr()[a], byte.data[0]) << a;
    }
}

TEST_F(sram_dmi_test, writes_through_the_pointer_are_seen_on_the_bus)
{
    auto p = reading(0, 1);
    ASSERT_TRUE(body.get_direct_mem_ptr(p, dmi));
    EXPECT_TRUE(dmi.is_read_write_allowed());
    for (std::uint64_t a = 0; a < size; ++a) { dmi.get_dmi_ptr()[a] = static_cast<unsigned char>(255 - a); }
    const auto all = contents();
    for (std::uint64_t a = 0; a < size; ++a) { ASSERT_EQ(all[a], 255 - a); }
}

TEST_F(sram_dmi_test, is_granted_at_the_last_address)
{
    auto p = reading(size - 1, 1);
    EXPECT_TRUE(body.get_direct_mem_ptr(p, dmi));
}

TEST_F(sram_dmi_test, is_refused_above_with_the_range_above)
{
    auto p = reading(size, 1);
    EXPECT_FALSE(body.get_direct_mem_ptr(p, dmi));
    EXPECT_EQ(dmi.get_start_address(), size);
    EXPECT_EQ(dmi.get_end_address(), UINT64_MAX);
}

TEST_F(sram_dmi_test, latency_is_per_byte)
{
    auto p = reading(0, 1);
    body.get_direct_mem_ptr(p, dmi);
    EXPECT_EQ(dmi.get_read_latency(), sc_core::sc_time(250, sc_core::SC_PS));
    EXPECT_EQ(dmi.get_write_latency(), sc_core::sc_time(250, sc_core::SC_PS));
}

TEST_F(sram_dmi_test, hint_comes_with_good_answers_only)
{
    auto good = reading(0, 4);
    send(good);
    EXPECT_TRUE(good.is_dmi_allowed());
    auto bad = reading(size, 4);
    bad.set_dmi_allowed(true);
    send(bad);
    EXPECT_FALSE(bad.is_dmi_allowed());
}

TEST_F(sram_dmi_test, is_refused_for_the_whole_memory_when_switched_off)
{
    auto off = settings();
    off.allow_dmi = false;
    memory::sram_body closed(off);
    auto p = reading(4, 4);
    EXPECT_FALSE(closed.get_direct_mem_ptr(p, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0u);
    EXPECT_EQ(dmi.get_end_address(), size - 1);
    EXPECT_TRUE(dmi.is_none_allowed());
    closed.serve(p, now);
    EXPECT_FALSE(p.is_dmi_allowed());
}

} // namespace
} // namespace tensorloom::test
