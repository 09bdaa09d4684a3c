// Sessions run on the device as on the reference: values, counts, errors; and the device goes on after an error.
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include "platform/mmv/mmv_testbed.h"
#include "support/mmv_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::vector::opcode;
using integers = std::vector<std::int64_t>;

mmv::config small_mmv()
{
    mmv::config c;
    c.side = 4;
    c.scratchpad_bytes = 1u << 16;
    return c;
}

class mmv_session_test : public sim_test {
protected:
    static constexpr std::uint64_t memory_bytes = testbench::session_memory::program_bytes + (1u << 20);

    // What a host does beside a device.
    static void on_platform(const bus::host_thread::program_type& program)
    {
        testbench::platform_config config;
        config.memory.bytes = memory_bytes;
        config.protocol_checkers = true;
        testbench::testbed_platform<mmv::traits> platform("platform", small_mmv(), config, program);
        sc_core::sc_start();
        EXPECT_TRUE(platform.cpu.finished());
    }
    static testbench::simulated_session<mmv::traits> session_of(bus::host_thread& cpu, const mmv::config& device)
    {
        return {cpu, testbench::device_base, device, testbench::memory_base, memory_bytes};
    }
    static void on_device(const std::function<void(workloads::mmv_session&)>& algorithm)
    {
        on_platform([&](bus::host_thread& cpu) {
            auto session = session_of(cpu, small_mmv());
            algorithm(session);
        });
    }
    static void on_reference(const std::function<void(workloads::mmv_session&)>& algorithm)
    {
        mmv_reference session(mmv::limits_of(small_mmv()));
        algorithm(session);
    }

    struct values_and_counts {
        integers values;
        mmv::counts counts;
        std::uint64_t cycles = 0;
    };
    // Two programs: the second one goes on with what the first left in the scratchpad.
    static values_and_counts products(workloads::mmv_session& session)
    {
        workloads::mmv_program_builder builder(session);
        const auto x = builder.loaded(integers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        const auto r = builder.loaded(integers{1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1});
        mmv::matmul_command m;
        m.result = m.left = {x.address, 4, {}};
        m.weights = {r.address, 4, {}};
        m.words = 10;
        m.left_columns = m.result_columns = 4;
        builder.add(m);
        builder.run();
        builder.loop(3);
        builder.add(m);
        builder.end();
        isa::vector::vector_command v;
        v.result.address = v.a.address = x.address;
        v.b.address = r.address;
        v.length = 8;
        builder.add(opcode::add, v);
        values_and_counts found;
        builder.store(x, found.values);
        builder.run();
        found.counts = builder.costs().counts;
        found.cycles = builder.costs().cycles;
        for (auto e : {mmv::event::scratchpad_read, mmv::event::scratchpad_write}) { found.counts[e] = 0; }
        return found;
    }
};

TEST_F(mmv_session_test, values_and_counts_are_those_of_the_reference)
{
    values_and_counts device, reference;
    on_device([&](workloads::mmv_session& m) { device = products(m); });
    on_reference([&](workloads::mmv_session& m) { reference = products(m); });
    EXPECT_EQ(device.values, reference.values);
    EXPECT_TRUE(device.counts == reference.counts);
    EXPECT_GT(device.cycles, 4u * (3 + 2 * 4 - 2));
}

TEST_F(mmv_session_test, error_of_the_device_names_the_command_and_its_instruction)
{
    std::optional<workloads::program_error> error;
    integers after;
    on_device([&](workloads::mmv_session& session) {
        workloads::mmv_program_builder builder(session);
        const auto x = builder.loaded(integers{std::numeric_limits<std::int64_t>::max(), 1});
        isa::vector::vector_command v;
        v.result.address = v.a.address = v.b.address = x.address;
        v.length = 2;
        builder.add(opcode::add, v);
        try {
            builder.run();
        } catch (const workloads::program_error& e) {
            error = e;
        }
        builder.store(x, after);
        builder.run();
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), isa::error_code::arithmetic_overflow);
    EXPECT_EQ(error->command(), 1u);
    EXPECT_EQ(std::string(error->what()),
              "command 1 (add): the device reports: an integer result exceeds the range of its words");
    EXPECT_EQ(after, (integers{-2, 2})); // wrapped
}

TEST_F(mmv_session_test, another_device_than_expected_is_a_failure)
{
    auto other = small_mmv();
    other.side = 8;
    on_platform([&](bus::host_thread& cpu) { EXPECT_THROW(session_of(cpu, other), isa::device_failure); });
}

} // namespace
