// A transfer over several DMA ports: who moves what and when, and how it ends.
#include <algorithm>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <gmock/gmock.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/dma_socket.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include "support/sim_test.h"
#include "tlm/at_responder.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_result;
using bus::dma_run;
using bus::dma_transport;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr unsigned bus_bytes = 4;

// A memory with a path for each initiator, blocking only.
class shared_memory : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<shared_memory, 32> in;

    struct access {
        int port;
        std::uint64_t address;
        unsigned length;
        sc_core::sc_time time;
    };
    std::vector<unsigned char> bytes;
    std::vector<access> log;
    sc_core::sc_time annotated;
    bool waits_inside = false;
    std::function<void(tlm::tlm_generic_payload&)> intercept;

    shared_memory(sc_core::sc_module_name name, std::size_t size) : sc_core::sc_module(name), in("in"), bytes(size)
    {
        in.register_b_transport(this, &shared_memory::b_transport);
    }

    std::vector<std::uint64_t> addresses_of(int port) const
    {
        std::vector<std::uint64_t> all;
        for (const auto& a : log) {
            if (a.port == port) { all.push_back(a.address); }
        }
        return all;
    }

private:
    void b_transport(int port, tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        log.push_back({port, t.get_address(), t.get_data_length(), sc_core::sc_time_stamp() + delay});
        delay += annotated;
        if (waits_inside) {
            wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        if (intercept) {
            intercept(t);
            if (t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) { return; }
        }
        unsigned char* at = bytes.data() + t.get_address();
        if (t.is_read()) { std::copy_n(at, t.get_data_length(), t.get_data_ptr()); }
        if (t.is_write()) { std::copy_n(t.get_data_ptr(), t.get_data_length(), at); }
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

// Ports with a checker each.
class ports_around : public sc_core::sc_module {
public:
    bus::dma_ports dma;
    bus::stop_request stop;
    std::vector<unsigned char> inside = std::vector<unsigned char>(1u << 16, untouched);
    dma_result result;
    sc_core::sc_time end;
    bool finished = false;
    std::function<void()> program;

    ports_around(sc_core::sc_module_name name, const bus::dma_config& config, unsigned ports)
        : sc_core::sc_module(name), dma(config, ports)
    {
        SC_HAS_PROCESS(ports_around);
        for (unsigned p = 0; p < ports; ++p) {
            const auto number = std::to_string(p);
            m_sockets.push_back(std::make_unique<bus::dma_socket<32>>(("port_" + number).c_str()));
            m_checkers.push_back(std::make_unique<bus::protocol_checker<32>>(("check_" + number).c_str()));
            dma.bind(*m_sockets.back());
            m_sockets.back()->bind(m_checkers.back()->in);
        }
        SC_THREAD(run);
    }

    void read(std::uint64_t address, std::uint64_t bytes) { result = dma.read(address, inside.data(), bytes, stop); }
    std::uint64_t count(dma_event e) const { return dma.counts()[static_cast<std::size_t>(e)]; }

protected:
    template <class Target> void bind_all(Target& target)
    {
        for (auto& c : m_checkers) { c->out.bind(target); }
    }

private:
    void run()
    {
        program();
        end = sc_core::sc_time_stamp();
        finished = true;
    }
    std::vector<std::unique_ptr<bus::dma_socket<32>>> m_sockets;
    std::vector<std::unique_ptr<bus::protocol_checker<32>>> m_checkers;
};

void fill(std::vector<unsigned char>& bytes)
{
    for (std::size_t i = 0; i < bytes.size(); ++i) { bytes[i] = dma_bench<>::pattern(i); }
}

class ports_bench : public ports_around {
public:
    shared_memory memory;

    ports_bench(sc_core::sc_module_name name, const bus::dma_config& config, unsigned ports)
        : ports_around(name, config, ports), memory("memory", 1u << 16)
    {
        bind_all(memory.in);
        fill(memory.bytes);
    }
};

// The ports reach a four-phase memory through a router.
class routed_ports_bench : public ports_around {
public:
    bus::router<32> router;
    at_responder<32> memory;

    routed_ports_bench(sc_core::sc_module_name name, const bus::dma_config& config, unsigned ports)
        : ports_around(name, config, ports), router("router", {}), memory("memory", 1u << 16)
    {
        bind_all(router.in);
        router.out.bind(memory.in);
        router.map(0, (1u << 16) - 1, 0);
        fill(memory.bytes);
    }
};

// ---- dealing ----

class dma_ports_test : public sim_test {
protected:
    std::vector<std::unique_ptr<ports_around>> m_benches;
};

TEST_F(dma_ports_test, one_port_sends_what_an_engine_sends_at_the_same_times)
{
    const auto transfers = [](auto& dma, auto& b) {
        dma.read(3, b.inside.data(), 1000, b.stop);
        dma.write(64, b.inside.data(), 333, b.stop);
        dma.read({{0, b.inside.data(), 24}, {100, b.inside.data() + 24, 60}}, b.stop);
    };
    const auto config = several_of(4, 64);
    dma_bench<> engine("engine", config, [&](dma_bench<>& b) { transfers(b.dma, b); });
    engine.target.annotated = ns(7);
    ports_bench ports("ports", config, 1);
    ports.program = [&] { transfers(ports.dma, ports); };
    ports.memory.annotated = ns(7);
    sc_core::sc_start();
    ASSERT_EQ(ports.memory.log.size(), engine.target.log.size());
    for (std::size_t i = 0; i < engine.target.log.size(); ++i) {
        EXPECT_EQ(ports.memory.log[i].address, engine.target.log[i].address);
        EXPECT_EQ(ports.memory.log[i].length, engine.target.log[i].length);
        EXPECT_EQ(ports.memory.log[i].time, engine.target.log[i].time);
    }
    EXPECT_EQ(ports.end, engine.end);
    EXPECT_TRUE(std::equal(ports.dma.counts(), ports.dma.counts() + bus::dma_events.size, engine.dma.counts()));
}

TEST_F(dma_ports_test, ports_take_chunks_in_turn_and_work_at_the_same_time)
{
    ports_bench bench("bench", several_of(8, 64), 4);
    bench.program = [&] { bench.read(0, 1024); }; // 1024 / (4 x 8) = 32 bytes in a chunk
    bench.memory.annotated = ns(10);
    sc_core::sc_start();
    EXPECT_THAT(bench.memory.addresses_of(0), ElementsAre(0, 128, 256, 384, 512, 640, 768, 896));
    EXPECT_THAT(bench.memory.addresses_of(3), ElementsAre(96, 224, 352, 480, 608, 736, 864, 992));
    // 8 chunks of 8 beats; the last is answered after 10 ns
    EXPECT_EQ(bench.end, ns(7 * 8 + 10));
    EXPECT_EQ(bench.count(dma_event::read_transaction), 32u);
    EXPECT_EQ(bench.count(dma_event::read_byte), 1024u);
    EXPECT_EQ(bench.count(dma_event::stalled_cycle), 4u * 2); // each waits for 2 ns after its last beat
}

class dma_ports_order_test : public sim_test_with_param<unsigned> {};

TEST_P(dma_ports_order_test, ports_that_send_at_one_time_do_so_in_their_order)
{
    tlm::tlm_global_quantum::instance().set(ns(GetParam()));
    ports_bench bench("bench", several_of(8, 64), 16);
    bench.program = [&] { bench.read(0, 1u << 14); };
    bench.memory.annotated = ns(3);
    sc_core::sc_start();
    const auto& log = bench.memory.log;
    ASSERT_EQ(log.size(), 256u);
    for (std::size_t i = 0; i < log.size(); ++i) {
        EXPECT_EQ(log[i].port, static_cast<int>(i % 16)) << i;
        EXPECT_EQ(log[i].time, log[i - i % 16].time) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(quantum_ns, dma_ports_order_test, testing::Values(0, 100, 10'000));

TEST_F(dma_ports_test, targets_that_wait_inside_the_call_serve_the_ports_together)
{
    ports_bench bench("bench", several_of(8, 64), 4);
    bench.program = [&] { bench.read(0, 1024); };
    bench.memory.annotated = ns(20);
    bench.memory.waits_inside = true;
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(8 * 20));
}

TEST_F(dma_ports_test, short_transfer_takes_one_port)
{
    ports_bench bench("bench", several_of(8, 64), 4);
    bench.program = [&] { bench.read(8, 4); };
    sc_core::sc_start();
    ASSERT_EQ(bench.memory.log.size(), 1u);
    EXPECT_EQ(bench.memory.log[0].port, 0);
    EXPECT_EQ(bench.end, ns(1));
}

TEST_F(dma_ports_test, nothing_to_move_takes_no_transaction_and_no_time)
{
    ports_bench bench("bench", several_of(8, 64), 4);
    bench.program = [&] { bench.read(8, 0); };
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_THAT(bench.memory.log, IsEmpty());
    EXPECT_EQ(bench.end, sc_core::SC_ZERO_TIME);
}

TEST_F(dma_ports_test, runs_do_not_overlap_when_they_may_not)
{
    for (const bool overlap : {true, false}) {
        auto config = several_of(8, 64);
        config.overlap_runs = overlap;
        auto bench = std::make_unique<ports_bench>(overlap ? "overlap" : "one_by_one", config, 2);
        bench->memory.annotated = ns(100);
        bench->program = [&b = *bench] {
            auto* to = b.inside.data();
            b.result = b.dma.read({{0, to, 64}, {256, to + 64, 64}, {512, to + 128, 64}}, b.stop);
        };
        m_benches.push_back(std::move(bench));
    }
    sc_core::sc_start();
    // A run has 16 chunks of a beat, 8 for each port, the last of which is answered 100 ns after 7 beats.
    EXPECT_EQ(m_benches[1]->end, ns(3 * 107));
    EXPECT_LT(m_benches[0]->end, ns(2 * 107));
    for (const auto& b : m_benches) { EXPECT_EQ(b->result.moved, 192u); }
}

// ---- any transfer ----

struct transfer_case {
    unsigned ports;
    dma_transport transport;
};
void PrintTo(const transfer_case& c, std::ostream* out)
{
    *out << c.ports << (c.transport == dma_transport::blocking ? " LT" : " AT");
}

class dma_ports_transfer_test : public sim_test_with_param<transfer_case> {
protected:
    // Runs of random sizes at random places that do not overlap.
    static std::vector<dma_run> random_runs(std::mt19937& random, unsigned char* inside)
    {
        std::vector<dma_run> runs;
        std::uint64_t address = random() % 200, bytes = 0;
        const unsigned count = 1 + random() % 40;
        const unsigned largest = random() % 2 == 0 ? 12 : 700;
        for (unsigned r = 0; r < count; ++r) {
            const std::uint64_t length = random() % largest;
            runs.push_back({address, inside + bytes, length});
            bytes += length;
            address += length + random() % 50;
        }
        return runs;
    }
    static std::uint64_t total(const std::vector<dma_run>& runs)
    {
        return std::accumulate(runs.begin(), runs.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const dma_run& r) { return sum + r.bytes; });
    }

    // Reads and writes: the bytes arrive, no others, and the counts say so.
    template <class Bench> static void check(Bench& b, unsigned seed)
    {
        std::mt19937 random(seed);
        std::uint64_t moved = 0;
        for (unsigned n = 0; n < 20; ++n) {
            std::fill(b.inside.begin(), b.inside.end(), untouched);
            const auto runs = random_runs(random, b.inside.data());
            const auto before = b.memory.bytes;
            const bool writes = n % 2 == 1;
            if (writes) {
                for (std::uint64_t i = 0; i < total(runs); ++i) { b.inside[i] = static_cast<unsigned char>(random()); }
                b.result = b.dma.write(runs, b.stop);
            } else {
                b.result = b.dma.read(runs, b.stop);
            }
            ASSERT_TRUE(b.result.ok());
            ASSERT_EQ(b.result.moved, total(runs));
            moved += total(runs);
            auto memory = before;
            std::vector<unsigned char> inside(b.inside.size(), untouched);
            for (const auto& r : runs) {
                const auto at = static_cast<std::size_t>(r.data - b.inside.data());
                if (writes) {
                    std::copy_n(r.data, r.bytes, memory.begin() + static_cast<std::ptrdiff_t>(r.address));
                } else {
                    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(r.address), r.bytes,
                                inside.begin() + static_cast<std::ptrdiff_t>(at));
                }
            }
            EXPECT_EQ(b.memory.bytes, memory);
            if (!writes) { EXPECT_EQ(b.inside, inside); }
        }
        EXPECT_EQ(b.count(dma_event::read_byte) + b.count(dma_event::write_byte), moved);
    }

    std::vector<std::unique_ptr<ports_around>> m_benches;
};

TEST_P(dma_ports_transfer_test, brings_the_bytes_and_no_others)
{
    for (unsigned seed = 0; seed < 10; ++seed) {
        const auto config = several_of(1 + seed % 5, 64u << seed % 3, GetParam().transport);
        const std::string name = "bench_" + std::to_string(seed);
        if (GetParam().transport == dma_transport::blocking) {
            auto made = std::make_unique<ports_bench>(name.c_str(), config, GetParam().ports);
            made->program = [&b = *made, seed] { check(b, seed); };
            made->memory.annotated = ns(seed);
            m_benches.push_back(std::move(made));
        } else {
            auto made = std::make_unique<routed_ports_bench>(name.c_str(), config, GetParam().ports);
            made->program = [&b = *made, seed] {
                check(b, seed);
                EXPECT_THAT(b.memory.wrongs, IsEmpty());
                EXPECT_EQ(b.memory.live(), 0u);
            };
            made->memory.latency = [seed] { return ns(seed); };
            m_benches.push_back(std::move(made));
        }
    }
    sc_core::sc_start();
    for (const auto& b : m_benches) { EXPECT_TRUE(b->finished) << b->name(); }
}

INSTANTIATE_TEST_SUITE_P(
    ports, dma_ports_transfer_test,
    testing::Values(transfer_case{2, dma_transport::blocking}, transfer_case{3, dma_transport::blocking},
                    transfer_case{16, dma_transport::blocking}, transfer_case{2, dma_transport::non_blocking},
                    transfer_case{5, dma_transport::non_blocking}, transfer_case{16, dma_transport::non_blocking}));

class dma_ports_share_test : public sim_test_with_param<unsigned> {};

TEST_P(dma_ports_share_test, shares_are_comparable)
{
    ports_bench bench("bench", several_of(8, 1024), GetParam());
    std::uint64_t at = 0;
    bench.program = [&] {
        for (const std::uint64_t bytes : {64u, 333u, 4096u, 10'000u, 40'004u}) {
            bench.memory.log.clear();
            bench.read(at, bytes);
            std::vector<std::uint64_t> shares(GetParam());
            for (const auto& a : bench.memory.log) { shares[static_cast<std::size_t>(a.port)] += a.length; }
            const double share = static_cast<double>(bytes) / GetParam();
            const double most = share * 9 / 8 + bus_bytes;
            EXPECT_LE(*std::max_element(shares.begin(), shares.end()), most) << bytes;
            EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}), bytes);
            ++at; // any alignment
        }
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

INSTANTIATE_TEST_SUITE_P(ports, dma_ports_share_test, testing::Values(2, 3, 5, 16));

// ---- errors, stops, time-outs ----

class dma_ports_end_test : public sim_test {
protected:
    // The next transfer is complete and right.
    template <class Bench> static void expect_clean(Bench& b)
    {
        std::fill(b.inside.begin(), b.inside.end(), untouched);
        b.read(0, 4096);
        EXPECT_TRUE(b.result.ok());
        EXPECT_TRUE(std::equal(b.inside.begin(), b.inside.begin() + 4096, b.memory.bytes.begin()));
        EXPECT_EQ(b.inside[4096], untouched);
    }

    std::vector<std::unique_ptr<ports_around>> m_benches;
};

// Chunks of 32 bytes, 8 beats: those at 128 k are the k-th of port 0, those at 128 k + 32 of port 1, and so on.
TEST_F(dma_ports_end_test, first_failure_in_the_order_of_bytes_is_told)
{
    ports_bench bench("bench", several_of(1, 64), 4);
    bench.memory.annotated = ns(10);
    bench.memory.intercept = [](tlm::tlm_generic_payload& t) {
        if (t.get_address() == 320) { t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); } // third of port 2
        if (t.get_address() == 352) { t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); } // third of port 3
    };
    bench.program = [&] {
        bench.read(0, 1024);
        EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
        EXPECT_EQ(bench.result.address, 320u);
        EXPECT_EQ(bench.result.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(bench.result.moved, 320u);
        EXPECT_EQ(bench.memory.log.size(), 12u) << "no port sends after the third bursts, which end at 30 ns";
        EXPECT_EQ(bench.count(dma_event::read_transaction), 10u);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(30));
        bench.memory.intercept = {};
        expect_clean(bench);
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

TEST_F(dma_ports_end_test, failure_of_one_port_stops_the_others_before_it_by_address)
{
    ports_bench bench("bench", several_of(1, 64), 2); // chunks of 64 bytes, 16 beats
    bench.memory.annotated = ns(20);
    bench.memory.intercept = [](tlm::tlm_generic_payload& t) {
        if (t.get_address() == 64) { t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); }
    };
    bench.program = [&] {
        bench.read(0, 1024);
        EXPECT_EQ(bench.result.address, 64u);
        EXPECT_EQ(bench.result.moved, 64u);
        EXPECT_THAT(bench.memory.addresses_of(0), ElementsAre(0));
        EXPECT_THAT(bench.memory.addresses_of(1), ElementsAre(64));
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

TEST_F(dma_ports_end_test, bytes_before_a_burst_that_was_not_sent_have_moved)
{
    // Port 0 is slow: when port 1 fails at its third burst, port 0 has moved only its first.
    ports_bench bench("bench", several_of(1, 64), 2);
    bench.memory.annotated = ns(20);
    bench.memory.waits_inside = true;
    bench.memory.intercept = [](tlm::tlm_generic_payload& t) {
        if (t.get_address() == 0) { sc_core::wait(ns(45)); }
        if (t.get_address() == 320) { t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); }
    };
    bench.program = [&] {
        bench.read(0, 1024);
        EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
        EXPECT_EQ(bench.result.address, 320u);
        EXPECT_EQ(bench.result.moved, 128u) << "port 0 has not sent 128";
        bench.memory.intercept = {};
        expect_clean(bench);
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

TEST_F(dma_ports_end_test, stop_acts_on_every_port_at_its_next_burst)
{
    for (const double at : {25.0, 41.0, 65.0}) {
        auto made = std::make_unique<ports_bench>(("stop_" + std::to_string(static_cast<int>(at))).c_str(),
                                                  several_of(1, 64), 4);
        made->memory.annotated = ns(10); // a burst of 8 beats takes 10 ns
        made->program = [&b = *made, at] {
            b.stop.request(ns(at));
            b.read(0, 1024);
            const auto sent = static_cast<std::uint64_t>(at / 10) + 1;
            EXPECT_EQ(b.result.outcome, dma_result::outcome::stopped);
            EXPECT_EQ(b.memory.log.size(), 4 * sent);
            EXPECT_EQ(b.result.address, 128 * sent);
            EXPECT_EQ(b.result.moved, 128 * sent);
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(10.0 * static_cast<double>(sent)));
            b.stop.clear();
            expect_clean(b);
        };
        m_benches.push_back(std::move(made));
    }
    sc_core::sc_start();
    for (const auto& b : m_benches) { EXPECT_TRUE(b->finished) << b->name(); }
}

TEST_F(dma_ports_end_test, burst_without_answer_times_out_for_all)
{
    auto config = several_of(2, 64, dma_transport::non_blocking);
    config.timeout_cycles = 300;
    routed_ports_bench bench("bench", config, 4);
    bool silent = true;
    bench.memory.answers_in_order = false;
    bench.memory.latency = [&] { return ns(silent && bench.memory.addresses.back() == 320 ? 5000 : 2); };
    bench.program = [&] {
        bench.read(0, 1024);
        EXPECT_EQ(bench.result.outcome, dma_result::outcome::timed_out);
        EXPECT_EQ(bench.result.address, 320u);
        silent = false;
        sc_core::wait(ns(10'000)); // the late answer comes, and is dropped
        expect_clean(bench);
        EXPECT_THAT(bench.memory.wrongs, IsEmpty());
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

TEST_F(dma_ports_end_test, non_blocking_failure_is_told_and_nothing_is_left)
{
    routed_ports_bench bench("bench", several_of(4, 64, dma_transport::non_blocking), 3);
    bench.memory.intercept = [](tlm::tlm_generic_payload& t) {
        if (t.get_address() == 512) { t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE); }
    };
    bench.program = [&] {
        bench.read(0, 4096);
        EXPECT_EQ(bench.result.outcome, dma_result::outcome::failed);
        EXPECT_EQ(bench.result.address, 512u);
        EXPECT_EQ(bench.result.status, tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_LE(bench.result.moved, 512u);
        EXPECT_EQ(bench.memory.live(), 0u);
        bench.memory.intercept = {};
        expect_clean(bench);
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
}

} // namespace
} // namespace tensorloom::test
