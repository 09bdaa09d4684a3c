// Transfers of several runs: what they move, when bursts are issued with and without overlap, what a failure leaves.
#include <algorithm>
#include <ostream>
#include <gtest/gtest.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_transport;

constexpr unsigned rows = 20, row_bytes = 16, pitch = 64; // a row is one burst of 4 beats of 1 ns
constexpr double answer_ns = 30;

template <class Bench> std::vector<bus::dma_run> rows_of(Bench& bench)
{
    std::vector<bus::dma_run> runs;
    for (unsigned r = 0; r < rows; ++r) { runs.push_back({r * pitch, bench.inside.data() + r * row_bytes, row_bytes}); }
    return runs;
}

template <class Bench> void expect_rows(const Bench& bench, unsigned moved = rows)
{
    for (unsigned r = 0; r < moved; ++r) {
        for (unsigned i = 0; i < row_bytes; ++i) {
            ASSERT_EQ(bench.inside[r * row_bytes + i], Bench::pattern(r * pitch + i)) << r << ' ' << i;
        }
    }
}

struct overlap {
    unsigned outstanding;
    bool runs;
};
void PrintTo(const overlap& o, std::ostream* out)
{
    *out << o.outstanding << " in flight, " << (o.runs ? "runs overlap" : "one run at a time");
}

class dma_runs_test : public sim_test_with_param<overlap> {
protected:
    static bus::dma_config config(dma_transport transport = dma_transport::blocking)
    {
        auto c = several_of(GetParam().outstanding, row_bytes, transport);
        c.overlap_runs = GetParam().runs;
        return c;
    }
    // Of rows in flight together, each round begins when the first of the last one has ended.
    static double issue_ns(unsigned row)
    {
        const unsigned together = GetParam().runs ? GetParam().outstanding : 1;
        return row / together * std::max(answer_ns, together * beats_ns) + row % together * beats_ns;
    }
    template <class Bench> static void expect_closed_form(const Bench& bench)
    {
        ASSERT_EQ(bench.target.log.size(), rows);
        for (unsigned r = 0; r < rows; ++r) {
            EXPECT_EQ(bench.target.log[r].address, r * pitch);
            EXPECT_EQ(bench.target.log[r].time, ns(issue_ns(r))) << r;
        }
        EXPECT_EQ(bench.end, ns(issue_ns(rows - 1) + answer_ns));
        EXPECT_TRUE(bench.result.ok());
        EXPECT_EQ(bench.result.moved, rows * row_bytes);
        EXPECT_EQ(bench.count(dma_event::read_transaction), rows);
        EXPECT_EQ(bench.count(dma_event::stalled_cycle),
                  static_cast<std::uint64_t>(issue_ns(rows - 1) + answer_ns - rows * beats_ns));
        expect_rows(bench);
    }
    static void read_rows(dma_bench<>& b) { b.result = b.dma.read(rows_of(b), b.stop); }
};

TEST_P(dma_runs_test, blocking_follows_the_closed_form)
{
    dma_bench<> bench("bench", config(), read_rows);
    bench.target.annotated = ns(answer_ns);
    sc_core::sc_start();
    expect_closed_form(bench);
}

TEST_P(dma_runs_test, non_blocking_follows_the_closed_form)
{
    at_dma_bench bench("bench", config(dma_transport::non_blocking),
                       [](auto& b) { b.result = b.dma.read(rows_of(b), b.stop); });
    bench.target.plan = [](const auto&) {
        at_answer a;
        a.respond = ns(answer_ns);
        return a;
    };
    sc_core::sc_start();
    expect_closed_form(bench);
}

TEST_P(dma_runs_test, writes_go_to_their_rows_and_nowhere_else)
{
    dma_bench<> bench("bench", config(), [](auto& b) {
        for (std::size_t i = 0; i < b.inside.size(); ++i) { b.inside[i] = static_cast<unsigned char>(i * 5 + 3); }
        b.result = b.dma.write(rows_of(b), b.stop);
    });
    sc_core::sc_start();
    for (std::size_t a = 0; a < bench.target.bytes.size(); ++a) {
        const bool inside = a < rows * pitch && a % pitch < row_bytes;
        const auto from = a / pitch * row_bytes + a % pitch;
        ASSERT_EQ(bench.target.bytes[a], inside ? bench.inside[from] : dma_bench<>::pattern(a)) << a;
    }
}

TEST_P(dma_runs_test, first_failure_by_order_of_issue_tells_what_was_moved_before_it)
{
    dma_bench<> bench("bench", config(), read_rows);
    bench.target.annotated = ns(answer_ns);
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
        const auto row = t.get_address() / pitch;
        if (row == 7) { delay += ns(answer_ns); }
        if (row == 9) { delay += ns(1); } // is known before
        if (row == 7 || row == 9) { t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); }
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, bus::dma_result::outcome::failed);
    EXPECT_EQ(bench.result.address, 7 * pitch);
    EXPECT_EQ(bench.result.moved, 7 * row_bytes);
    expect_rows(bench, 7);
    EXPECT_LE(bench.target.log.size(), 7u + GetParam().outstanding);
}

TEST_P(dma_runs_test, stop_tells_what_was_issued_before_it)
{
    dma_bench<> bench("bench", config(), [](auto& b) {
        b.stop.request(ns(61));
        read_rows(b);
    });
    bench.target.annotated = ns(answer_ns);
    sc_core::sc_start();
    EXPECT_EQ(bench.result.outcome, bus::dma_result::outcome::stopped);
    const auto issued = static_cast<unsigned>(bench.target.log.size());
    EXPECT_LT(issued, rows);
    EXPECT_LE(issue_ns(issued - 1), 61);
    EXPECT_GE(issue_ns(issued), 61);
    EXPECT_EQ(bench.result.address, issued * pitch);
    EXPECT_EQ(bench.result.moved, issued * row_bytes);
    expect_rows(bench, issued);
}

INSTANTIATE_TEST_SUITE_P(overlaps, dma_runs_test,
                         testing::Values(overlap{1, true}, overlap{1, false}, overlap{4, true}, overlap{4, false},
                                         overlap{8, true}, overlap{8, false}, overlap{64, true}));

class dma_odd_runs_test : public sim_test {};

TEST_F(dma_odd_runs_test, runs_of_no_bytes_are_none_and_ragged_ones_are_cut_each_by_itself)
{
    dma_bench<> bench("bench", several_of(8, 16), [](auto& b) {
        auto* to = b.inside.data();
        b.result = b.dma.read({{5, to, 0}, {3, to, 6}, {100, to + 6, 0}, {9, to + 6, 1}, {200, to + 7, 20}, {0, to, 0}},
                              b.stop);
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.target.addresses(), (std::vector<std::uint64_t>{3, 4, 8, 9, 200, 208, 216}));
    EXPECT_EQ(bench.result.moved, 27u);
    EXPECT_EQ(bench.inside[5], dma_bench<>::pattern(8));
    EXPECT_EQ(bench.inside[6], dma_bench<>::pattern(9));
    EXPECT_EQ(bench.inside[26], dma_bench<>::pattern(219));
}

TEST_F(dma_odd_runs_test, no_runs_take_no_time)
{
    dma_bench<> bench("bench", several_of(8, 16),
                      [](auto& b) { b.result = b.dma.read(std::vector<bus::dma_run>{}, b.stop); });
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.end, sc_core::SC_ZERO_TIME);
}

} // namespace
} // namespace tensorloom::test
