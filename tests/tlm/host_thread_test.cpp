#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/tlm/host_thread.h>
#include <tlm_utils/tlm_quantumkeeper.h>
#include "support/expected_report.h"
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"

namespace tensorloom::test {
namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A host in front of a memory whose accesses take 10 ns, and a wire that the test drives.
struct host_bench {
    bus::host_thread cpu;
    byte_target<32> memory;
    sc_core::sc_signal<bool> irq{"irq"};

    explicit host_bench(bus::host_thread::program_type program, const bus::host_config& config = {})
        : cpu("cpu", std::move(program), config), memory("memory", 4096)
    {
        cpu.bus.bind(memory.in);
        cpu.irq.bind(irq);
        memory.annotated = ns(10);
    }
};

/// Raises a signal at one time.
struct irq_source : sc_core::sc_module {
    sc_core::sc_out<bool> out{"out"};
    irq_source(sc_core::sc_module_name name, const sc_time& at) : sc_core::sc_module(name), m_at(at)
    {
        SC_HAS_PROCESS(irq_source);
        SC_THREAD(run);
    }

private:
    void run()
    {
        wait(m_at);
        out.write(true);
    }
    sc_time m_at;
};

class host_thread_test : public sim_test {};

TEST_F(host_thread_test, words_and_blocks_arrive)
{
    std::vector<unsigned char> sent(100), received(100);
    std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(1));
    std::uint32_t word = 0;
    host_bench bench([&](bus::host_thread& cpu) {
        cpu.write_word(4, 0x04030201);
        cpu.write_block(0x101, sent.data(), sent.size());
        word = cpu.read_word(4);
        cpu.read_block(0x101, received.data(), received.size());
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    EXPECT_EQ(word, 0x04030201u);
    EXPECT_EQ(received, sent);
    EXPECT_EQ(std::vector<unsigned char>(bench.memory.bytes.begin() + 0x101, bench.memory.bytes.begin() + 0x165), sent);
    EXPECT_THAT(std::vector<int>(bench.memory.bytes.begin() + 4, bench.memory.bytes.begin() + 8),
                ElementsAre(1, 2, 3, 4));
}

TEST_F(host_thread_test, a_block_is_cut_at_multiples_of_the_burst)
{
    std::vector<unsigned char> block(24);
    bus::host_config config;
    config.burst_bytes = 16;
    host_bench bench([&](bus::host_thread& cpu) { cpu.write_block(10, block.data(), block.size()); }, config);
    sc_core::sc_start();
    EXPECT_THAT(bench.memory.addresses(), ElementsAre(10, 16, 32));
    EXPECT_EQ(bench.memory.log[0].length, 6u);
    EXPECT_EQ(bench.memory.log[1].length, 16u);
    EXPECT_EQ(bench.memory.log[2].length, 2u);
}

TEST_F(host_thread_test, without_a_quantum_an_access_is_over_in_time_when_it_returns)
{
    std::vector<sc_time> after;
    host_bench bench([&](bus::host_thread& cpu) {
        for (int i = 0; i < 3; ++i) {
            cpu.read_word(0);
            after.push_back(sc_time_stamp());
        }
    });
    sc_core::sc_start();
    EXPECT_THAT(after, ElementsAre(ns(10), ns(20), ns(30)));
}

TEST_F(host_thread_test, with_a_quantum_it_runs_ahead_and_catches_up_at_the_quantum_and_at_a_fence)
{
    tlm_utils::tlm_quantumkeeper::set_global_quantum(ns(25));
    std::vector<sc_time> after;
    host_bench bench([&](bus::host_thread& cpu) {
        for (int i = 0; i < 4; ++i) {
            cpu.read_word(0);
            after.push_back(sc_time_stamp());
        }
        cpu.fence();
        after.push_back(sc_time_stamp());
        cpu.read_word(0);
    });
    sc_core::sc_start();
    EXPECT_THAT(after, ElementsAre(ns(0), ns(0), ns(30), ns(30), ns(40)));
    EXPECT_EQ(sc_time_stamp(), ns(50)) << "the last access counts, too";
    std::vector<sc_time> begun;
    for (const auto& access : bench.memory.log) { begun.push_back(access.time); }
    EXPECT_THAT(begun, ElementsAre(ns(0), ns(10), ns(20), ns(30), ns(40)));
}

TEST_F(host_thread_test, without_the_quantum_keeper_the_global_quantum_means_nothing)
{
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_time(1, sc_core::SC_MS));
    bus::host_config config;
    config.quantum_keeper = false;
    sc_time after;
    host_bench bench(
        [&](bus::host_thread& cpu) {
            cpu.read_word(0);
            after = sc_time_stamp();
        },
        config);
    sc_core::sc_start();
    EXPECT_EQ(after, ns(10));
}

TEST_F(host_thread_test, a_target_that_waits_counts_once)
{
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_time(1, sc_core::SC_MS));
    host_bench bench([&](bus::host_thread& cpu) {
        cpu.read_word(0);
        cpu.read_word(0);
    });
    bench.memory.intercept = [](tlm::tlm_generic_payload&, sc_time& delay) {
        sc_core::wait(delay + ns(7));
        delay = sc_core::SC_ZERO_TIME;
    };
    sc_core::sc_start();
    EXPECT_EQ(sc_time_stamp(), ns(34)) << "7 ns waited and 10 ns annotated, twice";
}

