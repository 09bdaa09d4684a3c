// The distribution network as a module: any setting, any size, both fidelities against a network written down mux by
// mux.
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/blocks/butterfly_routing.h>
#include <tensorloom/models/fetta/distribution_network.h>
#include "models/fetta/naive_network.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

struct distribution_size {
    unsigned ports;
    unsigned side;
};

std::ostream& operator<<(std::ostream& out, const distribution_size& n) { return out << n.ports << "x" << n.side; }

class distribution_network_test : public sim_test_with_param<distribution_size> {
protected:
    std::unique_ptr<fetta::distribution_network> make(blocks::fidelity model)
    {
        return fetta::make_distribution_network(sc_core::sc_gen_unique_name("network"),
                                                limits_of_network(GetParam().ports, GetParam().side), model);
    }
};

TEST_P(distribution_network_test, delivers_what_its_multiplexers_select_in_the_same_cycle)
{
    const auto [ports, side] = GetParam();
    const auto detailed = make(blocks::fidelity::detailed);
    const auto fast = make(blocks::fidelity::fast);
    std::mt19937_64 random(ports * 100 + side);
    blocks::butterfly_controls controls;
    std::uint64_t elements = 0;
    for (unsigned cycle = 0; cycle < 500; ++cycle) {
        if (cycle % 3 != 1) { controls = random_controls(ports, random); } // some settings stay for two cycles
        const naive_rows banks = random_rows(ports, side, cycle % 2 == 0 ? ~std::uint64_t{0} : random(), random);
        const naive_rows expected = naive_distribution(banks, controls);
        const fetta::port_beats in = packed(banks, side);
        ASSERT_TRUE(is_same(detailed->deliver(in, controls), expected, side)) << "cycle " << cycle;
        ASSERT_TRUE(is_same(fast->deliver(in, controls), expected, side)) << "cycle " << cycle;
        for (const auto& row : expected) { elements += row ? side : 0; }
        ASSERT_EQ(detailed->delivered_elements(), elements);
        ASSERT_EQ(fast->delivered_elements(), elements);
    }
}

INSTANTIATE_TEST_SUITE_P(sizes, distribution_network_test,
                         ::testing::Values(distribution_size{2, 4}, distribution_size{4, 4}, distribution_size{8, 2},
                                           distribution_size{16, 4}, distribution_size{16, 16},
                                           distribution_size{32, 4}, distribution_size{64, 8}),
                         ::testing::PrintToStringParamName());

class distribution_request_test : public sim_test {};

TEST_F(distribution_request_test, routed_requests_arrive)
{
    const auto network =
        fetta::make_distribution_network("network", limits_of_network(16, 4), blocks::fidelity::detailed);
    std::mt19937_64 random(9);
    const naive_rows banks = random_rows(16, 4, 0xffff, random);
    // Compact banks 0 to 3 to groups of 4 engines, and a transposition.
    for (const bool transposes : {false, true}) {
        std::vector<unsigned> from(16);
        naive_rows expected(16);
        for (unsigned j = 0; j < 16; ++j) {
            from[j] = transposes ? j % 4 * 4 + j / 4 : j / 4;
            expected[j] = banks[from[j]];
        }
        const auto route = blocks::route_distribution(network->shape(), from);
        ASSERT_TRUE(std::holds_alternative<blocks::butterfly_controls>(route));
        const auto& out = network->deliver(packed(banks, 4), std::get<blocks::butterfly_controls>(route));
        EXPECT_TRUE(is_same(out, expected, 4));
    }
}

TEST_F(distribution_request_test, transposing_eight_ports_is_an_error)
{
    expected_report report("/tensorloom/distribution_network/transpose");
    const auto network = fetta::make_distribution_network("network", limits_of_network(8, 4), blocks::fidelity::fast);
    blocks::butterfly_controls controls;
    controls.transpose = true;
    EXPECT_THROW(network->deliver(fetta::port_beats(8, 4), controls), sc_core::sc_report);
    EXPECT_EQ(report.last_message(), "network: 8 ports have no transpose layer");
}

TEST_F(distribution_request_test, a_side_that_no_engine_has_is_an_error)
{
    expected_report report("/tensorloom/fetta/side");
    EXPECT_THROW(fetta::make_distribution_network("network", limits_of_network(16, 3), blocks::fidelity::fast),
                 sc_core::sc_report);
    EXPECT_EQ(report.last_message(), "network: side is 3, not 2, 4, 8 or 16");
}

} // namespace
