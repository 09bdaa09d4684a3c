// The driver for Linux' user space through a fake /dev/uio, whose device is a TriADA on a simulated bus. The platform,
// the addresses of the driver and those of the test come from one memory map.
#include <cerrno>
#include <fstream>
#include <iterator>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/export/memory_map_file.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/mapped_targets.h>
#include "models/isa/firmware/cube_example.h"
#include "models/isa/firmware/fake_uio.h"
#include "models/isa/firmware/host_port_for_c.h"
#include "support/sim_test.h"
#include "uio_board.h"

namespace tensorloom::test {
namespace {

constexpr const char* uio_path = "/dev/uio-of-a-model";
constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t short_ns = 20'000'000; // of waits that end without an interrupt

triada::config uio_device_config()
{
    triada::config c;
    c.mesh = {4, 4, 4};
    return c;
}
memory::sram_config uio_memory_config()
{
    memory::sram_config c;
    c.bytes = UIO_BOARD_BUFFER_BYTES;
    return c;
}

/// A host, a TriADA and a memory on a bus; and a file through which a driver reaches them.
struct uio_bench {
    uio_bench()
    {
        host.bus.bind(router.in);
        device.dma.bind(router.in);
        const auto map = isa::read_memory_map(TENSORLOOM_ROOT "/tests/models/isa/firmware/uio_board.yaml");
        bus::mapped_targets targets(router, map);
        targets.bind("buffer", sram.in);
        targets.bind("transform", device.regs);
        targets.expect_all();
        device.irq.bind(interrupt);
        host.irq.bind(interrupt);
    }

    /// Simulates; `user` runs in a thread, as the process whose driver opens the fake file.
    void run(std::function<void()> user)
    {
        m_program = [this, user = std::move(user)] { uio.serve(host, UIO_BOARD_TRANSFORM_BASE, user); };
        sc_core::sc_start();
        host.rethrow();
        EXPECT_TRUE(host.finished());
    }
    /// The memory's own bytes: what a process has mapped.
    tl_uio_buffer mapped_buffer()
    {
        tlm::tlm_generic_payload request;
        tlm::tlm_dmi direct;
        request.set_address(UIO_BOARD_BUFFER_BASE);
        EXPECT_TRUE(host.bus->get_direct_mem_ptr(request, direct));
        return {direct.get_dmi_ptr(), UIO_BOARD_BUFFER_BASE, UIO_BOARD_BUFFER_BYTES};
    }
    tl_status transform(cube_example& cube, std::uint64_t& cycles)
    {
        return transform_from_linux(uio_path, &buffer, cube.n, cube.x.data(), cube.matrices().data(), cube.y.data(),
                                    &cycles);
    }
    /// Opens, and writes a program that only ends, in `nops` commands and one more.
    tl_device opened(tl_uio& file, unsigned nops = 0)
    {
        EXPECT_EQ(tl_uio_open(&file, uio_path, &buffer), tl_ok);
        port = tl_uio_port(&file);
        tl_device found;
        EXPECT_EQ(tl_probe(&found, &port, TL_UIO_REGISTERS, UIO_BOARD_TRANSFORM_ID), tl_ok);
        tl_program_begin(&program, bytes, sizeof bytes);
        for (unsigned i = 0; i < nops; ++i) { tl_program_nop(&program, i); }
        tl_program_halt(&program, 77);
        EXPECT_EQ(tl_program_end(&program, &used), tl_ok);
        return found;
    }
    tl_status run_program(tl_device& on, std::uint64_t timeout_ns)
    {
        return tl_run(&on, bytes, used, UIO_BOARD_BUFFER_BASE, timeout_ns, &result);
    }

