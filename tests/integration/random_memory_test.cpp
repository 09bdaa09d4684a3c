// A million random transactions against router, SRAM, DRAM and ROM: every answer, every byte and every count is the
// reference model's.
#include <iterator>
#include <memory>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include "integration/bus_model.h"
#include "integration/random_initiator.h"
#include "integration/random_source.h"
#include "integration/random_transactions.h"
#include "support/sim_test.h"
#include "tlm/payload.h"

namespace tensorloom::test {
namespace {

constexpr unsigned initiators = 4;
constexpr std::uint64_t sram_at = 0x1'0000'0000;
constexpr std::uint64_t sram_bytes = 512u << 10;
constexpr std::uint64_t rom_at = sram_at + sram_bytes; // next to the SRAM: nothing may spill over
constexpr std::uint64_t rom_bytes = 128u << 10;
constexpr std::uint64_t dram_bytes = 512u << 10;  // of its addresses, the first ones
constexpr std::uint64_t dram_at = 0 - dram_bytes; // up to the end of all addresses

/// Initiators, router and memories, every connection behind a protocol checker; and somebody who resets memories and
/// takes DMI back.
class random_bench : public sc_core::sc_module {
public:
    using checker = bus::protocol_checker<64>;

    random_bench(sc_core::sc_module_name name, std::uint64_t seed)
        : sc_core::sc_module(name), dice(seed), router("router", router_settings()), sram("sram", sram_settings(dice)),
          rom("rom", rom_settings(dice)), dram("dram", dram_settings(dice)), sram_rst("sram_rst"), dram_rst("dram_rst")
    {
        SC_HAS_PROCESS(random_bench);
        model.add("sram", sram_at, sram_bytes, false, true, true, true);
        model.add("rom", rom_at, rom_bytes, true, false, false, true);
        model.add("dram", dram_at, dram_bytes, false, true, true, true);
        for (unsigned i = 0; i < initiators; ++i) {
            const std::string number = std::to_string(i);
            cpus.push_back(std::make_unique<random_initiator>(
                ("cpu_" + number).c_str(),
                random_initiator::settings{dice.word(), i, initiators, random_transactions / initiators, allow_dmi},
                model));
            auto& c = add_checker(initiator_side, "initiator_checker_" + number);
            cpus.back()->out.bind(c.in);
            c.out.bind(router.in);
        }
        bind_target("sram", sram.in);
        bind_target("rom", rom.in);
        bind_target("dram", dram.in);
        router.map(sram_at, sram_at + sram_bytes - 1, 0);
        router.map(rom_at, rom_at + rom_bytes - 1, 1);
        router.map(dram_at, UINT64_MAX, 2);
        sram.rst.bind(sram_rst);
        dram.rst.bind(dram_rst);
        tlm::tlm_global_quantum::instance().set(
            dice.of(std::vector<sc_core::sc_time>{ns(0), ns(1), ns(100), ns(1000)}));
        SC_THREAD(disturb);
    }

    bool all_finished() const
    {
        return std::all_of(cpus.begin(), cpus.end(), [](const auto& c) { return c->finished(); });
    }
    traffic_tally tally() const
    {
        traffic_tally sum;
        for (const auto& c : cpus) { sum.add(c->tally()); }
        return sum;
    }

