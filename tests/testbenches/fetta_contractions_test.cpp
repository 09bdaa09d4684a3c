// Random contractions on the device, planned and run as workloads do: cycles by the formulas, conflicts by a replay,
// values in their order.
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction/reference.h>
#include <tensorloom/workloads/contraction/run.h>
#include "platform/fetta/fetta_testbed.h"
#include "platform/fetta/fetta_memory_estimate.h"
#include "support/sim_test.h"
#include "workloads/contraction/bank_replay.h"
#include "workloads/contraction/ordered_sums.h"
#include "workloads/contraction/random_contraction.h"
#include "workloads/contraction/spec_cycles.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using fetta::event;

fetta::config config_of(blocks::fidelity fidelity, element_type psum)
{
    fetta::config c;
    c.fidelity = fidelity;
    c.limits.psum = psum;
    return c;
}

// Rows of 4 sums in a bank of 8 KB.
std::uint64_t accumulator_rows(element_type psum) { return psum == element_type::f32 ? 512 : 1024; }

// Of the contractions, so that those of both formats of sums differ.
unsigned seed_of(element_type psum) { return psum == element_type::f32 ? 72 : 73; }

std::uint64_t counted_cycles(const fetta::counts& n)
{
    return n[event::compute_cycle] + n[event::fill_cycle] + n[event::reload_cycle] + n[event::psum_cycle];
}

class fetta_contractions_test : public sim_test {
protected:
    static constexpr std::uint64_t memory_bytes = 32u << 20;
    using contractions = std::vector<workloads::contraction_plan>;

    // The plans on a fast and a detailed device, with the same operands; both give the same. Returns the runs.
    std::vector<workloads::contraction_run> run_on_both(const contractions& plans, element_type psum,
                                                        testbench::platform_config settings = {})
    {
        std::mt19937 random(71);
        for (const auto& plan : plans) {
            m_a.push_back(random_elements(random, plan.problem.extent(plan.problem.a)));
            m_b.push_back(random_elements(random, plan.problem.extent(plan.problem.b)));
        }
        std::vector<workloads::contraction_run> fast, detailed;
        settings.memory.bytes = memory_bytes;
        const auto host = [&](std::vector<workloads::contraction_run>& runs) {
            return [&](bus::host_thread& cpu) {
                testbench::simulated_session<fetta::traits> session(cpu, testbench::device_base,
                                                                    config_of(blocks::fidelity::fast, psum),
                                                                    testbench::memory_base, memory_bytes);
                for (std::size_t i = 0; i < plans.size(); ++i) {
                    runs.push_back(workloads::run_contraction(session, plans[i], m_a[i], m_b[i]));
                }
            };
        };
        testbench::testbed_platform<fetta::traits> x("fast", config_of(blocks::fidelity::fast, psum), settings,
                                                     host(fast));
        testbench::testbed_platform<fetta::traits> y("detailed", config_of(blocks::fidelity::detailed, psum), settings,
                                                     host(detailed));
        sc_core::sc_start();
        EXPECT_TRUE(x.cpu.finished());
        EXPECT_TRUE(y.cpu.finished());
        EXPECT_EQ(fast.size(), plans.size());
        for (std::size_t i = 0; i < plans.size() && !HasFailure(); ++i) {
            SCOPED_TRACE(i);
            EXPECT_EQ(fast[i].c, ordered_sums(plans[i], m_a[i], m_b[i]));
            EXPECT_EQ(fast[i].c, detailed[i].c);
            EXPECT_EQ(fast[i].total().cycles, detailed[i].total().cycles);
            EXPECT_TRUE(fast[i].total().counts == detailed[i].total().counts);
            const auto& p = plans[i].problem;
            const auto reference = workloads::contract_in_double(p, m_a[i], m_b[i]);
            EXPECT_TRUE(workloads::check_contraction(reference, fast[i].c, p.extent(p.contracted), psum,
                                                     plans[i].type_of(workloads::contraction_tensor::c))
                            .passed);
        }
        return fast;
    }

