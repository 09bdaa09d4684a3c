// Sessions run on the device as on the reference: values, counts, errors; and the device goes on after an error.
#include "platform/mmv_machine.h"
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/program/shell_commands.h>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/workloads/mmv/session.h>
#include "platform/device_platform.h"
#include "support/mmv_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::mmv::event;
using arch::vector::opcode;
using integers = std::vector<std::int64_t>;

mmv::config small_device()
{
    mmv::config c;
    c.side = 4;
    c.scratchpad_bytes = 1u << 16;
    return c;
}

class mmv_machine_test : public sim_test {
protected:
    static constexpr std::uint64_t memory_bytes = testbench::machine_memory::program_bytes + (1u << 20);

    // What a host does beside a device.
    static void on_platform(const bus::host_thread::program_type& program)
    {
        testbench::platform_config config;
        config.memory.bytes = memory_bytes;
        config.protocol_checkers = true;
        testbench::device_platform<mmv::device<512>> platform("platform", small_device(), config, program);
        sc_core::sc_start();
        EXPECT_TRUE(platform.cpu.finished());
    }
    static testbench::device_mmv_machine machine_of(bus::host_thread& cpu, const arch::mmv::limits& limits)
    {
        return {cpu, testbench::device_base, limits, testbench::memory_base, memory_bytes};
    }
    static void on_device(const std::function<void(workloads::mmv_machine&)>& algorithm)
    {
        on_platform([&](bus::host_thread& cpu) {
            auto machine = machine_of(cpu, mmv::limits_of(small_device()));
            algorithm(machine);
        });
    }
    static void on_reference(const std::function<void(workloads::mmv_machine&)>& algorithm)
    {
        mmv_reference machine(mmv::limits_of(small_device()));
        algorithm(machine);
    }

    struct values_and_counts {
        integers values;
        arch::mmv::counts counts;
        std::uint64_t cycles = 0;
    };
    // Two programs: the second one goes on with what the first left in the scratchpad.
    static values_and_counts products(workloads::mmv_machine& machine)
    {
        workloads::mmv_session session(machine);
        const auto x = session.loaded(integers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        const auto r = session.loaded(integers{1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1});
        arch::mmv::matmul_command m;
        m.result = m.left = {x.address, 4, {}};
        m.weights = {r.address, 4, {}};
        m.words = 10;
        m.left_columns = m.result_columns = 4;
        session.add(m);
        session.run();
        session.loop(3);
        session.add(m);
        session.end();
        arch::vector::vector_command v;
        v.result.address = v.a.address = x.address;
        v.b.address = r.address;
        v.length = 8;
        session.add(opcode::add, v);
        values_and_counts found;
        session.store(x, found.values);
        session.run();
        found.counts = session.counts();
        found.cycles = session.cycles();
        for (auto e : {event::scratchpad_read, event::scratchpad_write}) { found.counts[e] = 0; }
        return found;
    }
};

TEST_F(mmv_machine_test, values_and_counts_are_those_of_the_reference)
{
    values_and_counts device, reference;
    on_device([&](workloads::mmv_machine& m) { device = products(m); });
    on_reference([&](workloads::mmv_machine& m) { reference = products(m); });
    EXPECT_EQ(device.values, reference.values);
    EXPECT_TRUE(device.counts == reference.counts);
    EXPECT_GT(device.cycles, 4u * (3 + 2 * 4 - 2));
}

TEST_F(mmv_machine_test, error_of_the_device_names_the_command_and_its_instruction)
{
    std::optional<workloads::mmv_error> error;
    integers after;
    on_device([&](workloads::mmv_machine& machine) {
        workloads::mmv_session session(machine);
        const auto x = session.loaded(integers{std::numeric_limits<std::int64_t>::max(), 1});
        arch::vector::vector_command v;
        v.result.address = v.a.address = v.b.address = x.address;
        v.length = 2;
        session.add(opcode::add, v);
        try {
            session.run();
        } catch (const workloads::mmv_error& e) {
            error = e;
        }
        session.store(x, after);
        session.run();
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), arch::error_code::arithmetic_overflow);
    EXPECT_EQ(error->command(), 1u);
    EXPECT_EQ(std::string(error->what()),
              "command 1 (add): the device reports: an integer result left the range of its words");
    EXPECT_EQ(after, (integers{-2, 2})); // wrapped
}

TEST_F(mmv_machine_test, memory_used_is_the_largest_program_and_the_data_up_to_its_end)
{
    on_platform([&](bus::host_thread& cpu) {
        auto machine = machine_of(cpu, mmv::limits_of(small_device()));
        EXPECT_EQ(machine.used_bytes(), 0u);
        const std::vector<std::uint8_t> data(40);
        machine.write(machine.data_base() + 100, data.data(), data.size());
        machine.write(machine.data_base(), data.data(), data.size());
        EXPECT_EQ(machine.used_bytes(), 140u);
        const std::size_t empty = arch::program_builder().bytes().size();
        arch::program_builder longer;
        longer.add(arch::opcode::loop, 0, 0, arch::loop_command{1}.encode());
        longer.add(arch::opcode::end, 0, 0, {});
        const auto program = longer.bytes();
        ASSERT_GT(program.size(), empty);
        machine.run(program);
        machine.run(arch::program_builder().bytes());
        EXPECT_EQ(machine.used_bytes(), 140u + program.size());
        std::vector<std::uint8_t> back(200);
        machine.read(machine.data_base(), back.data(), back.size());
        EXPECT_EQ(machine.used_bytes(), 200u + program.size());
    });
}

TEST_F(mmv_machine_test, another_device_than_the_limits_say_is_a_failure)
{
    auto limits = mmv::limits_of(small_device());
    limits.side = 8;
    on_platform([&](bus::host_thread& cpu) { EXPECT_THROW(machine_of(cpu, limits), arch::device_failure); });
}

} // namespace
