// FETTA's networks and its accumulation unit in Verilog do what the detailed ones do, in every cycle, with any setting
// of their switches and odd numbers; so do their waveforms.
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/accumulation_unit.h>
#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/models/fetta/reduction_network.h>
#include "models/fetta/naive_network.h"
#include "models/rtl/amount.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using blocks::fidelity;
using fetta::port_beats;

class rtl_networks_test : public sim_test {
protected:
    static constexpr unsigned ports = 16, side = 4;

    // Any bits in some beats, which are NaN, infinities or subnormals now and then; small sums that cancel in others.
    port_beats beats(element_type format)
    {
        port_beats in(ports, side);
        in.valid = m_random() % 4 == 0 ? 0xffffu : m_random() & m_random() & 0xffffu;
        for (float& x : in.values) {
            auto bits = static_cast<std::uint32_t>(m_random());
            if (m_random() % 8 != 0) {
                bits = (bits & 0x807f'ffffu) | static_cast<std::uint32_t>(120 + bits % 9) << 23;
            }
            if (m_random() % 16 == 0) { bits &= 0x8000'0000u; }
            if (format == element_type::bf16) { bits &= 0xffff'0000u; }
            std::memcpy(&x, &bits, sizeof x);
        }
        return in;
    }
    static void expect_same(const port_beats& a, const port_beats& b)
    {
        ASSERT_EQ(a.valid, b.valid);
        for (unsigned port = 0; port < ports; ++port) {
            if ((a.valid >> port & 1) == 0) { continue; }
            ASSERT_EQ(std::memcmp(&a.values[port * side], &b.values[port * side], side * sizeof(float)), 0)
                << "port " << port;
        }
    }
    static void expect_same(const fetta::level_waveform& a, const fetta::level_waveform& b)
    {
        ASSERT_EQ(a.diagonal, b.diagonal);
        expect_same(a.out, b.out);
    }

    std::mt19937_64 m_random{62};
};

class rtl_distribution_test : public rtl_networks_test, public ::testing::WithParamInterface<element_type> {};

TEST_P(rtl_distribution_test, every_level_is_that_of_the_detailed_network)
{
    auto limits = limits_of_network(ports, side);
    limits.operand = GetParam();
    const auto detailed = fetta::make_distribution_network("detailed", limits, fidelity::detailed);
    const auto rtl = fetta::make_distribution_network("rtl", limits, fidelity::rtl);
    const auto bare = fetta::make_distribution_network("bare", limits, fidelity::rtl);
    std::vector<const fetta::level_waveform*> levels[2];
    for (unsigned level = 0; level < 4; ++level) {
        levels[0].push_back(detailed->watch(level));
        levels[1].push_back(rtl->watch(level));
    }
    for (std::uint64_t i = 0; i < amount(500, 10'000); ++i) {
        const auto in = beats(GetParam());
        const auto controls = random_controls(ports, m_random);
        const auto& expected = detailed->deliver(in, controls);
        expect_same(expected, rtl->deliver(in, controls));
        expect_same(expected, bare->deliver(in, controls));
        for (unsigned level = 0; level < 4; ++level) { expect_same(*levels[0][level], *levels[1][level]); }
        if (HasFatalFailure()) { FAIL() << "cycle " << i; }
    }
    EXPECT_EQ(rtl->delivered_elements(), detailed->delivered_elements());
}

INSTANTIATE_TEST_SUITE_P(formats, rtl_distribution_test, ::testing::Values(element_type::f32, element_type::bf16),
                         [](const auto& info) { return std::string(base::element_type_name(info.param)); });

TEST_F(rtl_networks_test, sums_of_every_level_are_those_of_the_detailed_reduction_network)
{
    const auto limits = limits_of_network(ports, side);
    const auto detailed = fetta::make_reduction_network("detailed", limits, fidelity::detailed);
    const auto rtl = fetta::make_reduction_network("rtl", limits, fidelity::rtl);
    std::vector<const fetta::level_waveform*> levels[2];
    for (unsigned level = 0; level < 4; ++level) {
        levels[0].push_back(detailed->watch(level));
        levels[1].push_back(rtl->watch(level));
    }
    for (std::uint64_t i = 0; i < amount(500, 10'000); ++i) {
        const bool bubble = m_random() % 6 == 0;
        const auto in = beats(element_type::f32);
        const auto controls = random_controls(ports, m_random);
        for (auto* network : {detailed.get(), rtl.get()}) {
            bubble ? network->evaluate() : network->evaluate(in, controls);
            network->commit();
        }
        if (m_random() % 50 == 0) {
            detailed->clear();
            rtl->clear();
        }
        expect_same(detailed->output(), rtl->output());
        for (unsigned level = 0; level < 4; ++level) { expect_same(*levels[0][level], *levels[1][level]); }
        if (HasFatalFailure()) { FAIL() << "cycle " << i; }
    }
    EXPECT_EQ(rtl->entered_elements(), detailed->entered_elements());
}

TEST_F(rtl_networks_test, sums_of_the_accumulation_unit_are_those_of_the_detailed_one)
{
    auto limits = limits_of_network(ports, side);
    limits.accumulator_bank_bytes = 1024;
    fetta::accumulation_unit detailed("detailed", limits), rtl("rtl", limits, fidelity::rtl);
    for (std::uint64_t i = 0; i < amount(500, 10'000); ++i) {
        const auto in = beats(element_type::f32);
        const fetta::accumulation what{static_cast<std::uint32_t>(m_random() % 4), m_random() % 3 != 0,
                                       m_random() % 4 == 0};
        const bool idle = m_random() % 6 == 0;
        for (auto* unit : {&detailed, &rtl}) {
            idle ? unit->evaluate() : unit->evaluate(in, what);
            unit->commit();
        }
        expect_same(detailed.output(), rtl.output());
        ASSERT_EQ(std::memcmp(detailed.row(0, 0), rtl.row(0, 0), detailed.sums() * sizeof(float)), 0);
        if (HasFatalFailure()) { FAIL() << "cycle " << i; }
    }
    EXPECT_EQ(rtl.psums(), detailed.psums());
}

} // namespace
} // namespace tensorloom::test
