// What of a shell is saved and comes back: registers, counters, latched halves, the interrupt; what is refused.
#include <sstream>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include "models/saved_state.h"
#include "models/shell/mixer_bench.h"
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

/// All registers, as a debugger sees them.
byte_string registers_of(shell_bench& b) { return debug_port<toil_device>{b.device}.read(0, reg::block_bytes); }

class shell_state_test : public shell_run_test {};

TEST_F(shell_state_test, registers_counters_and_interrupt_come_back)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        b.run(toil_program(123, 32));
        b.write(reg::counter_index, 1);
        b.read(reg::counter_value_lo);
        const auto registers = registers_of(b);
        const auto state = saved(b.device);

        b.write(reg::irq_status, isa::irq_done);
        b.write(reg::irq_enable, isa::irq_error);
        b.run(toil_program(9));
        b.write(reg::counter_index, 0);
        sc_core::wait(ns(100));
        EXPECT_FALSE(b.irq.read());
        EXPECT_NE(registers_of(b), registers);

        restore(b.device, state);
        EXPECT_EQ(registers_of(b), registers);
        EXPECT_EQ(saved(b.device), state);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        EXPECT_TRUE(b.irq.read());
        EXPECT_EQ(b.read_pair(reg::counter_value_lo), 32u);
        b.write(reg::irq_status, isa::irq_done);
        sc_core::wait(ns(10));
        EXPECT_FALSE(b.irq.read());
    });
}

// The upper half that the last read of the lower one latched.
TEST_F(shell_state_test, latched_halves_come_back)
{
    run([](shell_bench& b) {
        b.run(toil_program(50));
        b.read(reg::cycles_lo);
        const auto state = saved(b.device);
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 0u);
        restore(b.device, state);
        EXPECT_EQ(b.read(reg::cycles_hi), 0u);
        EXPECT_GT(b.read_pair(reg::cycles_lo), 50u);
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

TEST_F(shell_state_test, device_that_failed_still_says_why)
{
    run([](shell_bench& b) {
        b.run(toil_program(1, 16, 0x77)); // nothing is there
        EXPECT_EQ(b.error(), isa::error_code::bus_error);
        const auto state = saved(b.device);
        b.run(toil_program(1));
        EXPECT_EQ(b.error(), isa::error_code::none);
        restore(b.device, state);
        EXPECT_EQ(b.error(), isa::error_code::bus_error);
        EXPECT_EQ(b.read(reg::error_addr_lo), 0x77u);
        b.run(toil_program(1));
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

TEST_F(shell_state_test, restored_before_the_simulation_starts)
{
    shell_bench bench("bench", [](shell_bench& b) {
        EXPECT_EQ(b.read(reg::irq_enable), 0x5u);
        EXPECT_EQ(b.read(reg::program_addr_lo), 0x1230u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 99u);
        EXPECT_EQ(b.read_pair(reg::counter_value_lo), 77u);
    });
    const shell::device_config config = shell_bench::settings();
    std::ostringstream to;
    base::state_writer state(to, bench.device.kind(), base::configuration_text(config));
    state.put(isa::register_map_version);
    for (const auto& r : isa::registers) {
        state.put(r.offset == reg::irq_enable ? 0x5u : r.offset == reg::program_addr_lo ? 0x1230u : 0u);
    }
    state.put(std::uint64_t{99}); // cycles
    state.put(std::uint64_t{77}); // counters
    state.put(std::uint64_t{0});
    state.finish();
    restore(bench.device, to.str());
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

TEST_F(shell_state_test, refused_states_change_nothing)
{
    run([](shell_bench& b) {
        b.run(toil_program(10));
        const auto old = saved(b.device);
        b.run(toil_program(20, 16));
        const auto present = saved(b.device);
        ASSERT_NE(present, old);
        for (std::size_t at = 0; at < old.size(); ++at) {
            auto changed = old;
            changed[at] = static_cast<char>(changed[at] ^ 0x10);
            EXPECT_EQ(refusal(b.device, changed).rfind("bench.device: saved state: ", 0), 0u) << "byte " << at;
            EXPECT_NE(refusal(b.device, old.substr(0, at)), "") << "the first " << at;
        }
        EXPECT_EQ(saved(b.device), present);
        EXPECT_EQ(refusal(b.device, old), "");
        EXPECT_EQ(saved(b.device), old);
    });
}

TEST_F(shell_state_test, another_configuration_is_refused)
{
    auto other = shell_bench::settings();
    other.burst_bytes = 32;
    toil_device wide("wide", other, nullptr);
    toil_device same("same", shell_bench::settings(), nullptr);
    toil_device again("again", shell_bench::settings(), nullptr);
    EXPECT_NE(refusal(wide, saved(same)).find("it belongs to another configuration"), std::string::npos);
    EXPECT_EQ(refusal(again, saved(same)), "");
}

TEST_F(shell_state_test, busy_device_is_neither_saved_nor_restored)
{
    run([](shell_bench& b) {
        const auto idle = saved(b.device);
        b.start(toil_program(1000));
        EXPECT_EQ(refusal(b.device, idle), "bench.device: it is busy, expected an idle device to restore");
        EXPECT_THROW(saved(b.device), base::input_error);
        b.write(reg::ctrl, isa::ctrl_reset); // stays busy until it has stopped
        EXPECT_THROW(saved(b.device), base::input_error);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(refusal(b.device, idle), "");
    });
}

// ---- debug transport, of a device with a memory ----

class shell_debug_test : public bench_run_test<mixer_bench> {};

TEST_F(shell_debug_test, device_without_memories_has_none)
{
    toil_device device("toil", shell_bench::settings(), nullptr);
    EXPECT_TRUE(device.debug_memories().empty());
    EXPECT_TRUE(debug_port<toil_device>{device}.read(shell::debug_window, 4).empty());
}

TEST_F(shell_debug_test, local_memory_is_there_at_any_time)
{
    run([](mixer_bench& b) {
        debug_port<mixer_device> port{b.device};
        ASSERT_EQ(b.device.debug_memories().size(), 1u);
        EXPECT_EQ(b.device.debug_memories()[0].name, "local_memory");
        EXPECT_EQ(port.write(shell::debug_window + 250, byte_string(10, 3)), 6u);
        EXPECT_EQ(b.device.memory[249], 0);
        EXPECT_EQ(b.device.memory[255], 3);
        EXPECT_EQ(port.read(shell::debug_window + 254, 10), byte_string(2, 3));
        EXPECT_TRUE(port.read(shell::debug_window + 256, 1).empty());

        auto without_data = reading(shell::debug_window, 4);
        without_data.set_data_ptr(nullptr);
        EXPECT_EQ(port.send(without_data), 0u);
        auto ignored = reading(shell::debug_window, 4);
        ignored.set_command(tlm::TLM_IGNORE_COMMAND);
        EXPECT_EQ(port.send(ignored), 0u);
    });
}

TEST_F(shell_debug_test, memory_comes_back)
{
    run([](mixer_bench& b) {
        for (std::size_t i = 0; i < b.device.memory.size(); ++i) { b.device.memory[i] = static_cast<unsigned char>(i); }
        const auto bytes = b.device.memory;
        const auto state = saved(b.device);
        b.device.memory.assign(mixer_device::memory_bytes, 0);
        restore(b.device, state);
        EXPECT_EQ(b.device.memory, bytes);
    });
}

} // namespace
} // namespace tensorloom::test
