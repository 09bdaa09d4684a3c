// The reduction network as a module: sums, their order, their cycle, both fidelities against a network written down
// switch by switch.
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <ostream>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/blocks/butterfly_routing.h>
#include <tensorloom/models/fetta/reduction_network.h>
#include "models/fetta/naive_network.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr auto f32 = base::element_type::f32;
constexpr auto bf16 = base::element_type::bf16;
constexpr auto invalid = blocks::idle_output::invalid;
constexpr auto forward = blocks::idle_output::forward;

struct reduction_size {
    unsigned ports;
    unsigned side;
    base::element_type psum;
    blocks::idle_output idle;
};

std::ostream& operator<<(std::ostream& out, const reduction_size& n)
{
    return out << n.ports << "x" << n.side << (n.psum == bf16 ? "_bf16" : "_f32")
               << (n.idle == forward ? "_forward" : "");
}

class reduction_network_test : public sim_test_with_param<reduction_size> {
protected:
    std::unique_ptr<fetta::reduction_network> make(blocks::fidelity model)
    {
        const auto& p = GetParam();
        return fetta::make_reduction_network(sc_core::sc_gen_unique_name("network"),
                                             limits_of_network(p.ports, p.side, p.psum), model, p.idle);
    }
};

// A stream of rows with any settings and bubbles: every cycle has the rows that entered log2 N cycles ago, added with
// their own controls.
TEST_P(reduction_network_test, what_enters_leaves_after_a_cycle_per_level_as_its_switches_add)
{
    const auto [ports, side, psum, idle] = GetParam();
    const auto detailed = make(blocks::fidelity::detailed);
    const auto fast = make(blocks::fidelity::fast);
    std::mt19937_64 random(ports * 100 + side);
    std::deque<naive_rows> under_way(detailed->latency(), naive_rows(ports));
    EXPECT_EQ(std::uint64_t{1} << detailed->latency(), ports);
    EXPECT_EQ(detailed->latency(), fast->latency());
    blocks::butterfly_controls controls;
    std::uint64_t elements = 0;
    for (unsigned cycle = 0; cycle < 600; ++cycle) {
        for (const auto* network : {detailed.get(), fast.get()}) {
            ASSERT_TRUE(is_same(network->output(), under_way.front(), side)) << "cycle " << cycle;
        }
        under_way.pop_front();
        if (cycle % 7 == 3) { // a bubble
            under_way.emplace_back(ports);
            detailed->evaluate();
            fast->evaluate();
        } else {
            if (cycle % 3 != 1) { controls = random_controls(ports, random); }
            const std::uint64_t valid = cycle % 2 == 0 ? ~std::uint64_t{0} : random();
            const naive_rows in = random_rows(ports, side, valid, random, cycle % 5 == 0);
            under_way.push_back(naive_reduction(in, controls, psum, idle == blocks::idle_output::forward));
            for (const auto& row : in) { elements += row ? side : 0; }
            detailed->evaluate(packed(in, side), controls);
            fast->evaluate(packed(in, side), controls);
        }
        detailed->commit();
        fast->commit();
        ASSERT_EQ(detailed->entered_elements(), elements);
        ASSERT_EQ(fast->entered_elements(), elements);
    }
}

INSTANTIATE_TEST_SUITE_P(sizes, reduction_network_test,
                         ::testing::Values(reduction_size{2, 4, f32, invalid}, reduction_size{4, 4, f32, invalid},
                                           reduction_size{8, 2, bf16, invalid}, reduction_size{16, 4, f32, invalid},
                                           reduction_size{16, 4, bf16, invalid}, reduction_size{16, 4, f32, forward},
                                           reduction_size{16, 16, bf16, forward}, reduction_size{32, 4, f32, invalid},
                                           reduction_size{64, 8, f32, invalid}),
                         ::testing::PrintToStringParamName());

class reduction_order_test : public sim_test {
protected:
    // What leaves when only these rows enter, once.
    static const fetta::port_beats& pass(fetta::reduction_network& network, const fetta::port_beats& in,
                                         const blocks::butterfly_controls& controls)
    {
        network.evaluate(in, controls);
        network.commit();
        for (unsigned cycle = 1; cycle < network.latency(); ++cycle) {
            network.evaluate();
            network.commit();
        }
        return network.output();
    }
};

