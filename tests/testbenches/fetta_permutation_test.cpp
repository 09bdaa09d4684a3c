// Permutations of tensors on the device: values in both fidelities, and what they take beside the estimate.
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction/permutation.h>
#include "platform/fetta/fetta_testbed.h"
#include "support/sim_test.h"
#include "workloads/contraction/permuted_tensor.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using workloads::permutation_way;
using outcome = workloads::program_outcome<fetta::counts>;

class fetta_permutation_test : public sim_test {
protected:
    static constexpr std::uint64_t memory_bytes = 4u << 20;

    // On a fast and on a detailed device with an LPDDR4-3200; the same values, cycles and counts. Of each permutation.
    static std::vector<outcome> run_on_both(const std::vector<permuted_tensor>& tensors, permutation_way way)
    {
        std::vector<outcome> fast(tensors.size()), detailed(tensors.size());
        testbench::platform_config settings;
        settings.dram.emplace();
        const auto host = [&](blocks::fidelity fidelity, std::vector<outcome>& ran) {
            return [&tensors, &ran, fidelity, way](bus::host_thread& cpu) {
                fetta::config config;
                config.fidelity = fidelity;
                testbench::simulated_session<fetta::traits> session(cpu, testbench::device_base, config,
                                                                    testbench::memory_base, memory_bytes);
                workloads::reordering_settings s;
                s.way = way;
                workloads::permutation_planner planner(config.limits, s);
                for (std::size_t i = 0; i < tensors.size(); ++i) {
                    std::vector<std::uint16_t> from(tensors[i].elements());
                    for (std::size_t e = 0; e < from.size(); ++e) {
                        from[e] = static_cast<std::uint16_t>(e * 40503u % 0x7f80u);
                    }
                    const auto& plan = planner.plan(element_type::bf16, tensors[i].modes());
                    EXPECT_EQ(run_permutation(session, plan, element_type::bf16, from, &ran[i]),
                              tensors[i].naive(from));
                }
            };
        };
        fetta::config config;
        testbench::testbed_platform<fetta::traits> x("fast", config, settings, host(config.fidelity, fast));
        config.fidelity = blocks::fidelity::detailed;
        testbench::testbed_platform<fetta::traits> y("detailed", config, settings, host(config.fidelity, detailed));
        sc_core::sc_start();
        EXPECT_TRUE(x.cpu.finished());
        EXPECT_TRUE(y.cpu.finished());
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            EXPECT_EQ(fast[i].cycles, detailed[i].cycles);
            EXPECT_TRUE(fast[i].counts == detailed[i].counts);
        }
        return fast;
    }

    static double estimate_of(const permuted_tensor& p, permutation_way way)
    {
        workloads::reordering_settings s;
        s.way = way;
        workloads::permutation_planner planner({}, s);
        return planner.plan(element_type::bf16, p.modes()).cycles;
    }
};

TEST_F(fetta_permutation_test, matrix_of_128_is_permuted_on_chip_in_at_most_4000_cycles)
{
    const permuted_tensor p{{128, 128}, {1, 0}};
    const auto cycles = run_on_both({p}, permutation_way::automatic).front().cycles;
    EXPECT_LE(cycles, 4000u);
    EXPECT_GE(cycles, 2560u); // 65,536 bytes at 25.6 a cycle
    EXPECT_NEAR(static_cast<double>(cycles), estimate_of(p, permutation_way::automatic),
                0.1 * static_cast<double>(cycles));
    RecordProperty("cycles", static_cast<int>(cycles));
}

TEST_F(fetta_permutation_test, matrix_of_128_is_permuted_by_transfers_in_at_most_66000_cycles)
{
    const permuted_tensor p{{128, 128}, {1, 0}};
    const auto cycles = run_on_both({p}, permutation_way::transfers).front().cycles;
    EXPECT_LE(cycles, 66000u);
    EXPECT_NEAR(static_cast<double>(cycles), estimate_of(p, permutation_way::transfers),
                0.1 * static_cast<double>(cycles));
}

TEST_F(fetta_permutation_test, random_tensors_are_permuted_as_naively)
{
    std::mt19937 random(5);
    std::vector<permuted_tensor> tensors;
    for (int i = 0; i < 20; ++i) { tensors.push_back(random_permutation(random, 7, 20000)); }
    run_on_both(tensors, permutation_way::vector_unit);
}

// What is estimated within 20 %: commands that wait for one another are left out.
TEST_F(fetta_permutation_test, larger_tensors_take_what_is_estimated)
{
    const std::vector<permuted_tensor> tensors{
        {{600, 500}, {1, 0}}, {{16, 16, 16, 16}, {2, 1, 0, 3}}, {{100, 90, 30}, {2, 0, 1}}, {{96, 512}, {1, 0}}};
    const auto ran = run_on_both(tensors, permutation_way::vector_unit);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto cycles = static_cast<double>(ran[i].cycles);
        EXPECT_NEAR(estimate_of(tensors[i], permutation_way::vector_unit), cycles, 0.2 * cycles) << i;
    }
}

} // namespace