TEST_F(host_thread_test, waits_for_the_interrupt_from_its_own_time_on)
{
    tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_time(1, sc_core::SC_MS));
    bool early = true, came = false, still = false;
    sc_time gave_up, woke, then;
    host_bench bench([&](bus::host_thread& cpu) {
        cpu.read_word(0); // 10 ns ahead
        early = cpu.wait_interrupt(20);
        gave_up = sc_time_stamp();
        came = cpu.wait_interrupt(1000);
        woke = sc_time_stamp();
        still = cpu.wait_interrupt(1000);
        then = sc_time_stamp();
    });
    irq_source source("source", ns(50));
    source.out.bind(bench.irq);
    sc_core::sc_start();
    EXPECT_FALSE(early);
    EXPECT_EQ(gave_up, ns(30));
    EXPECT_TRUE(came);
    EXPECT_EQ(woke, ns(50));
    EXPECT_TRUE(still) << "the interrupt is a level";
    EXPECT_EQ(then, ns(50));
}

TEST_F(host_thread_test, the_longest_timeout_is_the_rest_of_time)
{
    bool came = true;
    sc_core::sc_signal<bool> irq("irq");
    bus::host_thread cpu("cpu", [&](bus::host_thread& self) { came = self.wait_interrupt(UINT64_MAX); });
    byte_target<32> target("target", 16);
    cpu.bus.bind(target.in);
    cpu.irq.bind(irq);
    sc_core::sc_start(sc_core::sc_time(1000, sc_core::SC_SEC));
    EXPECT_FALSE(cpu.finished());
    irq.write(true);
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_TRUE(cpu.finished());
    EXPECT_TRUE(came);
}

TEST_F(host_thread_test, an_unbound_interrupt_never_comes)
{
    bool came = true;
    bus::host_thread cpu("cpu", [&](bus::host_thread& self) { came = self.wait_interrupt(100); });
    byte_target<32> memory("memory", 16);
    cpu.bus.bind(memory.in);
    sc_core::sc_start();
    EXPECT_FALSE(came);
    EXPECT_EQ(sc_time_stamp(), ns(100));
}

TEST_F(host_thread_test, preload_takes_no_time_and_works_before_the_simulation)
{
    const std::vector<unsigned char> early{1, 2, 3};
    const std::vector<unsigned char> late{4, 5};
    sc_time after;
    host_bench bench([&](bus::host_thread& cpu) {
        cpu.preload(3, late.data(), late.size());
        after = sc_time_stamp();
    });
    bench.cpu.preload(0, early.data(), early.size());
    sc_core::sc_start();
    EXPECT_THAT(std::vector<int>(bench.memory.bytes.begin(), bench.memory.bytes.begin() + 6),
                ElementsAre(1, 2, 3, 4, 5, 0));
    EXPECT_EQ(after, sc_core::SC_ZERO_TIME);
}

TEST_F(host_thread_test, a_failed_access_is_a_bus_failure_that_the_program_can_catch)
{
    std::string message;
    host_bench bench([&](bus::host_thread& cpu) {
        try {
            cpu.read_word(0xabc000);
        } catch (const isa::bus_failure& failed) {
            message = failed.what();
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    EXPECT_THAT(message, HasSubstr("cpu: TLM_ADDRESS_ERROR_RESPONSE at address 0xabc000"));
}

TEST_F(host_thread_test, what_leaves_the_program_ends_the_simulation_and_is_kept)
{
    host_bench bench([](bus::host_thread& cpu) {
        cpu.read_word(0);
        throw std::out_of_range("the program's own");
    });
    const expected_report uncaught(sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_);
    try {
        sc_core::sc_start();
        FAIL() << "sc_start returned";
    } catch (const sc_core::sc_report& report) {
        EXPECT_THAT(report.what(), HasSubstr("the program's own"));
    }
    EXPECT_FALSE(bench.cpu.finished());
    EXPECT_EQ(sc_time_stamp(), ns(10));
    EXPECT_THROW(bench.cpu.rethrow(), std::out_of_range);
}

TEST_F(host_thread_test, a_killed_program_is_no_failure)
{
    host_bench bench([](bus::host_thread&) { sc_core::sc_get_current_process_handle().kill(); });
    sc_core::sc_start();
    EXPECT_FALSE(bench.cpu.finished());
    EXPECT_NO_THROW(bench.cpu.rethrow());
}

TEST_F(host_thread_test, a_bad_burst_is_an_error_of_elaboration)
{
    for (const unsigned burst : {0u, 2u, 48u, 1u << 21}) {
        bus::host_config config;
        config.burst_bytes = burst;
        EXPECT_THAT(bus::validate(config).value_or(""), HasSubstr("burst_bytes is " + std::to_string(burst)));
    }
    bus::host_config config;
    config.burst_bytes = 3;
    const expected_report report("/tensorloom/host_thread/config");
    EXPECT_THROW(bus::host_thread(
                     "cpu", [](bus::host_thread&) {}, config),
                 sc_core::sc_report);
    EXPECT_THAT(report.last_message(), HasSubstr("burst_bytes is 3"));
}

} // namespace
} // namespace tensorloom::test
