// In a steady state, checker and recorder allocate nothing.
#include <cstdlib>
#include <deque>
#include <new>
#include <gtest/gtest.h>
#include <tensorloom/tlm/recorder.h>
#include "support/sim_test.h"
#include "tlm/rogue_bench.h"

namespace {
unsigned long allocations = 0;
}

// ASan has its own.
#if !defined(__SANITIZE_ADDRESS__)
void* operator new(std::size_t size)
{
    ++allocations;
    if (void* p = std::malloc(size)) { return p; }
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace tensorloom::test {
namespace {

class deaf_sink : public bus::transaction_sink {
public:
    unsigned records = 0;
    std::size_t attach(const std::string&) override { return 0; }
    void connected(std::size_t, const std::string&) override {}
    void log(std::size_t, const bus::transaction_record&) override { ++records; }
    void debug(std::size_t, std::uint32_t) override {}
    void dmi_request(std::size_t, bool) override {}
    void dmi_invalidation(std::size_t) override {}
};

class steady_state_test : public sim_test {
protected:
    deaf_sink sink;
    rogue_bench bench{bus::on_violation::report_error};
    rogue_initiator initiator{"recorded_initiator"};
    bus::recorder<> recorder{"recorder", sink};
    rogue_target target{"recorded_target"};

    steady_state_test()
    {
        initiator.out.bind(recorder.in);
        recorder.out.bind(target.in);
    }

    /// Runs the same thing again and again; what is allocated after the first rounds fails the test.
    template <class Round> void expect_none(Round round)
    {
        EXPECT_TRUE(bench.run([&] {
            for (int i = 0; i < 10; ++i) { round(); }
            const auto before = allocations;
            for (int i = 0; i < 1000; ++i) { round(); }
            EXPECT_EQ(allocations, before);
        }));
        EXPECT_EQ(bench.checker.violations(), 0u);
    }
};

TEST_F(steady_state_test, blocking_calls_allocate_nothing)
{
    payload p = writing(8, std::vector<unsigned char>(256));
    p.enable(std::vector<unsigned char>(8, 0xff));
    sc_core::sc_time delay;
    expect_none([&] {
        for (auto* out : {&bench.initiator.out, &initiator.out}) {
            p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            (*out)->b_transport(p, delay);
        }
    });
    EXPECT_EQ(sink.records, 1010u);
}

TEST_F(steady_state_test, twenty_outstanding_transactions_allocate_nothing)
{
    std::deque<managed_payload> all(20);
    const auto phase = [](auto& socket, auto& t, tlm::tlm_phase sent) {
        sc_core::sc_time delay;
        socket->nb_transport_fw(t, sent, delay);
    };
    const auto answer = [](auto& socket, auto& t, tlm::tlm_phase sent) {
        sc_core::sc_time delay;
        socket->nb_transport_bw(t, sent, delay);
    };
    const auto round = [&](auto& out, auto& in) {
        for (auto& t : all) {
            t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            phase(out, t, tlm::BEGIN_REQ);
            answer(in, t, tlm::END_REQ);
        }
        for (auto& t : all) {
            t.set_response_status(tlm::TLM_OK_RESPONSE);
            answer(in, t, tlm::BEGIN_RESP);
            phase(out, t, tlm::END_RESP);
        }
    };
    expect_none([&] {
        round(bench.initiator.out, bench.target.in);
        round(initiator.out, target.in);
    });
    EXPECT_EQ(sink.records, 20 * 1010u);
}

} // namespace
} // namespace tensorloom::test
