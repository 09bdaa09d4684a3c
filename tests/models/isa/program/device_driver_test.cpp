#include <tensorloom/models/isa/program/device_driver.h>
#include <algorithm>
#include <cstdint>
#include <string>
#include <gmock/gmock.h>
#include "register_host.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using isa::device_driver;
using isa::device_failure;
using isa::error_code;
using testing::ElementsAre;
using testing::HasSubstr;
namespace reg = isa::reg;

class device_driver_test : public testing::Test {
protected:
    register_host host;
    device_driver driver{host, register_host::base};

    template <class F> std::string failure_of(const F& f) { return message_of<device_failure>(f); }
};

TEST_F(device_driver_test, id_has_its_first_character_lowest) { EXPECT_EQ(isa::device_id("TRIA"), 0x41495254u); }

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
    host.at_wait = [this] { host.registers[reg::status] = isa::status_done; };
    driver.run({1, 2, 3}, 0x1'0000'0010, 77);
    EXPECT_EQ(host.memory_at, 0x1'0000'0010u);
    EXPECT_THAT(host.memory, ElementsAre(1, 2, 3));
    EXPECT_EQ(host.deeds.front(), "write block");
    EXPECT_EQ(host.timeout, 77u);
}

TEST_F(device_driver_test, program_at_an_odd_address_is_not_started)
{
    for (const std::uint64_t address : {1u, 8u, 15u}) {
        EXPECT_THAT(failure_of([&] { driver.start(address); }), HasSubstr("is not a multiple of 16"));
        EXPECT_THAT(failure_of([&] { driver.run({1, 2, 3}, address, 1); }), HasSubstr("is not a multiple of 16"));
    }
    EXPECT_THAT(failure_of([&] { driver.start(0x1'0000'0008); }), HasSubstr("the program's address 0x100000008 is"));
    EXPECT_THAT(host.deeds, testing::IsEmpty());
}

TEST_F(device_driver_test, missing_interrupt_names_address_timeout_and_registers)
{
    host.interrupt = false;
    driver.start(0);
    host.registers[reg::status] = isa::status_busy;
    host.registers[reg::irq_status] = 4;
    host.registers[reg::commands_done] = 0x1234;
    const auto text = failure_of([&] { driver.finish(1234); });
    EXPECT_THAT(text, HasSubstr("device at 0x40000000"));
    EXPECT_THAT(text, HasSubstr("1234 ns"));
    EXPECT_THAT(text, HasSubstr("STATUS 0x00000001"));
    EXPECT_THAT(text, HasSubstr("IRQ_STATUS 0x00000004"));
    EXPECT_THAT(text, HasSubstr("IRQ_ENABLE 0x00000003"));
    EXPECT_THAT(text, HasSubstr("ERROR_CODE 0x00000000"));
    EXPECT_THAT(text, HasSubstr("COMMANDS_DONE 0x00001234"));
    EXPECT_THAT(text, HasSubstr("still busy"));
    EXPECT_EQ(host.timeout, 1234u);
}

TEST_F(device_driver_test, end_without_an_interrupt_is_told_from_a_device_at_work)
{
    host.interrupt = false;
    for (auto ended : {isa::status_done, isa::status_error}) {
        host.registers[reg::status] = ended;
        EXPECT_THAT(failure_of([&] { driver.finish(1); }), HasSubstr("interrupt has not arrived"));
    }
    host.registers[reg::status] = 0;
    EXPECT_THAT(failure_of([&] { driver.finish(1); }), HasSubstr("no program was started"));
}

TEST_F(device_driver_test, device_that_is_gone_is_named_as_such)
{
    for (const auto& r : isa::register_map) { host.registers[r.offset] = 0xffffffff; }
    EXPECT_THAT(failure_of([&] { driver.probe("TRIA"); }), HasSubstr("no device responds"));
    EXPECT_THAT(failure_of([&] { driver.start(0); }), HasSubstr("no device responds"));
    EXPECT_THAT(failure_of([&] { driver.finish(1); }), HasSubstr("no device responds"));
    host.interrupt = false;
    EXPECT_THAT(failure_of([&] { driver.finish(1); }), HasSubstr("no device responds"));
    host.registers[reg::id] = 0;
    EXPECT_THAT(failure_of([&] { driver.probe("TRIA"); }), HasSubstr("no device responds"));
}

