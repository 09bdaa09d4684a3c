// Fast Fourier transforms on a torus, by moving words: every word goes to its node link by link, and butterflies
// transform lines where they are. Their counts and values, against closed forms and the definition.
#include <tensorloom/workloads/orbital/fft_divisions.h>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <set>
#include <gtest/gtest.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using workloads::fft_division;
using workloads::fft_plan;
using workloads::shape3;
using number = std::complex<double>;
using place = std::array<std::uint32_t, 3>; // q, r, s; or n1, n2, n3

constexpr double turn = 6.283185307179586476925287;

/// What a simulation counts.
struct seen {
    std::uint64_t rounds = 0, words = 0, farthest = 0, busiest = 0, multiply_adds = 0, accesses = 0;
    std::array<std::uint64_t, 3> hops{};
};

/// A tensor whose words lie on the nodes of a torus.
class scattered_tensor {
public:
    scattered_tensor(const shape3& shape, std::uint32_t side, const std::function<place(place)>& node_of)
        : m_shape(shape), m_side(side)
    {
        for_each([&](const place& n, std::size_t label) {
            m_node.push_back(node_of(n));
            m_value.emplace_back(std::sin(1.0 + 3.0 * double(label)), std::cos(2.0 * double(label)));
        });
    }

    /// Every word goes to the node that `node_of` has for it, in nodes of which those `strides` apart form rings.
    void move(const std::function<place(place)>& node_of, const place& strides)
    {
        std::map<std::pair<place, int>, std::uint64_t> links; // from a node, to the next along +Q, -Q, +R, ...
        std::map<place, std::set<place>> partners;
        for_each([&](const place& n, std::size_t label) {
            place at = m_node[label];
            const place to = node_of(n);
            if (at == to) { return; }
            partners[at].insert(to);
            ++m_seen.words;
            const place from = at;
            std::uint64_t passed = 0;
            for (unsigned axis = 0; axis < 3; ++axis) {
                const std::uint32_t up = (to[axis] + m_side - at[axis]) % m_side;
                const bool goes_up = 2 * up < m_side || (2 * up == m_side && from[axis] / strides[axis] % 2 == 0);
                while (at[axis] != to[axis]) {
                    ++links[{at, int(2 * axis) + (goes_up ? 0 : 1)}];
                    at[axis] = (at[axis] + (goes_up ? 1 : m_side - 1)) % m_side;
                    ++m_seen.hops[axis];
                    ++passed;
                }
            }
            m_seen.farthest = std::max(m_seen.farthest, passed);
            m_node[label] = at;
        });
        std::size_t most = 0;
        for (const auto& [node, others] : partners) { most = std::max(most, others.size()); }
        m_seen.rounds += most;
        std::uint64_t busiest = 0;
        for (const auto& [link, words] : links) { busiest = std::max(busiest, words); }
        m_seen.busiest += busiest;
    }

    /// Transforms all lines along a mode. Fails if the words of one lie on several nodes.
    void transform(unsigned mode)
    {
        for_each([&](const place& n, std::size_t label) {
            if (n[mode] != 0) { return; }
            std::vector<std::size_t> labels;
            for (std::size_t i = 0; i < m_shape[mode]; ++i) { labels.push_back(label + i * step(mode)); }
            for (const auto l : labels) { ASSERT_EQ(m_node[l], m_node[label]); }
            butterflies(labels);
        });
    }