    static contractions plans_of(unsigned count, workloads::tensor_layout layout, element_type psum)
    {
        std::mt19937 random(seed_of(psum));
        contractions plans;
        for (unsigned i = 0; i < count; ++i) {
            workloads::contraction_settings s;
            s.layout = layout;
            s.overlap = layout != workloads::tensor_layout::ideal; // one command: the formula is of one
            s.request.store_bf16 = i % 5 == 0;
            if (i % 3 != 0) { s.request.mapping = static_cast<fetta::mapping>(random() % 6); }
            plans.push_back(workloads::plan_contraction(random_contraction(random, 12, 4000),
                                                        config_of(blocks::fidelity::fast, psum).limits, s));
        }
        return plans;
    }

    // For each mapping some with more rows of IA than an accumulator has, and some with a long contracted index.
    static void append_long(contractions& plans, unsigned of_each, workloads::tensor_layout layout, element_type psum)
    {
        std::mt19937 random(seed_of(psum) + 100);
        const auto up_to = [&](unsigned n) { return 1 + static_cast<unsigned>(random() % n); };
        const auto rows = static_cast<unsigned>(accumulator_rows(psum));
        for (unsigned m = 0; m < 6; ++m) {
            const auto mapping = static_cast<fetta::mapping>(m);
            const bool a_streams = mapping < fetta::mapping::is_v;
            for (unsigned i = 0; i < 2 * of_each; ++i) {
                const bool long_stream = mapping < fetta::mapping::os_1 && i < of_each;
                // The first with a remainder that is no piece of its own.
                const unsigned stream = long_stream ? rows + up_to(i == 0 ? 3 : 700) : up_to(8);
                const unsigned contracted = long_stream ? up_to(9) : 600 + up_to(1200);
                const unsigned held = up_to(12);
                workloads::contraction_settings s;
                s.layout = layout;
                s.overlap = layout != workloads::tensor_layout::ideal;
                s.request.mapping = mapping;
                s.request.split = workloads::engine_split{1, i % 2 == 0 ? 2u : 4u, 1, i % 2 == 0 ? 8u : 4u};
                plans.push_back(workloads::plan_contraction(
                    workloads::parse_einsum("ik,kj->ij", "i=" + std::to_string(a_streams ? stream : held) +
                                                             ",k=" + std::to_string(contracted) +
                                                             ",j=" + std::to_string(a_streams ? held : stream)),
                    config_of(blocks::fidelity::fast, psum).limits, s));
            }
        }
    }

    // Cycles of the engines are those of the formulas, and nothing waits.
    void expect_formulas(element_type psum)
    {
        auto plans = plans_of(300, workloads::tensor_layout::ideal, psum);
        append_long(plans, 4, workloads::tensor_layout::ideal, psum);
        const auto runs = run_on_both(plans, psum);
        for (std::size_t i = 0; i < runs.size() && !HasFailure(); ++i) {
            ASSERT_EQ(plans[i].commands, 1u);
            const auto& p = plans[i].problem;
            const workloads::flat_extents extents{p.extent(p.batch), p.extent(p.contracted), p.extent(p.a_free),
                                                  p.extent(p.b_free)};
            const auto counts = runs[i].total().counts;
            EXPECT_EQ(counted_cycles(counts),
                      spec_cycles(extents, plans[i].choice.mapping, plans[i].choice.split, accumulator_rows(psum)));
            EXPECT_EQ(counts[event::conflict_cycle], 0u);
        }
    }

    void expect_replayed_conflicts(element_type psum)
    {
        auto plans = plans_of(100, workloads::tensor_layout::conflicted, psum);
        append_long(plans, 1, workloads::tensor_layout::conflicted, psum);
        const auto runs = run_on_both(plans, psum);
        for (std::size_t i = 0; i < runs.size() && !HasFailure(); ++i) {
            std::uint64_t conflicts = 0;
            for (const auto& step : plans[i].steps()) {
                const auto command = plans[i].command(step);
                conflicts += bank_replay(command, plans[i].limits, plans[i].choice.split).conflicts();
            }
            EXPECT_EQ(runs[i].total().counts[event::conflict_cycle], conflicts);
            EXPECT_EQ(counted_cycles(runs[i].total().counts), plans[i].tcu_cycles);
        }
    }

