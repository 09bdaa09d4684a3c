// CONTRACTs whose operands pass the networks alone, with transpose layers, on the device: values of linear operands in
// both fidelities.
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include "platform/fetta/fetta_testbed.h"
#include "support/sim_test.h"
#include "workloads/contraction/banked_case.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using outcome = workloads::program_outcome<fetta::counts>;

struct device_runs {
    std::vector<std::vector<float>> linear, banked;
    std::vector<outcome> took;
};

class fetta_banked_operands_test : public sim_test {};

TEST_F(fetta_banked_operands_test, networks_and_transpose_layers_give_what_gather_buffers_give)
{
    constexpr std::uint64_t memory_bytes = 32u << 20;
    fetta::config config;
    std::mt19937 random(11);
    std::vector<banked_case> cases;
    unsigned transposed = 0;
    while (cases.size() < 40 || transposed < 15) {
        auto c = random_banked_case(random, config.limits, true);
        if (c.forms == 0 || !fits(c) || fetta::check(c.linear, config.limits)) { continue; }
        transposed += c.transposed;
        cases.push_back(c);
    }
    testbench::platform_config settings;
    settings.memory.bytes = memory_bytes;
    device_runs fast, detailed;
    const auto host = [&](blocks::fidelity fidelity, device_runs& runs) {
        return [&cases, &runs, fidelity](bus::host_thread& cpu) {
            fetta::config of;
            of.fidelity = fidelity;
            testbench::simulated_session<fetta::traits> session(cpu, testbench::device_base, of, testbench::memory_base,
                                                                memory_bytes);
            for (const auto& c : cases) {
                runs.linear.push_back(run_banked_case(session, c, c.linear));
                runs.took.emplace_back();
                runs.banked.push_back(run_banked_case(session, c, c.banked, &runs.took.back()));
            }
        };
    };
    testbench::testbed_platform<fetta::traits> x("fast", config, settings, host(config.fidelity, fast));
    config.fidelity = blocks::fidelity::detailed;
    testbench::testbed_platform<fetta::traits> y("detailed", config, settings, host(config.fidelity, detailed));
    sc_core::sc_start();
    ASSERT_TRUE(x.cpu.finished());
    ASSERT_TRUE(y.cpu.finished());
    unsigned all_banked = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(fast.banked[i], fast.linear[i]);
        EXPECT_EQ(detailed.banked[i], fast.banked[i]);
        EXPECT_EQ(detailed.linear[i], fast.linear[i]);
        EXPECT_EQ(detailed.took[i].cycles, fast.took[i].cycles);
        EXPECT_TRUE(detailed.took[i].counts == fast.took[i].counts);
        if (!cases[i].all_banked()) { continue; }
        ++all_banked;
        EXPECT_EQ(fast.took[i].counts[fetta::event::conflict_cycle], 0u);
    }
    EXPECT_GE(all_banked, 1u);
}

} // namespace
