// Gather and scatter buffer on a unified memory against moving element by element.
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/gather_scatter.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include "models/fetta/naive_memory.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using fetta::device_limits;

/// A memory between a gather and a scatter buffer, and a copy of its bytes.
struct buffer_bench {
    explicit buffer_bench(const device_limits& g)
        : sizes(g), memory("memory", g), gather("gather", g), scatter("scatter", g), copy(g)
    {
        gather.banks(memory.ia);
        scatter.banks(memory.result);
        sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
        for (std::uint64_t a = 0; a < g.memory_bytes(); a += 2) {
            const arithmetic::bfloat16 x(static_cast<float>(below(1000)) - 500);
            std::memcpy(&copy.at(a), &x, sizeof x); // both bytes lie in one row
            memory.transfers().write(a, reinterpret_cast<const unsigned char*>(&x), sizeof x);
        }
    }

    std::uint64_t below(std::uint64_t n) { return random() % n; }
    /// Elements of a cycle: neighbours, at a stride, or anywhere.
    std::uint64_t pick(std::uint64_t elements, unsigned i, unsigned n)
    {
        if (n % 3 == 0) { return (37 * n + i) % elements; }
        return n % 3 == 1 ? (std::uint64_t{i} * 128 + n) % elements : below(elements);
    }
    /// Most rows in one bank of the rows that elements lie in.
    template <class Elements> std::size_t busiest(const Elements& elements) const
    {
        std::map<std::uint64_t, std::set<std::uint64_t>> rows;
        for (const std::uint64_t e : elements) {
            const std::uint64_t row = e / sizes.side;
            rows[row % sizes.engines].insert(row / sizes.engines);
        }
        std::size_t most = 0;
        for (const auto& [bank, in_bank] : rows) { most = std::max(most, in_bank.size()); }
        return most;
    }

    device_limits sizes;
    fetta::unified_memory memory;
    fetta::gather_buffer gather;
    fetta::scatter_buffer scatter;
    naive_memory copy;
    std::mt19937_64 random{1};
};

class linear_buffer_test : public sim_test_with_param<device_limits> {};

INSTANTIATE_TEST_SUITE_P(sizes, linear_buffer_test, testing::ValuesIn(with_types(&device_limits::operand)),
                         testing::PrintToStringParamName());

TEST_P(linear_buffer_test, gather_hands_every_port_its_elements_when_the_busiest_bank_is_through)
{
    const device_limits& g = GetParam();
    buffer_bench b(g);
    for (unsigned n = 0; n < 100; ++n) {
        std::vector<float> expected(std::size_t{g.engines} * g.side);
        std::set<std::uint64_t> elements;
        std::uint64_t wanted = 0;
        b.gather.begin(n);
        for (unsigned port = 0; port < g.engines; ++port) {
            for (unsigned lane = 0; lane < g.side; ++lane) {
                if (b.below(4) == 0) { continue; } // out of range
                const std::uint64_t e = b.pick(g.elements(g.operand), (port / (1 + n % 4)) * g.side + lane, n);
                b.gather.want(port, lane, e);
                elements.insert(e);
                ++wanted;
                expected[port * g.side + lane] = b.copy.linear(g.operand, e);
            }
        }
        std::size_t cycles = 0;
        const auto before = b.gather.totals();
        while (!b.gather.complete()) {
            b.gather.tick();
            ++cycles;
        }
        std::set<std::uint64_t> rows;
        for (const std::uint64_t e : elements) { rows.insert(e / g.side); }
        const std::uint64_t halves = g.operand == element_type::f32 ? 2 : 1;
        ASSERT_EQ(b.gather.totals().rows - before.rows, halves * rows.size());
        ASSERT_EQ(b.gather.totals().words - before.words, halves * wanted);
        ASSERT_EQ(cycles, b.busiest(elements));
        ASSERT_EQ(b.gather.requests().cycles(), cycles);
        ASSERT_EQ(b.gather.rows().valid, n);
        ASSERT_EQ(std::memcmp(b.gather.rows().values.data(), expected.data(), expected.size() * sizeof(float)), 0);
        b.gather.tick();
        ASSERT_EQ(std::memcmp(b.gather.rows().values.data(), expected.data(), expected.size() * sizeof(float)), 0);
    }
}

TEST_P(linear_buffer_test, gather_without_elements_takes_no_cycle_and_gives_zeros)
{
    const device_limits& g = GetParam();
    buffer_bench b(g);
    b.gather.begin(1);
    b.gather.want(0, 0, 5);
    b.gather.tick();
    b.gather.begin(3);
    EXPECT_TRUE(b.gather.complete());
    EXPECT_EQ(b.gather.rows().valid, 3u);
    EXPECT_EQ(b.gather.rows().values, std::vector<float>(std::size_t{g.engines} * g.side, 0.0f));
}

// A bank gives one row in a cycle: what is behind the first rows is read later.
TEST_P(linear_buffer_test, gather_reads_the_row_that_waits_when_its_turn_comes)
{
    const device_limits& g = GetParam();
    buffer_bench b(g);
    const std::uint64_t next_row = std::uint64_t{g.side} * g.engines; // of the same bank
    b.gather.begin(1);
    b.gather.want(0, 0, 0);
    b.gather.want(0, 1, next_row);
    b.gather.tick();
    ASSERT_FALSE(b.gather.complete());
    std::vector<float> row(g.side, 77);
    b.memory.result->write_row(g.operand, 0, 0, row.data(), 1);
    b.memory.result->write_row(g.operand, 1, 0, row.data(), 1);
    b.gather.tick();
    ASSERT_TRUE(b.gather.complete());
    EXPECT_EQ(b.gather.rows().values[0], b.copy.linear(g.operand, 0));
    EXPECT_EQ(b.gather.rows().values[1], 77.0f);
}

TEST_P(linear_buffer_test, scatter_writes_its_elements_and_nothing_else)
{
    const device_limits& g = GetParam();
    const element_type type = g.operand;
    buffer_bench b(g);
    std::uint64_t put = 0, rows_written = 0;
    for (unsigned n = 0; n < 100; ++n) {
        std::map<std::uint64_t, float> elements;
        b.scatter.begin(type);
        for (unsigned i = 0; i < g.engines * g.side; ++i) {
            if (b.below(4) == 0) { continue; }
            const std::uint64_t e = b.pick(g.elements(type), i, n);
            elements[e] = static_cast<float>(b.below(100000)) / 7;
            b.scatter.put(e, elements[e]);
            ++put;
        }
        std::set<std::uint64_t> written, rows;
        for (const auto& [e, value] : elements) {
            const std::uint64_t row = e / g.side;
            b.copy.set(type, row / g.engines, row % g.engines, e % g.side, value);
            written.insert(e);
            rows.insert(row);
        }
        rows_written += rows.size();
        std::size_t cycles = 0;
        for (; !b.scatter.complete(); ++cycles) { b.scatter.tick(); }
        ASSERT_EQ(cycles, b.busiest(written));
        b.scatter.tick(); // changes nothing
    }
    const std::uint64_t halves = type == element_type::f32 ? 2 : 1;
    EXPECT_EQ(b.scatter.totals().rows, halves * rows_written);
    EXPECT_EQ(b.scatter.totals().words, halves * put);
    std::vector<unsigned char> bytes(g.memory_bytes());
    b.memory.transfers().read(0, bytes.data(), bytes.size());
    for (std::uint64_t a = 0; a < bytes.size(); ++a) { ASSERT_EQ(bytes[a], b.copy.at(a)) << a; }
}

} // namespace
