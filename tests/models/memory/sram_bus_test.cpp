// The memory as a module on the bus: non-blocking traffic, several ways in at a time, reset, DMI taken back.
#include <map>
#include <random>
#include <gmock/gmock.h>
#include <tensorloom/models/memory/sram.h>
#include "support/sim_test.h"
#include "tlm/at_initiator.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using bytes = std::vector<unsigned char>;
using sc_core::wait;
using initiator = at_initiator<32>;

class sram_bus_test : public sim_test {
protected:
    static memory::sram_config settings()
    {
        memory::sram_config c;
        c.bytes = 4096;
        c.latency = ns(5);
        c.clock_period = ns(1);
        c.bytes_per_cycle = 8;
        return c;
    }
    static std::uint64_t port_conflicts(const memory::sram_module& m) { return m.counts()[2]; }
    static std::uint64_t bank_conflicts(const memory::sram_module& m) { return m.counts()[3]; }
};

TEST_F(sram_bus_test, takes_a_word_every_clock)
{
    memory::sram<32> memory("memory", settings());
    initiator cpu("cpu");
    cpu.out.bind(memory.in);
    for (unsigned i = 0; i < 50; ++i) { cpu.requests.push_back({tlm::TLM_READ_COMMAND, 8 * i, bytes(8), {}, {}}); }
    sc_core::sc_start();
    for (unsigned i = 0; i < 50; ++i) {
        EXPECT_EQ(cpu.answers.at(i).begin_request, ns(i));
        EXPECT_EQ(cpu.answers.at(i).begin_response, ns(i + 6));
        EXPECT_TRUE(cpu.answers.at(i).dmi_hint);
    }
    EXPECT_TRUE(cpu.finished());
    EXPECT_THAT(cpu.errors, IsEmpty());
    EXPECT_EQ(port_conflicts(memory), 0u);
}

TEST_F(sram_bus_test, single_transactions_take_the_same_time_blocking_or_not)
{
    memory::sram<32> blocking("blocking", settings());
    memory::sram<32> phased("phased", settings());
    initiator at("at");
    at.out.bind(phased.in);
    std::vector<std::size_t> lengths = {1, 7, 8, 9, 64, 1000};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        at.requests.push_back({tlm::TLM_WRITE_COMMAND, 3, bytes(lengths[i]), ns(1000.0 * static_cast<double>(i)), {}});
    }
    std::vector<sc_core::sc_time> times;
    thread_initiator<32> lt("lt", [&](auto& self) {
        for (const auto length : lengths) {
            auto w = writing(3, bytes(length));
            times.push_back(self.send(w));
            wait(ns(1000));
        }
    });
    lt.out.bind(blocking.in);
    sc_core::sc_start();
    for (unsigned i = 0; i < lengths.size(); ++i) {
        EXPECT_EQ(at.answers.at(i).begin_response - at.answers.at(i).begin_request, times[i]) << lengths[i];
    }
}

TEST_F(sram_bus_test, blocking_and_non_blocking_accesses_wait_for_each_other_at_the_port)
{
    memory::sram<32> memory("memory", settings());
    initiator cpu("cpu");
    cpu.out.bind(memory.in);
    cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, bytes(80), ns(10), {}}); // port: 10 to 20
    cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, bytes(80), ns(15), {}}); // port: 20 to 30
    sc_core::sc_time delay;
    sc_core::sc_spawn([&] {
        wait(ns(12));
        auto r = reading(0, 8);
        cpu.out->b_transport(r, delay); // would be at the port from 12 on, gets it at 20, before the second
    });
    sc_core::sc_start();
    EXPECT_EQ(delay, ns(8 + 6));
    EXPECT_EQ(cpu.answers.at(0).begin_response, ns(25));
    EXPECT_EQ(cpu.answers.at(1).begin_response, ns(21 + 10 + 5));
    EXPECT_EQ(port_conflicts(memory), 8u + 6u);
    EXPECT_THAT(cpu.errors, IsEmpty());
}

