#include <tensorloom/models/arch/device_driver.h>
#include <cstdint>
#include <string>
#include <gmock/gmock.h>
#include "register_host.h"

namespace tensorloom::test {
namespace {

using arch::device_driver;
using arch::device_failure;
using arch::error_code;
using testing::ElementsAre;
using testing::HasSubstr;
namespace reg = arch::reg;

class device_driver_test : public testing::Test {
protected:
    register_host host;
    device_driver driver{host, register_host::base};

    template <class F> std::string failure_of(F f)
    {
        try {
            f();
        } catch (const device_failure& e) {
            return e.what();
        }
        return "no failure";
    }
};

TEST_F(device_driver_test, id_has_its_first_character_lowest) { EXPECT_EQ(arch::device_id("TRIA"), 0x41495254u); }

TEST_F(device_driver_test, probe_takes_the_right_device)
{
    host.registers[reg::id] = 0x41495254;
    host.registers[reg::version] = 0x00010000;
    EXPECT_NO_THROW(driver.probe("TRIA"));
}

TEST_F(device_driver_test, probe_takes_a_newer_minor_version)
{
    host.registers[reg::id] = 0x41495254;
    host.registers[reg::version] = 0x0001ffff;
    EXPECT_NO_THROW(driver.probe("TRIA"));
}

TEST_F(device_driver_test, probe_refuses_another_id_and_names_both)
{
    host.registers[reg::id] = 0x12345678;
    host.registers[reg::version] = 0x00010000;
    const auto text = failure_of([&] { driver.probe("TRIA"); });
    EXPECT_THAT(text, HasSubstr("0x12345678"));
    EXPECT_THAT(text, HasSubstr("TRIA"));
}

TEST_F(device_driver_test, probe_refuses_other_major_versions)
{
    host.registers[reg::id] = 0x41495254;
    for (std::uint32_t version : {0x00000000u, 0x00020000u, 0x01010000u}) {
        host.registers[reg::version] = version;
        EXPECT_THAT(failure_of([&] { driver.probe("TRIA"); }), HasSubstr("version")) << version;
    }
}

TEST_F(device_driver_test, start_gives_the_address_before_it_starts)
{
    driver.start(0x12345678'9abcdef0);
    EXPECT_THAT(host.deeds, ElementsAre("IRQ_STATUS=7", "IRQ_ENABLE=3", "PROGRAM_ADDR_LO=2596069104",
                                        "PROGRAM_ADDR_HI=305419896", "fence", "CTRL=1"));
}

TEST_F(device_driver_test, run_writes_the_program_first_and_then_waits)
{
    driver.run({1, 2, 3}, 0x1'0000'0010, 77);
    EXPECT_EQ(host.memory_at, 0x1'0000'0010u);
    EXPECT_THAT(host.memory, ElementsAre(1, 2, 3));
    EXPECT_EQ(host.deeds.front(), "write block");
    EXPECT_EQ(host.timeout, 77u);
}

TEST_F(device_driver_test, missing_interrupt_is_a_failure_with_the_status)
{
    host.interrupt = false;
    host.registers[reg::status] = arch::status_busy;
    const auto text = failure_of([&] { driver.run({}, 0, 1234); });
    EXPECT_THAT(text, HasSubstr("1234 ns"));
    EXPECT_THAT(text, HasSubstr("0x00000001"));
}

TEST_F(device_driver_test, done_is_read_from_status)
{
    host.registers[reg::status] = arch::status_done;
    const auto result = driver.finish(1);
    EXPECT_TRUE(result.done);
    EXPECT_FALSE(result.aborted);
    EXPECT_EQ(result.error, error_code::none);
}

TEST_F(device_driver_test, error_comes_with_command_and_64_bit_address)
{
    host.registers[reg::status] = arch::status_error;
    host.registers[reg::error_code] = 9;
    host.registers[reg::error_command] = 5;
    host.registers[reg::error_addr_lo] = 0xfffffff0;
    host.registers[reg::error_addr_hi] = 0x80000001;
    const auto result = driver.finish(1);
    EXPECT_FALSE(result.done);
    EXPECT_FALSE(result.aborted);
    EXPECT_EQ(result.error, error_code::bus_error);
    EXPECT_EQ(result.error_command, 5u);
    EXPECT_EQ(result.error_address, 0x80000001'fffffff0u);
}

TEST_F(device_driver_test, abort_is_told_from_an_error)
{
    host.registers[reg::status] = arch::status_error | arch::status_aborted;
    host.registers[reg::error_code] = 12;
    const auto result = driver.finish(1);
    EXPECT_FALSE(result.done);
    EXPECT_TRUE(result.aborted);
    EXPECT_EQ(result.error, error_code::aborted);
}

TEST_F(device_driver_test, cycles_have_64_bits)
{
    host.registers[reg::cycles_lo] = 0xffffffff;
    host.registers[reg::cycles_hi] = 0x80000000;
    EXPECT_EQ(driver.finish(1).cycles, 0x80000000'ffffffffu);
}

TEST_F(device_driver_test, finish_clears_done_and_error_interrupts)
{
    driver.finish(1);
    EXPECT_EQ(host.deeds.back(), "IRQ_STATUS=3");
}

TEST_F(device_driver_test, counters_have_64_bits)
{
    host.counters[2] = {0xfffffffe, 0x80000001};
    EXPECT_EQ(driver.counter(2), 0x80000001'fffffffeu);
    EXPECT_EQ(driver.counter(3), 0u);
}

TEST_F(device_driver_test, abort_and_reset_write_their_bits)
{
    driver.abort();
    driver.reset();
    EXPECT_THAT(host.deeds, ElementsAre("CTRL=2", "CTRL=4"));
}

} // namespace
} // namespace tensorloom::test
