// Everything that can be done to a device, at random, while other initiators load its bus: registers, programs and
// memory are always as the
// reference models say.
#include <algorithm>
#include <memory>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/width_adapter.h>
#include "integration/random_host.h"
#include "integration/random_initiator.h"
#include "integration/random_transactions.h"
#include "support/sim_test.h"
#include "tlm/payload.h"

namespace tensorloom::test {
namespace {

constexpr std::uint64_t registers_at = 0x4000'0000;
constexpr std::uint64_t registers_bytes = 8192; // of which the device answers the first half
constexpr std::uint64_t memory_at = 0x8000'0000;
constexpr std::uint64_t memory_bytes = 64u << 10;
constexpr std::uint64_t nowhere = 0x9000'0000;

/// Host, device and its memory; two more initiators with a DRAM. All behind one router, every connection behind a
/// checker.
class random_device_bench : public sc_core::sc_module {
public:
    using checker = bus::protocol_checker<64>;
    static constexpr std::uint64_t dram_at = 0x10'0000'0000;
    static constexpr std::uint64_t dram_bytes = 256u << 10;
    static constexpr unsigned initiators = 2;

    random_device_bench(sc_core::sc_module_name name, std::uint64_t seed)
        : sc_core::sc_module(name), dice(seed), router("router", router_settings(dice)),
          memory("memory", memory_settings(dice)), dram("dram"), device("device", device_settings(dice)),
          adapter("adapter"), irq("irq"), rst("rst")
    {
        programs.add("memory", memory_at, memory_bytes, false, true, true, true);
        traffic.add("dram", dram_at, dram_bytes, false, true, true, false);
        traffic.avoid(registers_at, registers_at + registers_bytes - 1);
        traffic.avoid(memory_at, memory_at + memory_bytes - 1);
        host = std::make_unique<random_host>("host",
                                             random_host::settings{dice.word(),
                                                                   random_transactions / 2,
                                                                   registers_at,
                                                                   {memory_at, memory_at + memory_bytes - 1, nowhere},
                                                                   1 | std::uint32_t{triada::event_count} << 8},
                                             programs);
        connect("host", host->out, router.in);
        for (unsigned port = 0; port < device.dma_ports(); ++port) {
            connect("dma_" + std::to_string(port), device.dma_port(port), router.in);
        }
        for (unsigned i = 0; i < initiators; ++i) {
            cpus.push_back(std::make_unique<random_initiator>(
                ("cpu_" + std::to_string(i)).c_str(),
                random_initiator::settings{dice.word(), i, initiators, random_transactions / 4, true}, traffic));
            connect("cpu_" + std::to_string(i), cpus.back()->out, router.in);
        }
        connect("memory", router.out, memory.in);
        connect("dram", router.out, dram.in);
        connect("registers", router.out, adapter.in);
        adapter.out.bind(device.regs);
        router.map(memory_at, memory_at + memory_bytes - 1, 0);
        router.map(dram_at, dram_at + dram_bytes - 1, 1);
        router.map(registers_at, registers_at + registers_bytes - 1, 2);
        device.irq.bind(irq);
        device.rst.bind(rst);
        host->irq.bind(irq);
        host->rst.bind(rst);
        tlm::tlm_global_quantum::instance().set(
            dice.of(std::vector<sc_core::sc_time>{ns(0), ns(1), ns(100), ns(1000)}));
    }

