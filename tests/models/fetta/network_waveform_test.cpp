// What waveforms show of the networks: rows and controls at the ports in both fidelities, levels and registers of the
// detailed one.
#include <cstdint>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/models/fetta/reduction_network.h>
#include "models/fetta/naive_network.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr unsigned ports = 4;
constexpr unsigned side = 2;

// Ports 0 to 3 have 1 and 10, 2 and 20 ...; those that are absent show as 0.
fetta::port_beats numbered(std::uint64_t valid, float missing)
{
    fetta::port_beats rows(ports, side);
    rows.valid = valid;
    for (unsigned port = 0; port < ports; ++port) {
        const bool is_there = (valid >> port & 1) != 0;
        rows.values[2 * port] = is_there ? static_cast<float>(port + 1) : missing;
        rows.values[2 * port + 1] = is_there ? static_cast<float>(port + 1) * 10 : missing;
    }
    return rows;
}

class network_waveform_test : public sim_test {
protected:
    network_waveform_test()
    {
        m_sizes.engines = ports;
        m_sizes.side = side;
    }
    fetta::device_limits m_sizes;
};

using values = std::vector<float>;

TEST_F(network_waveform_test, a_distribution_network_shows_its_ports_and_levels)
{
    for (const auto model : fidelities) {
        const auto network = fetta::make_distribution_network(sc_core::sc_gen_unique_name("network"), m_sizes, model);
        const auto& shown = network->watch();
        const auto* const far = network->watch(0);
        const auto* const near = network->watch(1);
        ASSERT_EQ(far != nullptr, model == blocks::fidelity::detailed);
        ASSERT_EQ(near != nullptr, model == blocks::fidelity::detailed);
        const auto controls =
            blocks::xor_controls(network->shape(), 0b10, 0b01, true); // port j: row (j & 1) ^ 1, transposed
        network->deliver(numbered(0b1111, 99), {});                   // of which nothing stays
        network->deliver(numbered(0b1011, 99), controls);
        EXPECT_EQ(shown.in.valid, 0b1011u);
        EXPECT_EQ(shown.in.values, (values{1, 10, 2, 20, 0, 0, 4, 40}));
        EXPECT_EQ(shown.controls, controls);
        EXPECT_EQ(shown.out.valid, 0b1010u); // transposed, the rows are those of banks 0, 2, 1, 3
        EXPECT_EQ(shown.out.values, (values{0, 0, 1, 10, 0, 0, 1, 10}));
        if (far == nullptr) { continue; }
        EXPECT_EQ(far->diagonal, 0b1100u);
        EXPECT_EQ(far->out.valid, 0b0101u);
        EXPECT_EQ(far->out.values, (values{1, 10, 0, 0, 1, 10, 0, 0}));
        EXPECT_EQ(near->diagonal, 0b1111u);
        EXPECT_EQ(near->out.values, shown.out.values);
    }
}

TEST_F(network_waveform_test, a_reduction_network_shows_its_ports_and_registers)
{
    for (const auto model : fidelities) {
        const auto network = fetta::make_reduction_network(sc_core::sc_gen_unique_name("network"), m_sizes, model);
        const auto& shown = network->watch();
        const auto* const near = network->watch(0);
        const auto* const far = network->watch(1);
        ASSERT_EQ(near != nullptr, model == blocks::fidelity::detailed);
        ASSERT_EQ(far != nullptr, model == blocks::fidelity::detailed);
        const auto controls =
            blocks::xor_controls(network->shape(), 0b01, 0b01, true); // pairs to ports 1 and 3: 2 and 3
        network->evaluate(numbered(0b1011, 99), controls);
        EXPECT_EQ(shown.in.values, (values{1, 10, 2, 20, 0, 0, 4, 40}));
        EXPECT_EQ(shown.controls, controls);
        EXPECT_EQ(shown.out.valid, 0u);
        network->commit();
        EXPECT_EQ(shown.out.valid, 0u);
        if (near != nullptr) {
            EXPECT_EQ(near->diagonal, 0b0101u);
            EXPECT_EQ(near->out.valid, 0b1010u);
            EXPECT_EQ(near->out.values, (values{0, 0, 3, 30, 0, 0, 4, 40}));
            EXPECT_EQ(far->out.valid, 0u);
        }
        network->evaluate();
        EXPECT_EQ(shown.in.valid, 0u);
        EXPECT_EQ(shown.out.valid, 0u);
        network->commit();
        EXPECT_EQ(shown.out.valid, 0b1100u);
        EXPECT_EQ(shown.out.values, (values{0, 0, 0, 0, 3, 30, 4, 40}));
        if (near != nullptr) {
            EXPECT_EQ(near->out.valid, 0u);
            EXPECT_EQ(far->diagonal, 0u);
            EXPECT_EQ(far->out.values, (values{0, 0, 3, 30, 0, 0, 4, 40}));
        }
        network->clear();
        EXPECT_EQ(shown.out.valid, 0u);
        if (far != nullptr) { EXPECT_EQ(far->out.valid, 0u); }
    }
}

} // namespace
