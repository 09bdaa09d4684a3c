#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>
#include <SimpleBusAT.h>
#include <SimpleBusLT.h>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/dma_socket.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include "conformance/partners/partner_messages.h"
#include "conformance/partners/partner_target.h"
#include "conformance/partners/partner_traffic_check.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

constexpr unsigned bytes = 1000; // not a whole number of bursts
constexpr unsigned burst_bytes = 64;
constexpr unsigned bursts = 15 + 2; // whole ones, then 32 and 8 bytes
constexpr std::uint64_t start = 0x40;
constexpr std::uint64_t memory_base = 0x10000000; // the partners' buses select a port by bits 28 to 31

unsigned char pattern(unsigned i) { return static_cast<unsigned char>(i * 11 + i / 256 + 3); }

/// Our DMA engine in a thread of its own. It writes a pattern to each base, reads it back, and remembers how long each
/// took.
class dma_master : public sc_core::sc_module {
public:
    bus::dma_socket<32> port;

    dma_master(const sc_core::sc_module_name& name, const bus::dma_config& config, std::vector<std::uint64_t> bases)
        : sc_core::sc_module(name), port("port"), dma(config), written(bytes), m_bases(std::move(bases))
    {
        SC_HAS_PROCESS(dma_master);
        dma.bind(port);
        for (unsigned i = 0; i < bytes; ++i) { written[i] = pattern(i); }
        SC_THREAD(run);
    }

    struct round {
        bool ok = false;
        sc_core::sc_time write_time;
        sc_core::sc_time read_time;
        std::vector<unsigned char> read = std::vector<unsigned char>(bytes);
    };
    bus::dma_engine dma;
    std::vector<unsigned char> written;
    std::vector<round> rounds; ///< one per base

private:
    void run()
    {
        for (const std::uint64_t base : m_bases) {
            rounds.emplace_back();
            round& r = rounds.back();
            const auto begin = sc_core::sc_time_stamp();
            const bool wrote = dma.write(base, written.data(), bytes, m_stop).ok();
            const auto middle = sc_core::sc_time_stamp();
            r.ok = dma.read(base, r.read.data(), bytes, m_stop).ok() && wrote;
            r.write_time = middle - begin;
            r.read_time = sc_core::sc_time_stamp() - middle;
        }
    }

    bus::stop_request m_stop;
    std::vector<std::uint64_t> m_bases;
};

/// Joins one initiator with two targets, the second at memory_base.
class crossing {
public:
    virtual ~crossing() = default;
    virtual void connect(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& first,
                         tlm::tlm_target_socket<>& second) = 0;
};

template <class Bus> class partner_bus : public crossing {
public:
    void connect(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& first,
                 tlm::tlm_target_socket<>& second) override
    {
        from.bind(m_bus.target_socket[0]);
        m_bus.initiator_socket[0].bind(first);
        m_bus.initiator_socket[1].bind(second);
    }

private:
    Bus m_bus{"bus"};
};

class our_router : public crossing {
public:
    our_router()
    {
        m_router.map(0, memory_base - 1, 0);
        m_router.map(memory_base, 2 * memory_base - 1, 1);
    }
    void connect(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& first,
                 tlm::tlm_target_socket<>& second) override
    {
        from.bind(m_router.in);
        m_router.out.bind(first);
        m_router.out.bind(second);
    }

private:
    bus::router<32> m_router{"bus", bus::router_config{}};
};

enum class bus_kind { their_lt_bus, their_at_bus, our_router };

std::unique_ptr<crossing> make(bus_kind kind)
{
    if (kind == bus_kind::their_lt_bus) { return std::make_unique<partner_bus<SimpleBusLT<1, 2>>>(); }
    if (kind == bus_kind::their_at_bus) { return std::make_unique<partner_bus<SimpleBusAT<1, 2>>>(); }
    return std::make_unique<our_router>();
}

memory::sram_config dma_memory_settings()
{
    memory::sram_config c;
    c.bytes = 0x1000;
    c.latency = ns(29);
    c.clock_period = ns(1);
    return c;
}
bus::dma_config dma_settings(bus::dma_transport transport, unsigned outstanding = 1)
{
    bus::dma_config c;
    c.burst_bytes = burst_bytes;
    c.clock_period = ns(1);
    c.transport = transport;
    c.outstanding = outstanding;
    return c;
}

/// Our DMA engine, a bus, a target of the partners at 0 and our memory at memory_base.
struct dma_bench {
    dma_bench(bus_kind through, target_kind answers, const bus::dma_config& config)
        : master("master", config, {start, memory_base + start}), master_side("master_side"),
          target_side("target_side"), memory_side("memory_side"), bus(make(through)),
          target(partner_target::make(answers, "target", 201)), memory("memory", dma_memory_settings()),
          address_stays_changed(through != bus_kind::our_router)
    {
        if (address_stays_changed) { master_side.tolerate(bus::protocol_rule::address_changed); }
        hear_partners();
        master.port.bind(master_side.in);
        bus->connect(master_side.out, target_side.in, memory_side.in);
        target_side.out.bind(target->in());
        memory_side.out.bind(memory.in);
    }
    void run()
    {
        sc_core::sc_start();
        ASSERT_EQ(master.rounds.size(), 2u);
        for (const auto& r : master.rounds) {
            EXPECT_TRUE(r.ok);
            EXPECT_EQ(r.read, master.written);
        }
        std::vector<unsigned char> expected(dma_memory_settings().bytes);
        std::copy(master.written.begin(), master.written.end(), expected.begin() + start);
        EXPECT_EQ(contents_behind(memory_side.out, expected.size()), expected);
        expect_no_violations({&master_side, &target_side, &memory_side});
        EXPECT_EQ(master_side.count(bus::protocol_rule::address_changed) != 0, address_stays_changed);
    }