TEST_F(device_driver_test, registers_that_cannot_be_read_after_a_timeout_are_part_of_the_failure)
{
    host.interrupt = false;
    host.failing = true;
    const auto text = failure_of([&] { driver.finish(5); });
    EXPECT_THAT(text, HasSubstr("5 ns"));
    EXPECT_THAT(text, HasSubstr("cannot be read (bus is broken)"));
}

TEST_F(device_driver_test, failing_bus_is_passed_on)
{
    host.failing = true;
    EXPECT_THROW(driver.probe("TRIA"), isa::bus_failure);
    EXPECT_THROW(driver.run({}, 0, 1), isa::bus_failure);
    EXPECT_THROW(driver.finish(1), isa::bus_failure);
    EXPECT_THROW(driver.reset(), isa::bus_failure);
}

TEST_F(device_driver_test, busy_device_is_not_started)
{
    host.registers[reg::status] = isa::status_busy;
    EXPECT_THAT(failure_of([&] { driver.start(0); }), HasSubstr("running"));
    EXPECT_THAT(failure_of([&] { driver.run({1}, 0, 1); }), HasSubstr("running"));
    EXPECT_THAT(host.deeds, testing::IsEmpty()); // not even its program is written
}

TEST_F(device_driver_test, interrupt_without_an_end_is_a_failure)
{
    for (std::uint32_t status : {0u, std::uint32_t{isa::status_busy}, isa::status_busy | isa::status_done}) {
        host.registers[reg::status] = status;
        EXPECT_THAT(failure_of([&] { driver.finish(1); }), HasSubstr("no program has ended")) << status;
    }
}

TEST_F(device_driver_test, reset_waits_until_the_device_is_at_rest)
{
    host.registers[reg::status] = isa::status_busy;
    host.interrupt = false;
    host.at_wait = [this] {
        if (host.deeds.size() == 4) { host.registers[reg::status] = 0; }
    };
    driver.reset(1600);
    EXPECT_THAT(host.deeds, ElementsAre("CTRL=4", "wait", "wait", "wait"));
    EXPECT_EQ(host.timeout, 100u);
}

TEST_F(device_driver_test, reset_that_never_ends_is_a_failure)
{
    host.registers[reg::status] = isa::status_busy;
    host.interrupt = false;
    const auto text = failure_of([&] { driver.reset(4800); });
    EXPECT_THAT(text, HasSubstr("device at 0x40000000"));
    EXPECT_THAT(text, HasSubstr("the reset did not end within 4800 ns"));
    EXPECT_THAT(text, HasSubstr("STATUS 0x00000001"));
    EXPECT_EQ(std::count(host.deeds.begin(), host.deeds.end(), "wait") * host.timeout, 4800u);
}

TEST_F(device_driver_test, done_is_read_from_status)
{
    host.registers[reg::status] = isa::status_done;
    const auto result = driver.finish(1);
    EXPECT_TRUE(result.done);
    EXPECT_FALSE(result.aborted);
    EXPECT_EQ(result.error, error_code::none);
}

TEST_F(device_driver_test, error_comes_with_command_and_64_bit_address)
{
    host.registers[reg::status] = isa::status_error;
    host.registers[reg::error_code] = 9;
    host.registers[reg::error_command] = 5;
    host.registers[reg::error_addr_lo] = 0xfffffff0;
    host.registers[reg::error_addr_hi] = 0x80000001;
    host.registers[reg::error_response] = 3;
    const auto result = driver.finish(1);
    EXPECT_FALSE(result.done);
    EXPECT_FALSE(result.aborted);
    EXPECT_EQ(result.error, error_code::bus_error);
    EXPECT_EQ(result.error_command, 5u);
    EXPECT_EQ(result.error_address, 0x80000001'fffffff0u);
    EXPECT_EQ(result.error_response, isa::bus_response::burst_error);
}

TEST_F(device_driver_test, abort_is_told_from_an_error)
{
    host.registers[reg::status] = isa::status_error | isa::status_aborted;
    host.registers[reg::error_code] = 12;
    const auto result = driver.finish(1);
    EXPECT_FALSE(result.done);
    EXPECT_TRUE(result.aborted);
    EXPECT_EQ(result.error, error_code::aborted);
}

TEST_F(device_driver_test, cycles_have_64_bits)
{
    host.registers[reg::status] = isa::status_done;
    host.registers[reg::cycles_lo] = 0xffffffff;
    host.registers[reg::cycles_hi] = 0x80000000;
    EXPECT_EQ(driver.finish(1).cycles, 0x80000000'ffffffffu);
}

TEST_F(device_driver_test, finish_clears_done_and_error_interrupts)
{
    host.registers[reg::status] = isa::status_done;
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
