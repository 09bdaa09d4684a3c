// Targets that hang: the transfer can be ended all the same, what is answered later changes nothing, and the DMA works
// on.
#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/dma_socket.h>
#include "support/sim_test.h"
#include "tlm/at_responder.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_result;
using bus::dma_transport;
using testing::Each;
using testing::IsEmpty;

constexpr double answered_late_ns = 5000;
constexpr std::uint64_t hung_at = 0x40; // the third burst of a transfer from 0x20
constexpr std::uint64_t last_byte = 0xfff;

struct hung_target {
    dma_transport transport;
    unsigned ports;
};
void PrintTo(const hung_target& c, std::ostream* out)
{
    *out << (c.transport == dma_transport::blocking ? "blocking" : "non_blocking") << " over " << c.ports;
}

/// A memory of 4 KiB for each port of a DMA; the first hangs at one address, until an event or for ever.
class abandon_bench : public sc_core::sc_module {
public:
    std::vector<std::unique_ptr<byte_target<32>>> blocking;
    std::vector<std::unique_ptr<at_responder<32>>> non_blocking;
    std::vector<std::unique_ptr<bus::dma_socket<32>>> sockets;
    bus::dma_ports dma;
    bus::stop_request stop;
    sc_core::sc_event answers; // the hung target does
    std::uint64_t hangs_at = hung_at;
    std::function<void(abandon_bench&)> program;
    std::function<void(abandon_bench&)> meanwhile; // in another thread
    bool finished = false;

    abandon_bench(sc_core::sc_module_name name, const hung_target& how, std::function<void(abandon_bench&)> program_)
        : sc_core::sc_module(name), dma(several_of(4, 16, how.transport), how.ports), program(std::move(program_))
    {
        SC_HAS_PROCESS(abandon_bench);
        for (unsigned p = 0; p < how.ports; ++p) {
            const auto number = std::to_string(p);
            sockets.push_back(std::make_unique<bus::dma_socket<32>>(("dma_" + number).c_str()));
            if (how.transport == dma_transport::blocking) {
                blocking.push_back(std::make_unique<byte_target<32>>(("memory_" + number).c_str(), last_byte + 1));
                blocking.back()->intercept = [this](auto& t, auto& delay) {
                    if (t.get_address() == hangs_at) { wait(answers); }
                    delay += ns(3);
                };
                sockets.back()->bind(blocking.back()->in);
            } else {
                non_blocking.push_back(std::make_unique<at_responder<32>>(("memory_" + number).c_str(), last_byte + 1));
                auto& memory = *non_blocking.back();
                memory.answers_in_order = false;
                memory.latency = [this, &memory] {
                    return memory.addresses.back() == hangs_at ? ns(answered_late_ns) : ns(3);
                };
                sockets.back()->bind(memory.in);
            }
            dma.bind(*sockets.back());
            auto& bytes = memory_of(p);
            for (std::size_t i = 0; i < bytes.size(); ++i) { bytes[i] = pattern(i); }
        }
        SC_THREAD(run);
        SC_THREAD(run_meanwhile);
    }

    std::vector<unsigned char>& memory_of(unsigned port)
    {
        return blocking.empty() ? non_blocking[port]->bytes : blocking[port]->bytes;
    }
    std::uint64_t count(dma_event e) const { return dma.counts()[static_cast<std::size_t>(e)]; }
    static unsigned char pattern(std::size_t i) { return static_cast<unsigned char>(i * 11 + i / 256 + 3); }

    /// From another thread: a reset that gives up at this time.
    void abandon_at(double at_ns)
    {
        wait(ns(at_ns - 10));
        stop.request();
        wait(ns(10));
        dma.abandon_bursts();
    }

private:
    void run()
    {
        program(*this);
        finished = true;
    }
    void run_meanwhile()
    {
        if (meanwhile) { meanwhile(*this); }
    }
};

class dma_abandon_test : public sim_test_with_param<hung_target> {};

TEST_P(dma_abandon_test, transfer_ends_and_the_next_one_is_right)
{
    std::vector<unsigned char> first(256), second(256);
    abandon_bench bench("bench", GetParam(), [&](abandon_bench& b) {
        const auto hung = b.dma.read(0x20, first.data(), first.size(), b.stop);
        EXPECT_EQ(hung.outcome, dma_result::outcome::stopped);
        EXPECT_EQ(hung.address, hung_at);
        EXPECT_EQ(hung.moved, hung_at - 0x20);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(1000));
        b.stop.clear();
        b.hangs_at = UINT64_MAX;
        const auto next = b.dma.read(0x400, second.data(), second.size(), b.stop);
        EXPECT_TRUE(next.ok());
        EXPECT_EQ(next.moved, second.size());
        for (std::size_t i = 0; i < second.size(); ++i) {
            ASSERT_EQ(second[i], abandon_bench::pattern(0x400 + i)) << "byte " << i;
        }
        EXPECT_LT(sc_core::sc_time_stamp(), ns(1100));
        EXPECT_EQ(b.count(dma_event::late_answer), 0u);
        wait(ns(answered_late_ns));
        b.answers.notify();
        wait(ns(1));
        EXPECT_EQ(b.count(dma_event::late_answer), 1u);
        const auto counted = b.count(dma_event::read_byte);
        EXPECT_TRUE(b.dma.read(0x400, second.data(), second.size(), b.stop).ok());
        EXPECT_EQ(b.count(dma_event::read_byte) - counted, second.size());
    });
    bench.meanwhile = [](abandon_bench& b) { b.abandon_at(1000); };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    for (const auto& memory : bench.non_blocking) { EXPECT_THAT(memory->wrongs, IsEmpty()); }
}

