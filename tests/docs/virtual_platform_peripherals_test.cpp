// The peripherals of docs/examples/virtual_platform, each behind a host that accesses its registers.
#include <sstream>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/tlm/host_thread.h>
#include "console.h"
#include "exit_register.h"
#include "interrupt_controller.h"
#include "memory_map.h"
#include "support/sim_test.h"
#include "timer.h"

namespace tensorloom::virtual_platform {
namespace {

using sc_core::SC_NS;

class virtual_platform_peripherals : public test::sim_test {
protected:
    /// Runs a program on a host whose only target is this peripheral.
    template <class Peripheral> static void drive(Peripheral& peripheral, bus::host_thread::program_type program)
    {
        bus::host_thread cpu("cpu", std::move(program));
        sc_core::sc_signal<bool> interrupt("interrupt");
        cpu.bus.bind(peripheral.in);
        cpu.irq.bind(interrupt);
        bind_interrupt(peripheral, interrupt);
        sc_core::sc_start();
        EXPECT_TRUE(cpu.finished());
    }

private:
    static void bind_interrupt(register_block&, sc_core::sc_signal<bool>&) {}
    static void bind_interrupt(timer& t, sc_core::sc_signal<bool>& line) { t.irq.bind(line); }
    static void bind_interrupt(interrupt_controller& c, sc_core::sc_signal<bool>& line) { c.irq.bind(line); }
};

TEST_F(virtual_platform_peripherals, console_prints_what_is_written)
{
    std::ostringstream output;
    console peripheral("console", output);
    drive(peripheral, [&](bus::host_thread& cpu) {
        EXPECT_EQ(cpu.read_word(console_status), 1u);
        for (const char c : std::string("ok\n")) { cpu.write_word(console_data, static_cast<unsigned char>(c)); }
    });
    EXPECT_EQ(output.str(), "ok\n");
}

TEST_F(virtual_platform_peripherals, registers_take_aligned_words_only)
{
    timer peripheral("timer");
    drive(peripheral, [&](bus::host_thread& cpu) {
        std::uint16_t half = 0;
        EXPECT_THROW(cpu.read_block(timer_time_low, &half, sizeof half), isa::bus_failure);
        EXPECT_THROW(cpu.read_word(timer_compare_high + 4), isa::bus_failure);
        EXPECT_THROW(cpu.write_word(timer_time_low, 1), isa::bus_failure); // read-only
        EXPECT_EQ(cpu.read_word(timer_compare_high), ~0u);
    });
}

TEST_F(virtual_platform_peripherals, timer_interrupts_from_its_time_on)
{
    timer peripheral("timer");
    drive(peripheral, [&](bus::host_thread& cpu) {
        sc_core::wait(20, SC_NS);
        EXPECT_EQ(cpu.read_word(timer_time_low), 20u);
        cpu.write_word(timer_compare_low, 120);
        cpu.write_word(timer_compare_high, 0);
        EXPECT_TRUE(cpu.wait_interrupt(1000));
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(120, SC_NS));
        cpu.write_word(timer_compare_low, 300); // later: the interrupt ends
        sc_core::wait(1, SC_NS);
        EXPECT_FALSE(cpu.wait_interrupt(100));
        EXPECT_TRUE(cpu.wait_interrupt(1000));
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(300, SC_NS));
        cpu.write_word(timer_compare_high, 1u << 31); // beyond the end of simulated time
        sc_core::wait(1, SC_NS);
        EXPECT_FALSE(cpu.wait_interrupt(1'000'000));
    });
}

TEST_F(virtual_platform_peripherals, sources_are_claimed_in_order_and_pend_again_while_high)
{
    interrupt_controller peripheral("interrupts");
    sc_core::sc_vector<sc_core::sc_signal<bool>> line("line", source_end - 1);
    peripheral.source.bind(line);
    drive(peripheral, [&](bus::host_thread& cpu) {
        const auto is_high = [&] {
            sc_core::wait(1, SC_NS);
            return cpu.irq.read();
        };
        line[source_torus - 1].write(true);
        line[source_fetta - 1].write(true);
        EXPECT_FALSE(is_high()); // not enabled
        EXPECT_EQ(cpu.read_word(interrupt_pending), 1u << source_torus | 1u << source_fetta);
        EXPECT_EQ(cpu.read_word(interrupt_claim), 0u);

        cpu.write_word(interrupt_enable, 1u << source_torus | 1u << source_fetta);
        EXPECT_TRUE(is_high());
        EXPECT_EQ(cpu.read_word(interrupt_claim), unsigned{source_torus});
        EXPECT_EQ(cpu.read_word(interrupt_claim), unsigned{source_fetta});
        EXPECT_FALSE(is_high()); // both are claimed

        line[source_fetta - 1].write(false);
        cpu.write_word(interrupt_claim, source_fetta);
        EXPECT_FALSE(is_high());
        cpu.write_word(interrupt_claim, source_torus); // still high
        EXPECT_TRUE(is_high());
        cpu.write_word(interrupt_enable, 1u << source_fetta);
        EXPECT_FALSE(is_high());
        EXPECT_EQ(cpu.read_word(interrupt_pending), 1u << source_torus);
    });
}

TEST_F(virtual_platform_peripherals, exit_register_ends_the_simulation)
{
    exit_register peripheral("exit");
    bus::host_thread cpu("cpu", [](bus::host_thread& self) {
        self.write_word(0, 7);
        sc_core::wait(1, SC_NS);
        ADD_FAILURE() << "the simulation goes on";
    });
    cpu.bus.bind(peripheral.in);
    EXPECT_FALSE(peripheral.status());
    sc_core::sc_start();
    EXPECT_EQ(peripheral.status(), 7u);
}

} // namespace
} // namespace tensorloom::virtual_platform