    const std::vector<number>& values() const { return m_value; }
    const seen& counts() const { return m_seen; }
    std::uint64_t nodes() const { return std::set<place>(m_node.begin(), m_node.end()).size(); }
    std::uint64_t words_of_a_node() const
    {
        std::map<place, std::uint64_t> words;
        for (const auto& node : m_node) { ++words[node]; }
        std::uint64_t most = 0;
        for (const auto& [node, count] : words) { most = std::max(most, count); }
        return most;
    }

private:
    std::size_t step(unsigned mode) const { return mode == 2 ? 1 : mode == 1 ? m_shape[2] : m_shape[1] * m_shape[2]; }
    template <class F> void for_each(const F& f) const
    {
        place n{};
        std::size_t label = 0;
        for (n[0] = 0; n[0] < m_shape[0]; ++n[0]) {
            for (n[1] = 0; n[1] < m_shape[1]; ++n[1]) {
                for (n[2] = 0; n[2] < m_shape[2]; ++n[2]) { f(n, label++); }
            }
        }
    }
    void butterflies(const std::vector<std::size_t>& labels)
    {
        const std::size_t size = labels.size();
        std::vector<number> x(size);
        for (std::size_t i = 0; i < size; ++i) { // bits reversed
            std::size_t reversed = 0;
            for (std::size_t bit = 1; bit < size; bit *= 2) { reversed = 2 * reversed + (i / bit) % 2; }
            x[reversed] = m_value[labels[i]];
        }
        const auto fma = [&](double a, double b, double c) {
            ++m_seen.multiply_adds;
            return std::fma(a, b, c);
        };
        for (std::size_t half = 1; half < size; half *= 2) {
            for (std::size_t i = 0; i < size; ++i) {
                if (i / half % 2 != 0) { continue; }
                const number w = std::polar(1.0, -turn * double(i % half) / double(2 * half));
                m_seen.accesses += 5; // both words and w, and both words again
                const number a = x[i], b = x[i + half];
                const number sum{fma(-w.imag(), b.imag(), fma(w.real(), b.real(), a.real())),
                                 fma(w.imag(), b.real(), fma(w.real(), b.imag(), a.imag()))};
                x[i] = sum;
                x[i + half] = {fma(2, a.real(), -sum.real()), fma(2, a.imag(), -sum.imag())};
            }
        }
        for (std::size_t i = 0; i < size; ++i) { m_value[labels[i]] = x[i]; }
    }

    shape3 m_shape;
    std::uint32_t m_side;
    std::vector<place> m_node;
    std::vector<number> m_value;
    seen m_seen;
};

std::vector<number> by_definition(std::vector<number> x, const shape3& shape)
{
    std::size_t step = 1;
    for (const unsigned mode : {2u, 1u, 0u}) {
        const std::size_t size = shape[mode];
        auto y = x;
        for (std::size_t at = 0; at < x.size(); ++at) {
            const std::size_t k = at / step % size, first = at - k * step;
            y[at] = 0;
            for (std::size_t n = 0; n < size; ++n) {
                y[at] += x[first + n * step] * std::polar(1.0, -turn * double(n * k % size) / double(size));
            }
        }
        x = y;
        step *= size;
    }
    return x;
}

std::uint32_t share(std::uint32_t index, std::size_t size, std::uint32_t parts)
{
    return index / (std::uint32_t(size) / parts);
}

scattered_tensor run_slabs(const fft_plan& p)
{
    const auto node_of_rank = [&](std::uint32_t rank) {
        return place{rank / (p.used[1] * p.used[2]), rank / p.used[2] % p.used[1], rank % p.used[2]};
    };
    const std::uint32_t nodes = p.used[0] * p.used[1] * p.used[2];
    scattered_tensor x(p.shape, p.side, [&](const place& n) { return node_of_rank(share(n[0], p.shape[0], nodes)); });
    x.transform(2);
    x.transform(1);
    x.move([&](const place& n) { return node_of_rank(share(n[1], p.shape[1], nodes)); }, {1, 1, 1});
    x.transform(0);
    return x;
}