    // End to end, against the mapping and split that the closed form alone would choose, but for a share that the
    // estimate need not tell apart. Planned for the memory that they run from.
    void expect_choices_not_slower(const workloads::memory_estimate& memory, const testbench::platform_config& settings,
                                   double share, double refresh_cycles = 0)
    {
        contractions plans; // two for each case: chosen, and by the closed form
        const std::pair<const char*, const char*> cases[] = {
            {"ik,kj->ij", "i=64,k=64,j=64"},       {"ki,kj->ij", "i=64,k=100,j=30"},
            {"ik,jk->ij", "i=50,k=64,j=64"},       {"bik,kj->bij", "b=8,i=30,j=50,k=33"},
            {"abc,cd->abd", "a=16,b=16,c=16,d=8"}, {"abc,db->adc", "a=16,b=16,c=8,d=16"},
        };
        for (const auto layout : {workloads::tensor_layout::conflicted, workloads::tensor_layout::offchip}) {
            for (const auto& [einsum, sizes] : cases) {
                const auto problem = workloads::parse_einsum(einsum, sizes);
                workloads::contraction_settings s;
                s.memory = memory;
                const auto choice = workloads::plan_contraction(problem, {}, s).choice;
                s.layout = layout;
                plans.push_back(workloads::plan_contraction(problem, {}, s));
                s.request.mapping = choice.mapping;
                s.request.split = choice.split;
                plans.push_back(workloads::plan_contraction(problem, {}, s));
            }
        }
        const auto runs = run_on_both(plans, element_type::f32, settings);
        unsigned faster = 0;
        for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
            const auto chosen = runs[i].total().cycles, by_closed_form = runs[i + 1].total().cycles;
            EXPECT_LE(static_cast<double>(chosen), (1 + share) * static_cast<double>(by_closed_form) + refresh_cycles)
                << i / 2;
            faster += chosen < by_closed_form ? 1 : 0;
        }
        EXPECT_GE(faster, 6u);
    }

private:
    std::vector<std::vector<float>> m_a, m_b;
};

TEST_F(fetta_contractions_test, cycles_of_resident_operands_are_those_of_the_formulas)
{
    expect_formulas(element_type::f32);
}

TEST_F(fetta_contractions_test, cycles_do_not_depend_on_the_sums_format) { expect_formulas(element_type::bf16); }

TEST_F(fetta_contractions_test, conflicts_are_those_of_a_replay_bank_by_bank)
{
    expect_replayed_conflicts(element_type::f32);
}

TEST_F(fetta_contractions_test, conflicts_do_not_depend_on_the_sums_format)
{
    expect_replayed_conflicts(element_type::bf16);
}

TEST_F(fetta_contractions_test, tensors_are_reordered_through_memory)
{
    const auto plans = plans_of(60, workloads::tensor_layout::offchip, element_type::f32);
    const auto runs = run_on_both(plans, element_type::f32);
    for (std::size_t i = 0; i < runs.size() && !HasFailure(); ++i) {
        EXPECT_EQ(counted_cycles(runs[i].total().counts), plans[i].tcu_cycles);
        EXPECT_EQ(runs[i].total().counts[event::conflict_cycle], 0u);
    }
}

TEST_F(fetta_contractions_test, choices_for_a_layout_are_not_slower_than_those_of_the_closed_form)
{
    const auto energy = costs::sram_energy(costs::load_technology("fetta-7nm"), {memory_bytes});
    expect_choices_not_slower(testbench::estimate_of_sram(energy, 1), {}, 0);
}

TEST_F(fetta_contractions_test, choices_for_a_layout_are_not_slower_from_a_dram)
{
    testbench::platform_config settings;
    settings.dram.emplace();
    // Refreshes and rows of a DRAM, which the estimate has on average. A run of 2,000 cycles meets a refresh of all
    // banks (448 tCK of 0.625 ns) or not, by the time at which it begins.
    expect_choices_not_slower(testbench::estimate_of_dram(settings.dram->dram, 1), settings, 0.01, 280);
}

} // namespace