    bus::host_thread host{"host", [this](bus::host_thread&) {
                              buffer = mapped_buffer();
                              before();
                              m_program();
                          }};
    bus::router<32> router{"router", {}};
    triada::device<32> device{"device", uio_device_config()};
    memory::sram<32> sram{"sram", uio_memory_config()};
    sc_core::sc_signal<bool> interrupt{"interrupt"};
    std::function<void()> before = [] {}; ///< by the host, before the driver
    fake_uio uio{uio_path};
    tl_uio_buffer buffer{};
    tl_port port{};
    tl_program program{};
    std::uint8_t bytes[1024];
    std::size_t used = 0;
    tl_result result{};

private:
    std::function<void()> m_program;
};

class uio_driver : public sim_test {};

// The job, and what a driver finds after it.
struct finished_cube {
    cube_example cube;
    std::uint64_t cycles = 0;
    std::vector<std::uint64_t> counters;

    void read_counters(tl_device& device)
    {
        for (std::uint32_t e = 0; e < TL_TRIADA_EVENTS; ++e) {
            counters.push_back(0);
            EXPECT_EQ(tl_read_counter(&device, e, &counters.back()), tl_ok);
        }
    }
};

TEST_F(uio_driver, example_of_the_page_has_the_product_cycles_and_counters_of_firmware)
{
    uio_bench b;
    finished_cube by_firmware, by_uio;
    b.before = [&] {
        const auto bare = port_for_c(b.host);
        auto& cube = by_firmware.cube;
        EXPECT_EQ(transform_cube(&bare, UIO_BOARD_TRANSFORM_BASE, UIO_BOARD_BUFFER_BASE, cube.n, cube.x.data(),
                                 cube.matrices().data(), cube.y.data(), &by_firmware.cycles),
                  tl_ok);
        tl_device found;
        EXPECT_EQ(tl_probe(&found, &bare, UIO_BOARD_TRANSFORM_BASE, TL_TRIADA_ID), tl_ok);
        by_firmware.read_counters(found);
    };
    b.run([&] {
        EXPECT_EQ(b.transform(by_uio.cube, by_uio.cycles), tl_ok);
        EXPECT_TRUE(b.uio.is_closed());
        tl_uio file;
        auto found = b.opened(file);
        by_uio.read_counters(found);
        tl_uio_close(&file);
    });
    EXPECT_EQ(by_uio.cube.y, by_uio.cube.expected());
    EXPECT_EQ(by_firmware.cube.y, by_uio.cube.y);
    EXPECT_EQ(by_uio.cycles, by_firmware.cycles);
    EXPECT_GT(by_uio.cycles, 27u);
    EXPECT_EQ(by_uio.counters, by_firmware.counters);
    EXPECT_GT(by_uio.counters[TL_TRIADA_EVENT_MAC], 0u);
}

TEST_F(uio_driver, device_and_result_are_read_from_the_registers)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file);
        EXPECT_EQ(found.caps & TL_CAPS_FORMAT_MASK, TL_TYPE_F64);
        EXPECT_THAT(found.size, testing::ElementsAre(4, 4, 4));
        EXPECT_EQ(b.run_program(found, second_ns), tl_ok);
        EXPECT_EQ(b.result.token, 77u);
        EXPECT_EQ(b.result.commands_done, 1u);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, many_programs_each_end_with_their_interrupt)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file, 3);
        for (int i = 0; i < 20; ++i) { EXPECT_EQ(b.run_program(found, second_ns), tl_ok) << i; }
        EXPECT_EQ(b.result.commands_done, 4u);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, device_that_takes_longer_is_a_timeout_and_ends_later)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file);
        b.uio.hold_time(true);
        EXPECT_EQ(b.run_program(found, short_ns), tl_timeout);
        EXPECT_EQ(b.result.status, TL_STATUS_BUSY_MASK);
        EXPECT_EQ(tl_start(&found, UIO_BOARD_BUFFER_BASE), tl_busy);
        b.uio.hold_time(false);
        EXPECT_EQ(tl_finish(&found, second_ns, &b.result), tl_ok);
        EXPECT_EQ(b.result.status, TL_STATUS_DONE_MASK);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, interrupt_that_is_not_connected_is_told_apart_from_a_program_that_runs)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file);
        b.uio.connect_interrupt(false);
        EXPECT_EQ(b.run_program(found, short_ns), tl_no_interrupt);
        EXPECT_EQ(b.result.status, TL_STATUS_DONE_MASK);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, interrupts_of_another_device_do_not_end_the_wait)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file);
        b.uio.send_interrupt();
        EXPECT_EQ(b.run_program(found, second_ns), tl_ok);
        b.uio.hold_time(true);
        b.uio.send_interrupt();
        EXPECT_EQ(b.run_program(found, short_ns), tl_timeout);
        b.uio.hold_time(false);
        EXPECT_EQ(tl_finish(&found, second_ns, &b.result), tl_ok);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, line_that_another_device_holds_high_is_a_timeout)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file);
        b.uio.share_line(true);
        b.uio.hold_time(true);
        EXPECT_EQ(b.run_program(found, short_ns), tl_timeout);
        b.uio.hold_time(false);
        EXPECT_EQ(tl_finish(&found, second_ns, &b.result), tl_ok);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, abort_and_reset_reach_the_device)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        auto found = b.opened(file);
        b.uio.hold_time(true);
        EXPECT_EQ(b.run_program(found, short_ns), tl_timeout);
        EXPECT_EQ(tl_abort(&found), tl_ok);
        b.uio.hold_time(false);
        EXPECT_EQ(tl_finish(&found, second_ns, &b.result), tl_aborted);
        EXPECT_EQ(tl_reset(&found, second_ns), tl_ok);
        EXPECT_EQ(b.run_program(found, second_ns), tl_ok);
        tl_uio_close(&file);
    });
}