// Values whose sums are rounded, so that another order gives other bits.
TEST_F(reduction_order_test, sums_are_a_tree_with_neighbours_first)
{
    for (const auto model : fidelities) {
        const auto network =
            fetta::make_reduction_network(sc_core::sc_gen_unique_name("network"), limits_of_network(16, 2), model);
        fetta::port_beats in(16, 2);
        in.valid = 0xffff;
        std::mt19937 random(7);
        for (float& value : in.values) { value = static_cast<float>(random()) / 3 - 7e8f; }
        for (unsigned mask = 0; mask < 16; ++mask) {
            const unsigned index = 5;
            const auto& out = pass(*network, in, blocks::xor_controls(network->shape(), mask, index, false));
            for (unsigned i = 0; i < 16; ++i) {
                if ((i & mask) != 0) { continue; }
                // By the mask's bits, lowest first: the parts' sums, then the sums of pairs of them ...
                std::vector<unsigned> parts;
                for (unsigned part = 0; part < 16; ++part) {
                    if ((part & ~mask) == i) { parts.push_back(part); }
                }
                std::vector<float> sums;
                for (const unsigned part : parts) { sums.push_back(in.values[part * 2 + 1]); }
                for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
                    for (std::size_t p = 0; p < sums.size() / 2; ++p) { sums[p] = sums[2 * p] + sums[2 * p + 1]; }
                }
                EXPECT_EQ(out.values[(i ^ index) * 2 + 1], sums.front()) << "mask " << mask << " input " << i;
            }
        }
    }
}

TEST_F(reduction_order_test, sums_that_are_no_number_are_canonical_and_a_single_row_keeps_its_bits)
{
    constexpr std::uint32_t odd_nan = 0xffc12345u;
    for (const auto psum : {f32, bf16}) {
        for (const auto model : fidelities) {
            const auto network = fetta::make_reduction_network(sc_core::sc_gen_unique_name("network"),
                                                               limits_of_network(4, 2, psum), model);
            fetta::port_beats in(4, 2);
            in.valid = 0b0111;
            in.values = {
                std::numeric_limits<float>::infinity(), 0, -std::numeric_limits<float>::infinity(), 0, 0, -0.0f, 0, 0};
            std::memcpy(&in.values[4], &odd_nan, sizeof odd_nan);
            const auto& out = pass(*network, in, blocks::xor_controls(network->shape(), 1, 0, false));
            EXPECT_EQ(out.valid, 0b0101u);
            std::uint32_t bits[2];
            std::memcpy(bits, &out.values[0], sizeof bits);
            EXPECT_EQ(bits[0], 0x7fc00000u); // infinity - infinity
            EXPECT_EQ(bits[1], 0u);
            std::memcpy(bits, &out.values[4], sizeof bits); // port 3 is absent
            EXPECT_EQ(bits[0], odd_nan);
            EXPECT_EQ(bits[1], 0x80000000u);
        }
    }
}

TEST_F(reduction_order_test, contiguous_groups_are_compacted)
{
    for (const auto model : fidelities) {
        const auto network =
            fetta::make_reduction_network(sc_core::sc_gen_unique_name("network"), limits_of_network(16, 2), model);
        fetta::port_beats in(16, 2);
        in.valid = 0xffff;
        for (unsigned i = 0; i < 16; ++i) { in.values[2 * i] = static_cast<float>(1u << i); }
        for (unsigned cuts = 0; cuts < 32768; cuts += 61) {
            std::vector<unsigned> group(16, 0);
            std::vector<float> sums(1, 1);
            for (unsigned i = 1; i < 16; ++i) {
                const unsigned cut = cuts >> (i - 1) & 1;
                group[i] = group[i - 1] + cut;
                if (cut != 0) { sums.push_back(0); }
                sums.back() += static_cast<float>(1u << i);
            }
            const auto route = blocks::route_reduction(network->shape(), group);
            const auto& out = pass(*network, in, std::get<blocks::butterfly_controls>(route));
            ASSERT_EQ(out.valid, (std::uint64_t{1} << sums.size()) - 1) << cuts;
            for (std::size_t g = 0; g < sums.size(); ++g) { ASSERT_EQ(out.values[2 * g], sums[g]) << cuts; }
        }
    }
}

TEST_F(reduction_order_test, cleared_nothing_leaves_any_more)
{
    for (const auto model : fidelities) {
        const auto network =
            fetta::make_reduction_network(sc_core::sc_gen_unique_name("network"), limits_of_network(16, 4), model);
        std::mt19937_64 random(4);
        blocks::butterfly_controls controls;
        controls.transpose = true;
        for (unsigned cycle = 0; cycle < 6; ++cycle) {
            network->evaluate(packed(random_rows(16, 4, 0xffff, random), 4), controls);
            network->commit();
        }
        EXPECT_EQ(network->output().valid, 0xffffu);
        network->clear();
        for (unsigned cycle = 0; cycle < 6; ++cycle) {
            EXPECT_EQ(network->output().valid, 0u);
            network->evaluate();
            network->commit();
        }
    }
}

TEST_F(reduction_order_test, transposing_eight_ports_is_an_error)
{
    expected_report report("/tensorloom/reduction_network/transpose");
    const auto network = fetta::make_reduction_network("network", limits_of_network(8, 4), blocks::fidelity::fast);
    blocks::butterfly_controls controls;
    controls.transpose = true;
    EXPECT_THROW(network->evaluate(fetta::port_beats(8, 4), controls), sc_core::sc_report);
    EXPECT_EQ(report.last_message(), "network: 8 ports have no transpose layer");
}

} // namespace