    random_source dice;
    bool allow_dmi = true;
    bus_model model;
    bus::router<64> router;
    memory::sram<64> sram;
    memory::sram<64> rom;
    memory::dram<64> dram;
    sc_core::sc_signal<bool> sram_rst;
    sc_core::sc_signal<bool> dram_rst;
    std::vector<std::unique_ptr<random_initiator>> cpus;
    std::vector<std::unique_ptr<checker>> initiator_side;
    std::vector<std::unique_ptr<checker>> target_side;
    std::uint64_t disturbances = 0;

private:
    bus::router_config router_settings()
    {
        bus::router_config c;
        c.latency = dice.time(3'000);
        c.bytes_per_cycle = dice.of(std::vector<unsigned>{0, 4, 16, 64});
        c.arbitration = dice.of(
            std::vector<bus::arbitration_kind>(std::begin(bus::arbitration_kinds), std::end(bus::arbitration_kinds)));
        c.ranks = {{1}, {5}};
        c.queue_depth = static_cast<unsigned>(dice.between(1, 8));
        c.arbitrate_blocking = dice.one_in(3);
        c.allow_dmi = allow_dmi = !dice.one_in(4);
        return c;
    }
    static void draw_port(random_source& d, bus::at_target_config& c)
    {
        c.phases = d.of(std::vector<unsigned>{4, 4, 2, 1});
        c.queue_depth = static_cast<unsigned>(d.between(1, 20));
    }
    static memory::sram_config sram_settings(random_source& d)
    {
        memory::sram_config c;
        draw_port(d, c);
        c.bytes = sram_bytes;
        c.latency = d.time(10'000);
        c.bytes_per_cycle = d.of(std::vector<unsigned>{8, 32, 64});
        c.ports = static_cast<unsigned>(d.between(1, 3));
        c.banks = 1u << d.below(5);
        return c;
    }
    static memory::sram_config rom_settings(random_source& d)
    {
        memory::sram_config c = sram_settings(d);
        c.bytes = rom_bytes;
        c.read_only = true;
        c.streaming_bursts = false;
        c.tolerance.zero_streaming_width = false;
        return c;
    }
    static memory::dram_settings dram_settings(random_source& d)
    {
        memory::dram_settings s;
        draw_port(d, s);
        s.allow_dmi = true;
        return s;
    }

    checker& add_checker(std::vector<std::unique_ptr<checker>>& side, const std::string& name)
    {
        side.push_back(std::make_unique<checker>(name.c_str(), bus::on_violation::count));
        auto& c = *side.back();
        for (const auto rule : planned_rules) { c.tolerate(rule); }
        return c;
    }
    template <class Socket> void bind_target(const std::string& name, Socket& socket)
    {
        auto& c = add_checker(target_side, name + "_checker");
        router.out.bind(c.in);
        c.out.bind(socket);
    }

    // Before the start: random contents, by debug transport.
    void start_of_simulation() override
    {
        for (unsigned i = 0; i < model.memories(); ++i) {
            auto& m = model.at(i);
            auto bytes = dice.bytes(m.size());
            auto t = writing(m.first, bytes);
            EXPECT_EQ(cpus[0]->out->transport_dbg(t), m.size());
            model.wrote(m, 0, bytes.data(), bytes.size());
        }
    }

    void expect_no_grant(const bus_model::memory& m) const
    {
        for (const auto& c : cpus) { EXPECT_FALSE(c->holds_grant(m.first, m.last)) << c->name() << ", " << m.name; }
    }

    void disturb()
    {
        while (!all_finished()) {
            wait(dice.time(3'000'000));
            ++disturbances;
            auto& m = model.at(dice.one_in(2) ? 0 : 2);
            auto& rst = m.first == sram_at ? sram_rst : dram_rst;
            switch (dice.below(3)) {
            case 0:
                for (auto& c : cpus) { c->note_reset(m); }
                rst.write(true);
                wait(sc_core::SC_ZERO_TIME);
                wait(sc_core::SC_ZERO_TIME);
                expect_no_grant(m);
                wait(dice.time(20'000));
                rst.write(false);
                wait(sc_core::SC_ZERO_TIME);
                break;
            case 1:
                m.first == sram_at ? sram.invalidate_dmi() : dram.invalidate_dmi();
                expect_no_grant(m);
                break;
            default:
                m.grants_dmi = !m.grants_dmi;
                m.first == sram_at ? sram.set_dmi_allowed(m.grants_dmi) : dram.set_dmi_allowed(m.grants_dmi);
                if (!m.grants_dmi) { expect_no_grant(m); }
                break;
            }
        }
    }
};

class random_memory_test : public sim_test_with_param<std::uint64_t> {};

TEST_P(random_memory_test, every_transaction_is_answered_as_the_reference_says)
{
    random_bench bench("bench", GetParam());
    sc_core::sc_start();

    ASSERT_TRUE(bench.all_finished());
    const auto sent = bench.tally();
    EXPECT_GE(sent.transactions(), random_transactions);
    std::uint64_t answered = 0;
    for (const auto n : sent.answers) { answered += n; }
    EXPECT_EQ(answered, sent.blocking + sent.non_blocking);
    for (const auto& c : bench.cpus) {
        EXPECT_EQ(c->wrongs(), 0u) << c->name();
        EXPECT_EQ(c->taken(), c->freed()) << c->name();
        EXPECT_EQ(c->live_extensions(), 0u) << c->name();
    }

    // The router saw them all, and holds none.
    EXPECT_EQ(bench.router.live(), 0u);
    const auto count = [&](bus::router_event e) { return bench.router.counts()[static_cast<std::size_t>(e)]; };
    EXPECT_EQ(count(bus::router_event::transaction), sent.forwarded);
    EXPECT_EQ(count(bus::router_event::unmapped), sent.unmapped);

    // The only violations are those that were planned; behind the router those of forwarded transactions.
    std::array<std::uint64_t, planned_rules.size()> seen{};
    std::uint64_t begun = 0;
    for (const auto& c : bench.initiator_side) {
        for (std::size_t i = 0; i < seen.size(); ++i) { seen[i] += c->count(planned_rules[i]); }
        begun += c->transactions();
    }
    EXPECT_EQ(seen, sent.illegal);
    EXPECT_EQ(begun, sent.blocking + sent.non_blocking);
    begun = 0;
    for (const auto& c : bench.target_side) { begun += c->transactions(); }
    EXPECT_EQ(begun, sent.forwarded);
    for (const auto* side : {&bench.initiator_side, &bench.target_side}) {
        for (const auto& c : *side) {
            EXPECT_EQ(c->violations(), 0u) << c->name() << ": " << (c->kept().empty() ? "" : c->kept().front().text);
            EXPECT_EQ(c->live(), 0u) << c->name();
        }
    }
    EXPECT_EQ(bench.sram.protocol_errors() + bench.rom.protocol_errors() + bench.dram.protocol_errors(), 0u);

    // What lies in the memories at the end.
    for (unsigned i = 0; i < bench.model.memories(); ++i) {
        auto& m = bench.model.at(i);
        auto t = reading(m.first, m.size());
        ASSERT_EQ(bench.cpus[0]->out->transport_dbg(t), m.size()) << m.name;
        EXPECT_EQ(bench.model.seen(m, 0, t.data.data(), t.data.size()), "");
    }

    // The dice have tried everything.
    for (const auto n : sent.illegal) { EXPECT_GT(n, 0u); }
    for (std::size_t i = 0; i < sent.answers.size(); ++i) {
        EXPECT_EQ(sent.answers[i] == 0, 1 - static_cast<int>(i) == tlm::TLM_INCOMPLETE_RESPONSE) << i;
    }
    for (const auto n : {sent.blocking, sent.non_blocking, sent.debug, sent.dmi_requests, bench.disturbances}) {
        EXPECT_GT(n, 0u);
    }
    EXPECT_EQ(sent.dmi_accesses > 0, bench.allow_dmi);
}

INSTANTIATE_TEST_SUITE_P(seeds, random_memory_test, ::testing::Range<std::uint64_t>(1, 11));

} // namespace
} // namespace tensorloom::test