// `rows`: nodes of a row; `rest`: of a column along R.
scattered_tensor run_pencils(const fft_plan& p, std::uint32_t rows, std::uint32_t rest)
{
    const std::uint32_t columns = p.used[0] * p.used[1] * p.used[2] / rows, row_rest = rows / p.used[0];
    const auto node_of = [&](std::uint32_t a, std::uint32_t b) {
        return place{a / row_rest, a % row_rest * rest + b / p.used[2], b % p.used[2]};
    };
    scattered_tensor x(p.shape, p.side, [&](const place& n) {
        return node_of(share(n[0], p.shape[0], rows), share(n[1], p.shape[1], columns));
    });
    x.transform(2);
    x.move([&](const place& n) { return node_of(share(n[0], p.shape[0], rows), share(n[2], p.shape[2], columns)); },
           {1, 1, 1});
    x.transform(1);
    x.move([&](const place& n) { return node_of(share(n[1], p.shape[1], rows), share(n[2], p.shape[2], columns)); },
           {1, rest, 1});
    x.transform(0);
    return x;
}

scattered_tensor run_blocks(const fft_plan& p)
{
    const auto home = [&](const place& n) {
        return place{share(n[0], p.shape[0], p.side), share(n[1], p.shape[1], p.side), share(n[2], p.shape[2], p.side)};
    };
    scattered_tensor x(p.shape, p.side, home);
    for (const unsigned mode : {2u, 0u, 1u}) {
        const unsigned first = mode == 0 ? 1 : 0, second = mode == 2 ? 1 : 2;
        const auto b1 = std::uint32_t(p.shape[first]) / p.side, b2 = std::uint32_t(p.shape[second]) / p.side;
        x.move(
            [&](const place& n) {
                auto node = home(n);
                node[mode] = share(n[first] % b1 * b2 + n[second] % b2, b1 * b2, p.side);
                return node;
            },
            {1, 1, 1});
        x.transform(mode);
        x.move(home, {1, 1, 1});
    }
    return x;
}

struct problem {
    std::uint32_t side;
    shape3 shape;
};
const problem problems[] = {{1, {4, 2, 8}},    {2, {4, 4, 4}},  {2, {8, 4, 2}},   {2, {16, 16, 16}}, {4, {4, 4, 4}},
                            {4, {8, 8, 8}},    {4, {16, 8, 4}}, {4, {4, 16, 16}}, {4, {16, 16, 16}}, {4, {32, 4, 64}},
                            {8, {16, 16, 16}}, {8, {8, 8, 8}},  {8, {8, 32, 16}}, {2, {2, 2, 64}}};

void compare(const fft_plan& plan, const scattered_tensor& moved)
{
    const auto counted = counts_of(plan);
    const auto& found = moved.counts();
    EXPECT_EQ(counted.nodes, moved.nodes());
    EXPECT_EQ(counted.node_words, 2 * moved.words_of_a_node());
    EXPECT_EQ(counted.rounds, found.rounds);
    EXPECT_EQ(counted.words, found.words);
    EXPECT_EQ(counted.word_hops, found.hops);
    EXPECT_EQ(counted.forwarded(), found.hops[0] + found.hops[1] + found.hops[2] - found.words);
    EXPECT_EQ(counted.farthest_hops, found.farthest);
    EXPECT_EQ(counted.busiest_link_words, found.busiest);
    EXPECT_EQ(counted.multiply_adds, found.multiply_adds);
    EXPECT_EQ(counted.memory_accesses, found.accesses);
    const auto at_first = [](place) { return place{}; };
    const auto expected = by_definition(scattered_tensor(plan.shape, plan.side, at_first).values(), plan.shape);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_LT(std::abs(moved.values()[i] - expected[i]), 1e-10) << i;
    }
}

