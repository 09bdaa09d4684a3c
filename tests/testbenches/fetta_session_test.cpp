// Contractions run on the device as on the reference, from an SRAM and from a DRAM; errors; and the device goes on
// after an error.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/contraction/run.h>
#include "platform/fetta/fetta_testbed.h"
#include "support/fetta_reference.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta_session = testbench::simulated_session<fetta::traits>;

constexpr std::uint64_t fetta_memory_bytes = testbench::session_memory::program_bytes + (1u << 20);

// What a host does beside a device.
void on_platform(const testbench::platform_config& config, const bus::host_thread::program_type& program)
{
    testbench::testbed_platform<fetta::traits> platform("platform", fetta::config{}, config, program);
    sc_core::sc_start();
    EXPECT_TRUE(platform.cpu.finished());
}

testbench::platform_config sram()
{
    testbench::platform_config config;
    config.memory.bytes = fetta_memory_bytes;
    config.protocol_checkers = true;
    return config;
}

testbench::platform_config dram()
{
    testbench::platform_config config;
    config.dram.emplace();
    config.protocol_checkers = true;
    return config;
}

fetta_session session_of(bus::host_thread& cpu)
{
    return {cpu, testbench::device_base, fetta::config{}, testbench::memory_base, fetta_memory_bytes};
}

struct operands {
    std::vector<float> a, b;
};

operands operands_of(const workloads::contraction& problem)
{
    operands x;
    for (std::size_t i = 0; i < problem.extent(problem.a); ++i) {
        x.a.push_back(static_cast<float>(static_cast<int>(i * 7 % 17) - 8));
    }
    for (std::size_t i = 0; i < problem.extent(problem.b); ++i) {
        x.b.push_back(static_cast<float>(static_cast<int>(i * 5 % 13) - 6) / 4);
    }
    return x;
}

workloads::contraction_run contracted(workloads::fetta_session& session, workloads::tensor_layout layout)
{
    const auto problem = workloads::parse_einsum("bik,kj->bji", "b=3,i=10,k=21,j=14");
    workloads::contraction_settings settings;
    settings.layout = layout;
    const auto plan = workloads::plan_contraction(problem, session.limits(), settings);
    const auto x = operands_of(problem);
    return workloads::run_contraction(session, plan, x.a, x.b);
}

class fetta_session_test : public sim_test {};

// One simulation per test.
class fetta_session_on_memory : public sim_test, public testing::WithParamInterface<bool> {};

TEST_P(fetta_session_on_memory, values_and_counts_are_those_of_the_reference)
{
    constexpr workloads::tensor_layout layouts[] = {
        workloads::tensor_layout::ideal, workloads::tensor_layout::conflicted, workloads::tensor_layout::offchip};
    std::vector<workloads::contraction_run> device, reference;
    on_platform(GetParam() ? dram() : sram(), [&](bus::host_thread& cpu) {
        auto session = session_of(cpu);
        for (const auto layout : layouts) { device.push_back(contracted(session, layout)); }
    });
    fetta_reference session(fetta::config{}.limits);
    for (const auto layout : layouts) { reference.push_back(contracted(session, layout)); }
    ASSERT_EQ(device.size(), 3u);
    for (std::size_t i = 0; i < device.size(); ++i) {
        EXPECT_EQ(device[i].c, reference[i].c);
        auto counts = device[i].total().counts;
        using fetta::event; // how the hardware does it, which a reference does not say
        for (const event e : {event::overlapped_cycle, event::vector_word_read, event::vector_word_write}) {
            counts[e] = 0;
        }
        EXPECT_TRUE(counts == reference[i].total().counts) << i;
        EXPECT_GT(device[i].total().cycles, 3u * 10 * 21 * 14 / 256);
    }
}
INSTANTIATE_TEST_SUITE_P(memories, fetta_session_on_memory, testing::Bool());

TEST_F(fetta_session_test, error_of_the_device_names_the_command_and_its_instruction)
{
    on_platform(sram(), [&](bus::host_thread& cpu) {
        auto session = session_of(cpu);
        isa::program_builder program;
        program.add(isa::opcode::nop);
        program.add(static_cast<isa::opcode>(fetta::opcode::contract), 0, 0,
                    std::vector<std::uint8_t>(fetta::contract_command::payload_bytes));
        std::optional<workloads::program_error> error;
        try {
            session.run(program.bytes());
        } catch (const workloads::program_error& e) {
            error = e;
        }
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), isa::error_code::bad_field);
        EXPECT_EQ(error->command(), 1u);
        EXPECT_EQ(std::string(error->what()), "command 1 (contract): the device reports: command field out of range");
        EXPECT_GT(contracted(session, workloads::tensor_layout::ideal).total().cycles, 0u); // it goes on
    });
}

} // namespace
