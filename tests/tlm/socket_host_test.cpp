// The port of drivers over a socket that a platform has.
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/tlm/socket_host.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>
#include "support/expected_report.h"
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"

namespace tensorloom::test {
namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using testing::ElementsAre;
using testing::HasSubstr;

/// A processor of a platform: its own socket, of any type, and a program in its own thread.
template <class Socket> struct platform_cpu : sc_core::sc_module {
    Socket data{"data"};
    std::function<void()> program;
    bool finished = false;

    explicit platform_cpu(sc_core::sc_module_name name) : sc_core::sc_module(name)
    {
        SC_HAS_PROCESS(platform_cpu);
        SC_THREAD(run);
    }

private:
    void run()
    {
        if (program) { program(); }
        finished = true;
    }
};

struct simple_cpu;
using simple_socket = tlm_utils::simple_initiator_socket<simple_cpu, 32>;

/// A standard socket with a backward path of its own, as frameworks derive theirs.
template <unsigned BUSWIDTH> struct own_socket : tlm::tlm_initiator_socket<BUSWIDTH>, tlm::tlm_bw_transport_if<> {
    explicit own_socket(const char* name) : tlm::tlm_initiator_socket<BUSWIDTH>(name)
    {
        this->bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&) override
    {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

template <class Socket, unsigned BUSWIDTH = 32> struct platform_bench {
    platform_cpu<Socket> cpu{"cpu"};
    byte_target<BUSWIDTH> memory{"memory", 4096};
    bus::socket_host port;

    explicit platform_bench(const bus::host_config& config = {}) : port("core 0", cpu.data, config)
    {
        cpu.data.bind(memory.in);
        memory.annotated = ns(10);
    }
};

template <class Bench> void expect_that_words_and_blocks_arrive()
{
    bus::host_config config;
    config.burst_bytes = 16;
    Bench bench(config);
    std::vector<unsigned char> sent(40), received(40);
    std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(3));
    std::uint32_t word = 0;
    bench.cpu.program = [&] {
        bench.port.write_word(8, 0x44332211);
        word = bench.port.read_word(8);
        bench.port.write_block(0x105, sent.data(), sent.size());
        bench.port.read_block(0x105, received.data(), received.size());
        bench.port.fence();
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished);
    EXPECT_EQ(word, 0x44332211u);
    EXPECT_EQ(bench.memory.bytes[8], 0x11);
    EXPECT_EQ(received, sent);
    EXPECT_THAT(bench.memory.addresses(), ElementsAre(8, 8, 0x105, 0x110, 0x120, 0x105, 0x110, 0x120));
    EXPECT_EQ(sc_time_stamp(), ns(80));
}

class socket_host_test : public sim_test {};

TEST_F(socket_host_test, words_and_blocks_arrive_over_a_simple_socket)
{
    expect_that_words_and_blocks_arrive<platform_bench<simple_socket>>();
}

TEST_F(socket_host_test, words_and_blocks_arrive_over_a_wide_socket_of_its_own)
{
    expect_that_words_and_blocks_arrive<platform_bench<own_socket<128>, 128>>();
}

TEST_F(socket_host_test, with_a_quantum_it_catches_up_at_a_fence)
{
    tlm_utils::tlm_quantumkeeper::set_global_quantum(ns(1000));
    platform_bench<simple_socket> bench;
    std::vector<sc_time> after;
    bench.cpu.program = [&] {
        bench.port.read_word(0);
        after.push_back(sc_time_stamp());
        bench.port.fence();
        after.push_back(sc_time_stamp());
    };
    sc_core::sc_start();
    EXPECT_THAT(after, ElementsAre(ns(0), ns(10)));
}

TEST_F(socket_host_test, interrupt_comes_by_a_line)
{
    platform_bench<simple_socket> bench;
    platform_cpu<simple_socket> device("device");
    byte_target<32> nothing("nothing", 4);
    device.data.bind(nothing.in);
    sc_core::sc_signal<bool> line("line");
    bench.port.watch(line);
    device.program = [&] {
        sc_core::wait(ns(50));
        line.write(true);
    };
    bench.cpu.program = [&] {
        EXPECT_FALSE(bench.port.wait_interrupt(20));
        EXPECT_EQ(sc_time_stamp(), ns(20));
        EXPECT_TRUE(bench.port.wait_interrupt(1000));
        EXPECT_EQ(sc_time_stamp(), ns(50));
        EXPECT_TRUE(bench.port.wait_interrupt(1000)) << "the interrupt is a level";
        EXPECT_EQ(sc_time_stamp(), ns(50));
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished);
}

TEST_F(socket_host_test, interrupt_comes_by_a_call)
{
    platform_bench<simple_socket> bench;
    platform_cpu<simple_socket> controller("controller");
    byte_target<32> nothing("nothing", 4);
    controller.data.bind(nothing.in);
    controller.program = [&] {
        sc_core::wait(ns(50));
        bench.port.set_interrupt(true);
        sc_core::wait(ns(10));
        bench.port.set_interrupt(false);
    };
    bench.cpu.program = [&] {
        EXPECT_TRUE(bench.port.wait_interrupt(1000));
        EXPECT_EQ(sc_time_stamp(), ns(50));
        sc_core::wait(ns(30));
        EXPECT_FALSE(bench.port.wait_interrupt(100));
        EXPECT_EQ(sc_time_stamp(), ns(180));
        bench.port.set_interrupt(true); // by the handler itself
        EXPECT_TRUE(bench.port.wait_interrupt(100));
        EXPECT_EQ(sc_time_stamp(), ns(180));
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished);
}

TEST_F(socket_host_test, without_a_source_the_interrupt_never_comes)
{
    platform_bench<simple_socket> bench;
    bench.cpu.program = [&] { EXPECT_FALSE(bench.port.wait_interrupt(70)); };
    sc_core::sc_start();
    EXPECT_EQ(sc_time_stamp(), ns(70));
}

TEST_F(socket_host_test, failed_access_names_the_host)
{
    platform_bench<simple_socket> bench;
    std::string message;
    bench.cpu.program = [&] {
        try {
            bench.port.write_word(0x5000, 1);
        } catch (const isa::bus_failure& failed) {
            message = failed.what();
        }
    };
    sc_core::sc_start();
    EXPECT_EQ(message, "core 0: TLM_ADDRESS_ERROR_RESPONSE at address 0x5000");
}

TEST_F(socket_host_test, bad_burst_is_an_error_of_elaboration)
{
    platform_cpu<simple_socket> cpu("cpu");
    bus::host_config config;
    config.burst_bytes = 12;
    const expected_report report("/tensorloom/socket_host/config");
    EXPECT_THROW(bus::socket_host("cpu", cpu.data, config), sc_core::sc_report);
    EXPECT_THAT(report.last_message(), HasSubstr("burst_bytes is 12"));
}

} // namespace
} // namespace tensorloom::test