    dma_master master;
    bus::protocol_checker<32> master_side;
    bus::protocol_checker<32> target_side;
    bus::protocol_checker<32> memory_side;
    std::unique_ptr<crossing> bus;
    std::unique_ptr<partner_target> target;
    memory::sram<32> memory;
    const bool address_stays_changed; ///< their buses leave the address that the target saw in the payload
};

struct dma_case {
    bus_kind through;
    target_kind answers;
    bus::dma_transport transport;
    unsigned outstanding;
};
std::ostream& operator<<(std::ostream& out, const dma_case& one)
{
    out << (one.through == bus_kind::our_router     ? "our_router"
            : one.through == bus_kind::their_lt_bus ? "their_lt_bus"
                                                    : "their_at_bus");
    out << "_to_" << one.answers;
    return out << (one.transport == bus::dma_transport::blocking ? "_blocking_" : "_non_blocking_") << one.outstanding;
}
std::vector<dma_case> all_cases()
{
    std::vector<dma_case> cases;
    for (const auto through : {bus_kind::their_lt_bus, bus_kind::their_at_bus, bus_kind::our_router}) {
        for (const auto answers : {target_kind::lt, target_kind::lt_synch, target_kind::at_one, target_kind::at_two,
                                   target_kind::at_four, target_kind::at_unordered}) {
            for (const auto transport : {bus::dma_transport::blocking, bus::dma_transport::non_blocking}) {
                for (const unsigned outstanding : {1u, 4u}) {
                    cases.push_back({through, answers, transport, outstanding});
                }
            }
        }
    }
    return cases;
}

class dma_partner : public sim_test_with_param<dma_case> {};

TEST_P(dma_partner, copies_to_their_target_and_to_our_memory)
{
    const dma_case& c = GetParam();
    dma_bench bench(c.through, c.answers, dma_settings(c.transport, c.outstanding));
    // Their AT bus takes a BEGIN_RESP of any transaction for the END_REQ that it waits for.
    const bool early_requests = c.through == bus_kind::their_at_bus && c.answers == target_kind::at_four &&
                                c.transport == bus::dma_transport::non_blocking && c.outstanding > 1;
    if (early_requests) { bench.target_side.tolerate(bus::protocol_rule::request_exclusion); }
    bench.run();
    EXPECT_EQ(bench.target_side.count(bus::protocol_rule::request_exclusion) != 0, early_requests);
    EXPECT_EQ(bench.master_side.transactions(), 4 * bursts);
    EXPECT_EQ(bench.target_side.transactions(), 2 * bursts);
    EXPECT_EQ(bench.memory_side.transactions(), 2 * bursts);
}
INSTANTIATE_TEST_SUITE_P(, dma_partner, testing::ValuesIn(all_cases()), testing::PrintToStringParamName());

class dma_partner_time : public sim_test_with_param<target_kind> {};

TEST_P(dma_partner_time, burst_takes_what_their_target_annotates)
{
    dma_bench bench(bus_kind::their_lt_bus, GetParam(), dma_settings(bus::dma_transport::blocking));
    bench.run();
    const auto accept = partner_target::accept_delay();
    EXPECT_EQ(bench.master.rounds[0].write_time, bursts * (accept + partner_target::write_delay()));
    EXPECT_EQ(bench.master.rounds[0].read_time, bursts * (accept + partner_target::read_delay()));
}
INSTANTIATE_TEST_SUITE_P(, dma_partner_time, testing::Values(target_kind::lt, target_kind::lt_synch),
                         testing::PrintToStringParamName());

class dma_partner_dmi : public sim_test {};

TEST_F(dma_partner_dmi, pointer_that_their_target_takes_back_during_the_copy)
{
    auto config = dma_settings(bus::dma_transport::blocking);
    config.use_dmi = bus::dmi_use::on;
    dma_bench bench(bus_kind::our_router, target_kind::lt_dmi, config);
    bench.run();
    // Their target allows DMI from 250 ns to 1250 ns, so the copy goes both ways; our memory always does.
    EXPECT_GT(bench.target_side.transactions(), 0u);
    EXPECT_LT(bench.target_side.transactions(), 2 * bursts);
    EXPECT_EQ(bench.memory_side.transactions(), 0u);
    const auto direct = bench.master.dma.counts()[static_cast<std::size_t>(bus::dma_event::dmi_byte)];
    EXPECT_GT(direct, 2 * bytes);
    EXPECT_LT(direct, 4 * bytes);
}

} // namespace
} // namespace tensorloom::test