TEST(fft_divisions, counts_are_those_of_words_that_move)
{
    int of_blocks = 0;
    for (const auto& [side, shape] : problems) {
        SCOPED_TRACE(std::to_string(side) + " nodes, " + std::to_string(shape[0]) + " x " + std::to_string(shape[1]) +
                     " x " + std::to_string(shape[2]));
        const auto slabs = plan_fft(fft_division::slabs, side, shape);
        compare(*slabs, run_slabs(*slabs));
        const auto pencils = plan_fft(fft_division::pencils, side, shape);
        // The row of a plan without exchange along it has one node.
        std::uint32_t rows = pencils->used[0], rest = pencils->used[1];
        for (const auto& e : pencils->exchanges) {
            if (e.group[1].stride > 1 || (e.group[2].count == 1 && e.group[0].count > 1)) {
                rows = e.group[0].count * e.group[1].count;
                rest = pencils->used[1] / e.group[1].count;
            }
        }
        compare(*pencils, run_pencils(*pencils, rows, rest));
        const auto blocks = plan_fft(fft_division::blocks, side, shape);
        if (!blocks) { continue; }
        compare(*blocks, run_blocks(*blocks));
        ++of_blocks;
    }
    EXPECT_GT(of_blocks, 4);
}

TEST(fft_divisions, nodes_in_use_are_as_many_as_there_are_planes_lines_or_blocks)
{
    const auto nodes = [](fft_division division, std::uint32_t side, std::size_t n) {
        return counts_of(*plan_fft(division, side, {n, n, n})).nodes;
    };
    EXPECT_EQ(nodes(fft_division::slabs, 8, 64), 64u);
    EXPECT_EQ(nodes(fft_division::slabs, 4, 64), 64u);
    EXPECT_EQ(nodes(fft_division::slabs, 4, 128), 64u);
    EXPECT_EQ(nodes(fft_division::pencils, 8, 64), 512u);
    EXPECT_EQ(nodes(fft_division::pencils, 16, 64), 4096u);
    EXPECT_EQ(nodes(fft_division::pencils, 8, 8), 64u);
    EXPECT_EQ(nodes(fft_division::blocks, 8, 64), 512u);
    EXPECT_FALSE(plan_fft(fft_division::blocks, 8, {16, 16, 16})) << "4 lines for 8 nodes";
}

// N = 64 on 8 x 8 x 8 nodes: what docs/orbital.md says, worked out by hand.
TEST(fft_divisions, formulas_of_the_page)
{
    const auto slabs = counts_of(*plan_fft(fft_division::slabs, 8, {64, 64, 64}));
    EXPECT_EQ(slabs.rounds, 63u);
    EXPECT_EQ(slabs.words, 262144u / 64 * 63);
    EXPECT_EQ(slabs.hops(), 262144u / 64 * 64 * 15 / 4); // 5/4 pitches along each side of 4 nodes
    EXPECT_EQ(slabs.farthest_hops, 9u);
    EXPECT_EQ(slabs.multiply_adds, 3u * 262144 * 18);
    const auto pencils = counts_of(*plan_fft(fft_division::pencils, 8, {64, 64, 64}));
    EXPECT_EQ(pencils.rounds, 70u);
    EXPECT_EQ(pencils.hops(), 262144u * 8 * 3 / 4); // 2 pitches along each of three rings of 8
    const auto blocks = counts_of(*plan_fft(fft_division::blocks, 8, {64, 64, 64}));
    EXPECT_EQ(blocks.rounds, 6u * 7);
    EXPECT_EQ(blocks.hops(), 262144u * 8 * 6 / 4);
}

TEST(fft_divisions, sizes_that_are_no_powers_of_two_are_refused)
{
    const auto refused = [](std::uint32_t side, const shape3& shape) {
        return message_of([&] { plan_fft(fft_division::slabs, side, shape); });
    };
    EXPECT_EQ(refused(3, {8, 8, 8}), "a side of 3 nodes found, expected a power of two");
    EXPECT_EQ(refused(4, {8, 12, 8}),
              "mode 2 of 12 elements found, expected a power of two, at least the 4 nodes of a side");
    EXPECT_EQ(refused(4, {8, 8, 2}),
              "mode 3 of 2 elements found, expected a power of two, at least the 4 nodes of a side");
}

} // namespace
} // namespace tensorloom::test