TEST_P(dma_abandon_test, target_that_never_answers_may_hang_every_transfer)
{
    std::vector<unsigned char> bytes(64);
    abandon_bench bench("bench", GetParam(), [&](abandon_bench& b) {
        for (unsigned round = 1; round <= 3; ++round) {
            EXPECT_EQ(b.dma.read(hung_at, bytes.data(), bytes.size(), b.stop).outcome, dma_result::outcome::stopped);
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(1000.0 * round));
            b.stop.clear();
        }
        EXPECT_TRUE(b.dma.read(0x800, bytes.data(), bytes.size(), b.stop).ok());
    });
    bench.meanwhile = [](abandon_bench& b) {
        for (unsigned round = 0; round < 3; ++round) { b.abandon_at(1000); }
    };
    sc_core::sc_start(ns(4500));
    EXPECT_TRUE(bench.finished);
    EXPECT_EQ(bench.count(dma_event::late_answer), 0u);
}

TEST_P(dma_abandon_test, late_write_has_the_bytes_that_were_sent)
{
    std::vector<unsigned char> bytes(64, 0x11);
    abandon_bench bench("bench", GetParam(), [&](abandon_bench& b) {
        b.dma.renew(bytes);
        const auto* place = bytes.data();
        EXPECT_EQ(b.dma.write(hung_at, bytes.data(), bytes.size(), b.stop).outcome, dma_result::outcome::stopped);
        b.stop.clear();
        b.hangs_at = UINT64_MAX;
        b.dma.renew(bytes);
        EXPECT_NE(bytes.data(), place) << "the burst still needs it";
        ASSERT_EQ(bytes.size(), 64u);
        std::fill(bytes.begin(), bytes.end(), 0x22);
        EXPECT_TRUE(b.dma.write(0x800, bytes.data(), bytes.size(), b.stop).ok());
        wait(ns(answered_late_ns));
        b.answers.notify();
        wait(ns(1));
        place = bytes.data();
        b.dma.renew(bytes);
        EXPECT_EQ(bytes.data(), place) << "nothing needs it";
    });
    bench.meanwhile = [](abandon_bench& b) { b.abandon_at(1000); };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    const unsigned burst = GetParam().ports > 1 ? 4 : 16; // dealt out beat by beat
    const auto written = bench.memory_of(0).begin() + hung_at;
    EXPECT_THAT(std::vector<unsigned char>(written, written + burst), Each(0x11));
    EXPECT_EQ(bench.count(dma_event::late_answer), 1u);
}

TEST_P(dma_abandon_test, nothing_is_left_of_a_transfer_whose_targets_answer)
{
    std::vector<unsigned char> bytes(1024);
    abandon_bench bench("bench", GetParam(), [&](abandon_bench& b) {
        b.hangs_at = UINT64_MAX;
        EXPECT_TRUE(b.dma.read(0, bytes.data(), bytes.size(), b.stop).ok());
        b.dma.abandon_bursts(); // between transfers
        EXPECT_TRUE(b.dma.read(0, bytes.data(), bytes.size(), b.stop).ok());
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    EXPECT_EQ(bench.count(dma_event::late_answer), 0u);
    EXPECT_EQ(bench.count(dma_event::read_byte), 2 * bytes.size());
}

INSTANTIATE_TEST_SUITE_P(hung, dma_abandon_test,
                         testing::Values(hung_target{dma_transport::blocking, 1},
                                         hung_target{dma_transport::non_blocking, 1},
                                         hung_target{dma_transport::blocking, 3},
                                         hung_target{dma_transport::non_blocking, 3}));

class dma_hung_request_test : public sim_test {};

TEST_F(dma_hung_request_test, request_that_does_not_end_keeps_the_bus_but_not_the_dma)
{
    std::vector<unsigned char> bytes(64);
    abandon_bench bench("bench", {dma_transport::non_blocking, 1}, [&](abandon_bench& b) {
        EXPECT_EQ(b.dma.read(hung_at, bytes.data(), bytes.size(), b.stop).outcome, dma_result::outcome::stopped);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(1000));
        EXPECT_EQ(b.dma.read(0x800, bytes.data(), bytes.size(), b.stop).outcome, dma_result::outcome::stopped);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(1000)) << "a stop that is pending does not wait for the bus";
        b.stop.clear();
        EXPECT_EQ(b.dma.read(0x800, bytes.data(), bytes.size(), b.stop).outcome, dma_result::outcome::stopped);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(2000));
        b.stop.clear();
        EXPECT_TRUE(b.dma.read(0x800, bytes.data(), bytes.size(), b.stop).ok());
        EXPECT_GT(sc_core::sc_time_stamp(), ns(answered_late_ns)) << "the bus was free then";
    });
    bench.non_blocking[0]->style = [] { return phase_style::four; };
    bench.non_blocking[0]->accept_delay = [&bench] {
        return bench.non_blocking[0]->addresses.back() == hung_at ? ns(answered_late_ns) : ns(1);
    };
    bench.meanwhile = [](abandon_bench& b) {
        b.abandon_at(1000);
        b.abandon_at(1000);
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    EXPECT_EQ(bench.count(dma_event::late_answer), 1u);
    EXPECT_THAT(bench.non_blocking[0]->wrongs, IsEmpty());
}

} // namespace
} // namespace tensorloom::test
