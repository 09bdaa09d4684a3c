// The C driver in front of registers that hold what a test puts there.
#include <algorithm>
#include <set>
#include <string>
#include <gmock/gmock.h>
#include "models/isa/firmware/host_port_for_c.h"
#include "models/isa/program/register_host.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class c_driver : public testing::Test {
protected:
    c_driver()
    {
        host.registers = {{TL_REG_ID, 0x41495254}, {TL_REG_VERSION, 0x00010005}, {TL_REG_CAPS, 0x00001204},
                          {TL_REG_CAPS_SIZE_0, 7}, {TL_REG_CAPS_SIZE_1, 8},      {TL_REG_CAPS_SIZE_2, 9}};
    }
    tl_status probe() { return tl_probe(&device, &port, register_host::base, TL_TRIADA_ID); }
    tl_device& probed()
    {
        EXPECT_EQ(probe(), tl_ok);
        return device;
    }
    void set_all(std::uint32_t value)
    {
        for (const auto& r : isa::register_map) { host.registers[r.offset] = value; }
    }

    register_host host;
    tl_port port = port_for_c(host);
    tl_device device;
    tl_result result;
};

TEST_F(c_driver, probe_reads_what_the_device_is)
{
    EXPECT_EQ(probe(), tl_ok);
    EXPECT_EQ(device.version, 0x00010005u);
    EXPECT_EQ(device.caps & TL_CAPS_FORMAT_MASK, TL_TYPE_C64);
    EXPECT_THAT(device.size, ElementsAre(7, 8, 9));
}

TEST_F(c_driver, probe_takes_any_minor_version_and_no_other_major_one)
{
    for (std::uint32_t version : {0x00010000u, 0x0001ffffu}) {
        host.registers[TL_REG_VERSION] = version;
        EXPECT_EQ(probe(), tl_ok) << version;
    }
    for (std::uint32_t version : {0u, 0x00020000u, 0x01010000u}) {
        host.registers[TL_REG_VERSION] = version;
        EXPECT_EQ(probe(), tl_wrong_version) << version;
    }
}

TEST_F(c_driver, probe_tells_another_device_from_none)
{
    host.registers[TL_REG_ID] = 0x41495255;
    EXPECT_EQ(probe(), tl_wrong_device);
    for (std::uint32_t dead : {0u, 0xffffffffu}) {
        set_all(dead);
        EXPECT_EQ(probe(), tl_no_device) << dead;
    }
}