TEST_F(sram_bus_test, conflicts_of_banks_are_counted_for_pipelined_requests)
{
    auto c = settings();
    c.ports = 2;
    c.banks = 4;
    memory::sram<32> memory("memory", c);
    initiator cpu("cpu");
    cpu.out.bind(memory.in);
    // Cycle       0  1  2  3  4
    // first       0  1  2  3        banks
    // second         -  0  1  2  3  taken at 1, where bank 1 is not free: the first is a bank ahead
    cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, bytes(32), {}, {}});
    cpu.requests.push_back({tlm::TLM_READ_COMMAND, 8, bytes(32), {}, {}});
    sc_core::sc_start();
    EXPECT_EQ(cpu.answers.at(0).begin_response, ns(4 + 5));
    EXPECT_EQ(cpu.answers.at(1).begin_response, ns(1 + 1 + 4 + 5));
    EXPECT_EQ(bank_conflicts(memory), 1u);
    EXPECT_EQ(port_conflicts(memory), 0u);
}

TEST_F(sram_bus_test, random_mixed_traffic_has_the_results_of_a_byte_array)
{
    constexpr unsigned count = 100000;
    auto c = settings();
    c.ports = 2;
    c.banks = 8;
    c.queue_depth = 5;
    memory::sram<32> memory("memory", c);
    initiator cpu("cpu");
    cpu.out.bind(memory.in);
    std::mt19937 random(9);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    cpu.how = [&] { return static_cast<initiator::ends_response>(below(3)); };
    cpu.response_delay = [&] { return below(8) == 0 ? ns(below(10)) : ns(0); };
    bytes model(c.bytes, 0);
    std::map<unsigned, bytes> expected;
    // The upper half belongs to blocking calls, which run among the others on the same socket.
    for (unsigned i = 0; i < count; ++i) {
        const bool reads = below(2) == 0;
        const unsigned length = 1 + below(below(10) == 0 ? 100 : 9);
        const unsigned address = below(50) == 0 ? 4090 + below(10) : below(2048 - length);
        bytes data(length);
        for (auto& b : data) { b = static_cast<unsigned char>(below(256)); }
        cpu.requests.push_back({reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, address, data, {}, {}});
        if (address + length > c.bytes) { continue; }
        if (reads) {
            expected[i] = bytes(model.begin() + address, model.begin() + address + length);
        } else if (address < 2048) {
            std::copy(data.begin(), data.end(), model.begin() + address);
        } else {
            cpu.requests.back().command = tlm::TLM_IGNORE_COMMAND;
        }
    }
    bool blocking_done = false;
    sc_core::sc_spawn([&] {
        bytes mirror(1024, 0);
        for (unsigned i = 0; i < 10000; ++i) {
            const unsigned at = below(1000);
            auto w = writing(2048 + at, {static_cast<unsigned char>(i), static_cast<unsigned char>(i >> 8)});
            sc_core::sc_time delay;
            cpu.out->b_transport(w, delay);
            mirror[at] = w.data[0];
            mirror[at + 1] = w.data[1];
            wait(delay);
            auto r = reading(2048, 1024);
            delay = {};
            cpu.out->b_transport(r, delay);
            ASSERT_EQ(r.data, mirror);
            wait(delay);
        }
        blocking_done = true;
    });
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
    EXPECT_TRUE(blocking_done);
    EXPECT_THAT(cpu.errors, IsEmpty());
    EXPECT_EQ(cpu.pool.taken, count);
    EXPECT_EQ(cpu.pool.freed, count);
    for (unsigned i = 0; i < count; ++i) {
        const auto& r = cpu.requests[i];
        const bool inside = r.command == tlm::TLM_IGNORE_COMMAND || r.address + r.data.size() <= c.bytes;
        ASSERT_EQ(cpu.answers.at(i).status, inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE) << i;
        if (const auto e = expected.find(i); e != expected.end() && r.address < 2048) {
            ASSERT_EQ(cpu.answers.at(i).data, e->second) << i;
        }
    }
    EXPECT_EQ(memory.protocol_errors(), 0u);
}