    random_source dice;
    bus_model programs;
    bus_model traffic;
    bus::router<64> router;
    memory::sram<64> memory;
    memory::dram<64> dram;
    triada::device<64> device;
    bus::width_adapter<64, 32> adapter;
    sc_core::sc_signal<bool> irq;
    sc_core::sc_signal<bool> rst;
    std::unique_ptr<random_host> host;
    std::vector<std::unique_ptr<random_initiator>> cpus;
    std::vector<std::unique_ptr<checker>> checkers;

private:
    static bus::router_config router_settings(random_source& d)
    {
        bus::router_config c;
        c.bytes_per_cycle = d.of(std::vector<unsigned>{0, 8, 64});
        c.arbitrate_blocking = d.one_in(3);
        return c;
    }
    static memory::sram_config memory_settings(random_source& d)
    {
        memory::sram_config c;
        c.bytes = memory_bytes;
        c.phases = d.of(std::vector<unsigned>{4, 2, 1});
        return c;
    }
    static triada::config device_settings(random_source& d)
    {
        triada::config c;
        c.mesh = {4, 4, 4};
        c.fidelity = d.one_in(2) ? triada::fidelity::fast : triada::fidelity::detailed;
        c.burst_bytes = d.of(std::vector<unsigned>{4, 16, 64, 4096});
        c.dma.outstanding = static_cast<unsigned>(d.between(1, 8));
        c.dma.transport = d.one_in(2) ? bus::dma_transport::blocking : bus::dma_transport::non_blocking;
        c.dma.use_dmi = static_cast<bus::dmi_use>(d.below(3));
        c.dma_ports = d.one_in(2) ? 1 : static_cast<unsigned>(d.between(2, 16));
        return c;
    }
    template <class From, class To> void connect(const std::string& name, From& from, To& to)
    {
        checkers.push_back(std::make_unique<checker>((name + "_checker").c_str(), bus::on_violation::count));
        for (const auto rule : planned_rules) { checkers.back()->tolerate(rule); }
        from.bind(checkers.back()->in);
        checkers.back()->out.bind(to);
    }

    // Before the start the DRAM gets random contents.
    void start_of_simulation() override
    {
        auto& m = traffic.at(0);
        auto t = writing(m.first, dice.bytes(m.size()));
        EXPECT_EQ(cpus[0]->out->transport_dbg(t), m.size());
        traffic.wrote(m, 0, t.data.data(), t.data.size());
    }
};

class random_device_test : public sim_test_with_param<std::uint64_t> {};

TEST_P(random_device_test, is_always_as_the_reference_says)
{
    random_device_bench bench("bench", GetParam());
    sc_core::sc_start();

    ASSERT_TRUE(bench.host->finished());
    EXPECT_EQ(bench.host->wrongs(), 0u);
    EXPECT_TRUE(bench.host->payloads_are_back());
    illegal_counts planned = bench.host->tally().illegal;
    for (const auto& c : bench.cpus) {
        ASSERT_TRUE(c->finished()) << c->name();
        EXPECT_EQ(c->wrongs(), 0u) << c->name();
        EXPECT_EQ(c->taken(), c->freed()) << c->name();
        for (std::size_t i = 0; i < planned.size(); ++i) { planned[i] += c->tally().illegal[i]; }
    }
    EXPECT_EQ(bench.router.live(), 0u);

    illegal_counts seen{};
    for (const auto& c : bench.checkers) {
        EXPECT_EQ(c->violations(), 0u) << c->name() << ": " << (c->kept().empty() ? "" : c->kept().front().text);
        EXPECT_EQ(c->live(), 0u) << c->name();
    }
    const std::size_t initiators = 1 + bench.device.dma_ports() + bench.initiators;
    for (std::size_t initiator = 0; initiator < initiators; ++initiator) {
        for (std::size_t i = 0; i < seen.size(); ++i) { seen[i] += bench.checkers[initiator]->count(planned_rules[i]); }
    }
    EXPECT_EQ(seen, planned);

    // What lies in the DRAM at the end; the device's memory was compared after each program.
    auto& m = bench.traffic.at(0);
    auto t = reading(m.first, m.size());
    ASSERT_EQ(bench.cpus[0]->out->transport_dbg(t), m.size());
    EXPECT_EQ(bench.traffic.seen(m, 0, t.data.data(), t.data.size()), "");

    // The dice have tried everything.
    const auto& tally = bench.host->tally();
    for (const auto n :
         {tally.done, tally.failed, tally.aborted, tally.reset_by_register, tally.reset_by_pin, tally.debug}) {
        EXPECT_GT(n, 0u);
    }
    for (const auto n : tally.illegal) { EXPECT_GT(n, 0u); }
}

INSTANTIATE_TEST_SUITE_P(seeds, random_device_test, ::testing::Range<std::uint64_t>(1, 11));

} // namespace
} // namespace tensorloom::test