TEST_F(c_driver, start_gives_the_address_before_it_starts)
{
    EXPECT_EQ(tl_start(&probed(), 0x12345678'9abcdef0), tl_ok);
    EXPECT_THAT(host.deeds, ElementsAre("IRQ_STATUS=7", "IRQ_ENABLE=3", "PROGRAM_ADDR_LO=2596069104",
                                        "PROGRAM_ADDR_HI=305419896", "fence", "CTRL=1"));
}

TEST_F(c_driver, busy_device_is_not_started)
{
    host.registers[TL_REG_STATUS] = TL_STATUS_BUSY_MASK;
    const char program[16] = {};
    EXPECT_EQ(tl_start(&probed(), 0), tl_busy);
    EXPECT_EQ(tl_run(&device, program, sizeof program, 0, 1, &result), tl_busy);
    EXPECT_THAT(host.deeds, IsEmpty());
}

TEST_F(c_driver, program_at_an_odd_address_is_not_started)
{
    const char program[16] = {};
    for (std::uint64_t address : {1u, 8u, 15u}) {
        EXPECT_EQ(tl_start(&probed(), address), tl_bad_argument);
        EXPECT_EQ(tl_run(&device, program, sizeof program, address, 1, &result), tl_bad_argument);
    }
    EXPECT_THAT(host.deeds, IsEmpty());
}

TEST_F(c_driver, run_writes_the_program_starts_and_waits)
{
    const char program[3] = {1, 2, 3};
    host.at_wait = [this] { host.registers[TL_REG_STATUS] = TL_STATUS_DONE_MASK; };
    EXPECT_EQ(tl_run(&probed(), program, sizeof program, 0x1'0000'0010, 77, nullptr), tl_ok);
    EXPECT_EQ(host.memory_at, 0x1'0000'0010u);
    EXPECT_THAT(host.memory, ElementsAre(1, 2, 3));
    EXPECT_THAT(host.deeds, ElementsAre("write block", "IRQ_STATUS=7", "IRQ_ENABLE=3", "PROGRAM_ADDR_LO=16",
                                        "PROGRAM_ADDR_HI=1", "fence", "CTRL=1", "wait", "IRQ_STATUS=3"));
    EXPECT_EQ(host.timeout, 77u);
}

TEST_F(c_driver, result_has_what_the_registers_say)
{
    auto& r = host.registers;
    r[TL_REG_STATUS] = TL_STATUS_ERROR_MASK;
    r[TL_REG_ERROR_CODE] = 9;
    r[TL_REG_ERROR_COMMAND] = 5;
    r[TL_REG_ERROR_ADDR_LO] = 0xfffffff0;
    r[TL_REG_ERROR_ADDR_HI] = 0x80000001;
    r[TL_REG_ERROR_RESPONSE] = 3;
    r[TL_REG_CYCLES_LO] = 0xffffffff;
    r[TL_REG_CYCLES_HI] = 0x80000000;
    r[TL_REG_COMMANDS_DONE] = 4;
    r[TL_REG_TOKEN] = 77;
    EXPECT_EQ(tl_finish(&probed(), 1, &result), tl_program_error);
    EXPECT_EQ(result.status, TL_STATUS_ERROR_MASK);
    EXPECT_EQ(result.error, TL_ERROR_CODE_CODE_BUS_ERROR);
    EXPECT_EQ(result.error_command, 5u);
    EXPECT_EQ(result.error_address, 0x80000001'fffffff0u);
    EXPECT_EQ(result.error_response, TL_ERROR_RESPONSE_RESPONSE_BURST_ERROR);
    EXPECT_EQ(result.cycles, 0x80000000'ffffffffu);
    EXPECT_EQ(result.commands_done, 4u);
    EXPECT_EQ(result.token, 77u);
}

TEST_F(c_driver, finish_says_how_the_program_ended)
{
    const auto finish = [this](std::uint32_t status) {
        host.registers[TL_REG_STATUS] = status;
        return tl_finish(&device, 1, &result);
    };
    probed();
    EXPECT_EQ(finish(TL_STATUS_DONE_MASK), tl_ok);
    EXPECT_EQ(finish(TL_STATUS_ERROR_MASK), tl_program_error);
    EXPECT_EQ(finish(TL_STATUS_ERROR_MASK | TL_STATUS_ABORTED_MASK), tl_aborted);
    EXPECT_EQ(finish(TL_STATUS_BUSY_MASK), tl_spurious);
    EXPECT_EQ(finish(0), tl_spurious);
    EXPECT_EQ(finish(0xffffffff), tl_no_device);
    host.interrupt = false;
    EXPECT_EQ(finish(TL_STATUS_BUSY_MASK), tl_timeout);
    EXPECT_EQ(finish(0), tl_timeout);
    EXPECT_EQ(finish(TL_STATUS_DONE_MASK), tl_no_interrupt);
    EXPECT_EQ(finish(TL_STATUS_ERROR_MASK), tl_no_interrupt);
    EXPECT_EQ(finish(0xffffffff), tl_no_device);
}

TEST_F(c_driver, each_function_of_the_port_may_fail)
{
    const char program[16] = {};
    const auto failing_status = [&](auto spoil) {
        host.registers[TL_REG_STATUS] = 0;
        host.at_wait = [this] { host.registers[TL_REG_STATUS] = TL_STATUS_DONE_MASK; };
        port = port_for_c(host);
        spoil(port);
        const tl_status status = probe();
        return status != tl_ok ? status : tl_run(&device, program, sizeof program, 0, 1, &result);
    };
    EXPECT_EQ(failing_status([](tl_port&) {}), tl_ok);
    EXPECT_EQ(failing_status([](tl_port& p) { p.read_word = [](void*, std::uint64_t, std::uint32_t*) { return 5; }; }),
              tl_bus_error);
    EXPECT_EQ(failing_status([](tl_port& p) { p.write_word = [](void*, std::uint64_t, std::uint32_t) { return 5; }; }),
              tl_bus_error);
    EXPECT_EQ(failing_status(
                  [](tl_port& p) { p.write_block = [](void*, std::uint64_t, const void*, std::size_t) { return 5; }; }),
              tl_bus_error);
    EXPECT_EQ(failing_status([](tl_port& p) { p.wait_interrupt = [](void*, std::uint64_t) { return -1; }; }),
              tl_bus_error);
    EXPECT_EQ(failing_status([](tl_port& p) { p.fence = [](void*) { return 5; }; }), tl_bus_error);
}

TEST_F(c_driver, every_access_that_fails_is_a_bus_error)
{
    // One run of all functions, in which access number n fails, for every n.
    struct counting_port {
        register_host* host;
        unsigned left;
    };
    const auto all = [this](unsigned accesses) {
        counting_port context{&host, accesses};
        tl_port counting{};
        counting.context = &context;
        counting.read_word = [](void* c, std::uint64_t address, std::uint32_t* value) {
            auto& p = *static_cast<counting_port*>(c);
            if (p.left == 0) { return -1; }
            --p.left;
            *value = p.host->read_word(address);
            return 0;
        };
        counting.write_word = [](void* c, std::uint64_t address, std::uint32_t value) {
            auto& p = *static_cast<counting_port*>(c);
            if (p.left == 0) { return -1; }
            --p.left;
            p.host->write_word(address, value);
            return 0;
        };
        counting.wait_interrupt = [](void*, std::uint64_t) { return 0; };
        counting.fence = [](void*) { return 0; };
        host.registers[TL_REG_STATUS] = TL_STATUS_DONE_MASK;
        std::uint64_t count = 0;
        tl_status status = tl_probe(&device, &counting, register_host::base, TL_TRIADA_ID);
        if (status == tl_ok) { status = tl_start(&device, 0); }
        if (status == tl_ok) { status = tl_finish(&device, 1, &result); }
        if (status == tl_ok) { status = tl_read_counter(&device, 0, &count); }
        if (status == tl_ok) { status = tl_abort(&device); }
        if (status == tl_ok) { status = tl_reset(&device, 1); }
        return status;
    };
    unsigned accesses = 0;
    for (; all(accesses) != tl_ok && accesses < 1000; ++accesses) {
        EXPECT_EQ(all(accesses), tl_bus_error) << accesses;
    }
    EXPECT_EQ(accesses, 6u + 6u + 11u + 3u + 1u + 2u);
}

TEST_F(c_driver, counters_have_64_bits)
{
    host.counters[2] = {0xfffffffe, 0x80000001};
    std::uint64_t value = 0;
    EXPECT_EQ(tl_read_counter(&probed(), 2, &value), tl_ok);
    EXPECT_EQ(value, 0x80000001'fffffffeu);
    EXPECT_EQ(tl_read_counter(&device, 256, &value), tl_bad_argument);
}

TEST_F(c_driver, abort_writes_its_bit)
{
    EXPECT_EQ(tl_abort(&probed()), tl_ok);
    EXPECT_THAT(host.deeds, ElementsAre("CTRL=2"));
}

TEST_F(c_driver, reset_waits_until_the_device_is_at_rest)
{
    probed();
    host.registers[TL_REG_STATUS] = TL_STATUS_BUSY_MASK;
    host.interrupt = false;
    host.at_wait = [this] {
        if (host.deeds.size() == 4) { host.registers[TL_REG_STATUS] = 0; }
    };
    EXPECT_EQ(tl_reset(&device, 1600), tl_ok);
    EXPECT_THAT(host.deeds, ElementsAre("CTRL=4", "wait", "wait", "wait"));
}

TEST_F(c_driver, reset_that_never_ends_is_stuck)
{
    probed();
    host.registers[TL_REG_STATUS] = TL_STATUS_BUSY_MASK;
    host.interrupt = false;
    EXPECT_EQ(tl_reset(&device, 4800), tl_reset_stuck);
    EXPECT_EQ(std::count(host.deeds.begin(), host.deeds.end(), "wait") * host.timeout, 4800u);
}

TEST(c_driver_texts, are_there_for_every_status_and_code)
{
    std::set<std::string> texts;
    for (int s = tl_ok; s <= tl_bad_argument; ++s) { texts.insert(tl_status_text(static_cast<tl_status>(s))); }
    EXPECT_EQ(texts.size(), static_cast<std::size_t>(tl_bad_argument) + 1);
    EXPECT_EQ(texts.count("unknown status"), 0u);
    EXPECT_STREQ(tl_error_text(TL_ERROR_CODE_CODE_TOO_LARGE), "problem larger than the device");
    EXPECT_STREQ(tl_error_text(17), "unknown error code");
}

} // namespace
} // namespace tensorloom::test