TEST_F(sram_bus_test, reset_frees_the_ports_keeps_the_contents_and_takes_back_dmi)
{
    memory::sram<32> memory("memory", settings());
    thread_initiator<32> cpu("cpu", [&](auto& self) {
        auto w = writing(0, bytes(4000, 0x5a)); // the port is taken for 500 ns
        self.send(w);
        const std::uint64_t words = memory.counts()[1];
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(self.out->get_direct_mem_ptr(w, dmi));
        memory.reset();
        ASSERT_THAT(self.invalidations(), ElementsAre(std::pair<std::uint64_t, std::uint64_t>(0, 4095)));
        auto r = reading(0, 8);
        EXPECT_EQ(self.send(r), ns(6));
        EXPECT_EQ(r.data, bytes(8, 0x5a));
        EXPECT_EQ(memory.counts()[1], words);
        memory.reset(); // nothing was granted since: nothing to take back
        EXPECT_EQ(self.invalidations().size(), 1u);
    });
    cpu.out.bind(memory.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
}

TEST_F(sram_bus_test, rising_edge_of_rst_resets)
{
    memory::sram<32> memory("memory", settings());
    sc_core::sc_signal<bool> rst("rst");
    memory.rst.bind(rst);
    initiator cpu("cpu");
    cpu.out.bind(memory.in);
    for (unsigned i = 0; i < 4; ++i) { cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, bytes(4000), {}, {}}); }
    cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, bytes(8), ns(400), {}});
    tlm::tlm_dmi dmi;
    sc_core::sc_spawn([&] {
        auto p = reading(0, 1);
        EXPECT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        wait(ns(300));
        rst = true;
        wait(ns(200));
        rst = false;
    });
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
    EXPECT_EQ(cpu.invalidations(), 1u);
    EXPECT_EQ(cpu.answers.at(0).status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(cpu.answers.at(1).status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    // The port takes the second from 500 on, and the END_REQ for it was annotated with 501: nothing may begin before.
    EXPECT_EQ(cpu.answers.at(0).begin_response, ns(501));
    EXPECT_EQ(cpu.answers.at(2).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(cpu.answers.at(4).status, tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(cpu.errors, IsEmpty());
    EXPECT_EQ(cpu.pool.freed, 5u);
}

TEST_F(sram_bus_test, dmi_is_taken_back_when_it_is_switched_off)
{
    memory::sram<32> memory("memory", settings());
    thread_initiator<32> cpu("cpu", [&](auto& self) {
        auto p = reading(0, 4);
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(self.out->get_direct_mem_ptr(p, dmi));
        memory.set_dmi_allowed(false);
        EXPECT_EQ(self.invalidations().size(), 1u);
        self.send(p);
        EXPECT_FALSE(p.is_dmi_allowed());
        EXPECT_FALSE(self.out->get_direct_mem_ptr(p, dmi));
        memory.set_dmi_allowed(true);
        EXPECT_TRUE(self.out->get_direct_mem_ptr(p, dmi));
        memory.invalidate_dmi();
        EXPECT_EQ(self.invalidations().size(), 2u);
        EXPECT_TRUE(self.out->get_direct_mem_ptr(p, dmi)); // may be asked for again
    });
    cpu.out.bind(memory.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
}

TEST_F(sram_bus_test, time_is_waited_for_where_that_is_wanted)
{
    auto c = settings();
    c.tolerance.wait_out_delay = true;
    memory::sram<32> memory("memory", c);
    thread_initiator<32> cpu("cpu", [&](auto& self) {
        auto p = reading(0, 16);
        EXPECT_EQ(self.send(p), ns(0));
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(7));
    });
    cpu.out.bind(memory.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
}

} // namespace
} // namespace tensorloom::test
