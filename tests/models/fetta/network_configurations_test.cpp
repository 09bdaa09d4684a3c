// A sample of all configurations of networks of 4 and 8 ports through the modules: their maps are those of the switch
// functions.
#include <cstdint>
#include <string>
#include <tuple>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/models/fetta/reduction_network.h>
#include "models/blocks/butterfly_maps.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class network_configurations_test : public sim_test_with_param<std::tuple<unsigned, bool>> {
protected:
    network_configurations_test()
    {
        m_sizes.engines = ports();
        m_sizes.side = 2;
    }
    static unsigned ports() { return std::get<0>(GetParam()); }
    static blocks::fidelity model()
    {
        return std::get<1>(GetParam()) ? blocks::fidelity::detailed : blocks::fidelity::fast;
    }
    // All 256 configurations of 4 ports (twice with the transpose layer), some of the 2^24 of 8 ports.
    template <class F> static void sample(const blocks::butterfly& shape, const F& f)
    {
        const std::uint64_t all = std::uint64_t{1} << shape.levels * shape.ports();
        const std::uint64_t step = shape.ports() == 8 ? 4093 : 1;
        for (std::uint64_t n = 0; n < all; n += step) {
            for (unsigned transpose = 0; transpose < (shape.has_transpose() ? 2u : 1u); ++transpose) {
                blocks::butterfly_controls controls;
                controls.transpose = transpose != 0;
                for (unsigned q = 0; q < shape.levels; ++q) {
                    controls.diagonal[q] = n >> q * shape.ports() & shape.all_ports();
                }
                f(controls);
            }
        }
    }
    // Port i has 2^i in its first place: a sum says what is in it.
    fetta::port_beats marks() const
    {
        fetta::port_beats rows(ports(), 2);
        rows.valid = (std::uint64_t{1} << ports()) - 1;
        for (unsigned port = 0; port < ports(); ++port) { rows.values[2 * port] = static_cast<float>(1u << port); }
        return rows;
    }

    fetta::device_limits m_sizes;
};

TEST_P(network_configurations_test, distribute_as_the_switch_functions_do)
{
    const auto network = fetta::make_distribution_network("network", m_sizes, model());
    sample(network->shape(), [&](const blocks::butterfly_controls& controls) {
        const auto& out = network->deliver(marks(), controls);
        const row_map rows = distributed(network->shape(), controls);
        for (unsigned port = 0; port < ports(); ++port) {
            ASSERT_EQ(out.values[2 * port], static_cast<float>(1u << rows[port]));
        }
    });
}

TEST_P(network_configurations_test, reduce_as_the_switch_functions_do)
{
    const auto network = fetta::make_reduction_network("network", m_sizes, model());
    sample(network->shape(), [&](const blocks::butterfly_controls& controls) {
        network->evaluate(marks(), controls);
        network->commit();
        for (unsigned cycle = 1; cycle < network->latency(); ++cycle) {
            network->evaluate();
            network->commit();
        }
        const sum_map sums = reduced(network->shape(), controls, network->shape().all_ports());
        ASSERT_EQ(network->output().valid, valid_ports(network->shape(), sums));
        for (unsigned port = 0; port < ports(); ++port) {
            if (sums[port] == 0) { continue; }
            ASSERT_EQ(network->output().values[2 * port], static_cast<float>(sums[port]));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(sizes, network_configurations_test,
                         ::testing::Combine(::testing::Values(4, 8), ::testing::Bool()), [](const auto& tested) {
                             return std::to_string(std::get<0>(tested.param)) + "_ports_" +
                                    (std::get<1>(tested.param) ? "detailed" : "fast");
                         });

} // namespace