TEST_F(uio_driver, addresses_outside_of_registers_and_buffer_fail)
{
    uio_bench b;
    b.run([&] {
        tl_uio file;
        b.opened(file);
        std::uint32_t word = 0;
        EXPECT_EQ(b.port.read_word(b.port.context, TL_REG_VERSION, &word), 0);
        EXPECT_EQ(word, TL_VERSION);
        for (const std::uint64_t address : {0x1000ull, 0x2ull, ~0ull, UIO_BOARD_TRANSFORM_BASE}) {
            EXPECT_NE(b.port.read_word(b.port.context, address, &word), 0) << address;
            EXPECT_NE(b.port.write_word(b.port.context, address, word), 0) << address;
        }
        char byte[2] = {1, 2};
        const std::uint64_t end = UIO_BOARD_BUFFER_BASE + UIO_BOARD_BUFFER_BYTES;
        EXPECT_EQ(b.port.write_block(b.port.context, end - 2, byte, 2), 0);
        EXPECT_EQ(b.port.read_block(b.port.context, end - 2, byte, 2), 0);
        for (const std::uint64_t address : {end - 1, end, std::uint64_t{UIO_BOARD_BUFFER_BASE - 1}, std::uint64_t{0}}) {
            EXPECT_NE(b.port.write_block(b.port.context, address, byte, 2), 0) << address;
            EXPECT_NE(b.port.read_block(b.port.context, address, byte, 2), 0) << address;
        }
        tl_uio_close(&file);
    });
}

TEST(uio_file, that_cannot_be_opened_or_mapped_is_no_device)
{
    const tl_uio_buffer none{};
    tl_uio file;
    errno = 0;
    EXPECT_EQ(tl_uio_open(&file, "/dev/uio-that-is-not-there", &none), tl_no_device);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(tl_uio_open(&file, "/dev/null", &none), tl_no_device); // opens, but has nothing to map
    EXPECT_EQ(errno, ENODEV);
}

TEST(uio_example, is_on_the_page)
{
    const auto text = [](const char* path) {
        std::ifstream in(path, std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    EXPECT_THAT(
        text(TENSORLOOM_ROOT "/docs/firmware.md"),
        testing::HasSubstr("```c\n" + text(TENSORLOOM_ROOT "/tests/models/isa/firmware/uio_example.c") + "```\n"));
}

} // namespace
} // namespace tensorloom::test
