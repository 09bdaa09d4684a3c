// Training steps of random networks and of named layers, planned and run on the device as tnn_step does, against naive
// sums, and against an emulation that knows the network, the program in memory and the documented order of sums alone.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/step_planner/step_program.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "platform/fetta/fetta_testbed.h"
#include "support/fetta_reference_sums.h"
#include "support/sim_test.h"
#include "workloads/step_planner/planned_step.h"
#include "workloads/step_planner/random_network.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::event;

constexpr std::uint64_t memory_bytes = 64u << 20;
constexpr std::uint64_t data_base = testbench::memory_base + testbench::session_memory::program_bytes;
constexpr std::uint64_t data_bytes = memory_bytes - testbench::session_memory::program_bytes;
constexpr float rate = -0.125f;

struct step_case {
    planned_step step;
    workloads::step_program program;
    std::vector<values_by_name<float>> given; // a run of each
    std::vector<workloads::step_run> fast, detailed;
};

fetta::device_limits small_limits(std::uint32_t engines, std::uint32_t side, std::uint32_t bank_bytes,
                                  std::uint32_t accumulator_bank_bytes)
{
    fetta::device_limits g;
    g.engines = engines;
    g.side = side;
    g.bank_bytes = bank_bytes;
    g.accumulator_bank_bytes = accumulator_bank_bytes;
    return g;
}

// Of more than one index, that a tensor has.
std::size_t most_modes(const workloads::contraction_graph& graph)
{
    std::size_t most = 0;
    for (const auto& tensor : graph.tensors) {
        const auto modes = std::count_if(tensor.modes.begin(), tensor.modes.end(),
                                         [&](unsigned mode) { return graph.modes[mode].size > 1; });
        most = std::max(most, static_cast<std::size_t>(modes));
    }
    return most;
}

// The whole step in double precision: what lies beyond magnitude x ((1 + u1) (1 + u2) ... - 1).
std::string beyond_bound(const step_definition& step, const values_by_name<float>& given,
                         const values_by_name<float>& found)
{
    auto magnitudes = in_double(given);
    for (auto& [name, values] : magnitudes) {
        for (double& value : values) { value = std::fabs(value); }
    }
    magnitudes = values_along(step, magnitudes);
    const auto exact = values_along(step, in_double(given));
    std::map<std::string, double> roundings;
    for (const auto& c : step.contractions) {
        double terms = 1;
        for (const auto& mode : step.modes.at(c.a)) {
            if (!step.has(c.result, mode)) { terms *= static_cast<double>(step.size(mode)); }
        }
        const double own = (terms + 32) * 0x1p-23 + 0x1p-8;
        roundings[c.result] = (1 + roundings[c.a]) * (1 + roundings[c.b]) * (1 + own) - 1;
        const auto there = found.find(c.result);
        if (there == found.end()) { continue; }
        for (std::size_t i = 0; i < there->second.size(); ++i) {
            const double error = std::fabs(static_cast<double>(there->second[i]) - exact.at(c.result)[i]);
            if (!(error <= roundings[c.result] * magnitudes.at(c.result)[i])) { return c.result; }
        }
    }
    return "";
}

// What the step leaves of whole numbers: the same whatever the order of the sums.
values_by_name<float> naive_step(const planned_step& step, const values_by_name<float>& given)
{
    const auto& definition = step.definition;
    const auto sums = naive_sums(definition, in_double(given));
    values_by_name<float> expected;
    for (const auto& [name, values] : sums) { expected[name].assign(values.begin(), values.end()); }
    for (const auto& core : definition.cores) {
        expected[core] = given.at(core);
        if (!definition.training || !step.plan.settings.update) { continue; }
        auto& master = expected["master of " + core] = given.at("master of " + core);
        for (std::size_t i = 0; i < master.size(); ++i) {
            master[i] += rate * expected.at("d" + core)[i];
            expected[core][i] = rounded_to_bf16(master[i]);
        }
    }
    return expected;
}

class training_steps : public sim_test {
protected:
    // Plans a step. Throws base::input_error when it does not fit such a device.
    void add(const workloads::tensor_network& network, const workloads::contraction_graph& graph,
             const workloads::contraction_tree& tree, bool with_dx, const workloads::step_settings& settings,
             const fetta::device_limits& g)
    {
        step_case c{{define_step(network, tree, settings.training, with_dx), {}}, {}, {}, {}, {}};
        c.step.plan = workloads::plan_step(graph, g, settings);
        c.program = workloads::write_step(c.step.plan, data_base, data_bytes);
        m_cases.push_back(std::move(c));
    }

    // Every case with each of its operands on a fast device, and the first so many of them on a detailed one.
    void run(const fetta::device_limits& g, std::size_t detailed_runs)
    {
        testbench::platform_config settings;
        settings.memory.bytes = memory_bytes;
        std::vector<std::unique_ptr<testbench::testbed_platform<fetta::traits>>> platforms;
        for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
            const bool is_detailed = fidelity == blocks::fidelity::detailed;
            if (is_detailed && detailed_runs == 0) { continue; }
            fetta::config config;
            config.limits = g;
            config.fidelity = fidelity;
            const auto host = [this, config, is_detailed, detailed_runs](bus::host_thread& cpu) {
                testbench::simulated_session<fetta::traits> session(cpu, testbench::device_base, config,
                                                                    testbench::memory_base, memory_bytes);
                for (auto& c : m_cases) {
                    auto& runs = is_detailed ? c.detailed : c.fast;
                    while (runs.size() < (is_detailed ? detailed_runs : c.given.size())) {
                        runs.push_back(workloads::run_step(session, c.step.plan, c.program,
                                                           in_numbers(c.step, c.given[runs.size()]), rate));
                    }
                }
            };
            platforms.push_back(std::make_unique<testbench::testbed_platform<fetta::traits>>(
                is_detailed ? "detailed" : "fast", config, settings, host));
        }
        sc_core::sc_start();
        for (const auto& p : platforms) { EXPECT_TRUE(p->cpu.finished()); }
        for (const auto& c : m_cases) { expect_same(c, detailed_runs); }
    }

    static void expect_same(const step_case& c, std::size_t detailed_runs)
    {
        ASSERT_EQ(c.fast.size(), c.given.size());
        ASSERT_EQ(c.detailed.size(), detailed_runs);
        for (std::size_t r = 0; r < c.fast.size(); ++r) {
            EXPECT_EQ(fetta::engine_cycles(c.fast[r].outcome.counts), c.step.plan.engine_cycles());
            if (r >= detailed_runs) { continue; }
            EXPECT_EQ(c.fast[r].values.tensor, c.detailed[r].values.tensor);
            EXPECT_EQ(c.fast[r].values.master, c.detailed[r].values.master);
            EXPECT_EQ(c.fast[r].outcome.cycles, c.detailed[r].outcome.cycles);
            EXPECT_TRUE(c.fast[r].outcome.counts == c.detailed[r].outcome.counts);
        }
    }

    static std::string fault(const step_case& c, std::size_t run)
    {
        return fault_of(c.step, c.program, c.given[run], by_name(c.step, c.fast[run].values), rate);
    }

    std::vector<step_case> m_cases;
};

// ---- random networks

class training_steps_of_random_networks : public training_steps, public testing::WithParamInterface<unsigned> {};

TEST_P(training_steps_of_random_networks, are_naive_sums_and_ordered_ones)
{
    const unsigned seed = GetParam();
    std::mt19937 random(seed);
    const fetta::device_limits geometries[] = {small_limits(16, 4, 4096, 2048), small_limits(4, 2, 8192, 1024),
                                               small_limits(4, 4, 4096, 1024), small_limits(16, 2, 8192, 2048)};
    const auto& g = geometries[seed % 4];
    unsigned refused = 0;
    while (m_cases.size() < 64) {
        const auto network = random_layer_network(random);
        const auto tree = random_tree(random, network.nodes.size());
        const bool with_dx = random() % 2 == 0;
        workloads::step_settings settings;
        settings.training = random() % 8 != 0;
        settings.update = random() % 2 == 0;
        settings.residency = static_cast<workloads::step_residency>(random() % 5);
        settings.between = static_cast<workloads::between_passes>(random() % 3);
        if (g.engines == 4 && random() % 4 == 0) { // of 16 it takes seconds to plan
            settings.paths = workloads::operand_paths::networks;
            settings.transpose_layer = random() % 2 == 0;
        }
        const std::uint64_t batch = network.sizes.at("b");
        if (settings.residency == workloads::step_residency::keep) {
            settings.block = batch;
        } else if (random() % 2 == 0) {
            settings.block = batch % 2 == 0 && random() % 2 == 0 ? batch / 2 : 1;
        }
        const auto graph = workloads::graph_of(workloads::reverse_mode(network, tree, with_dx), "b");
        if (most_modes(graph) > 6) { continue; } // it takes seconds to plan
        try {
            add(network, graph, tree, with_dx, settings, g);
        } catch (const base::input_error& error) {
            ++refused;
            continue;
        }
        const auto& definition = m_cases.back().step.definition;
        m_cases.back().given = {whole_numbers(random, definition), real_numbers(random, definition)};
    }
    EXPECT_LT(refused, m_cases.size() / 2);
    run(g, 1);
    unsigned not_zero = 0;
    for (std::size_t i = 0; i < m_cases.size() && !HasFailure(); ++i) {
        const auto& c = m_cases[i];
        SCOPED_TRACE(i);
        if (c.step.plan.settings.paths == workloads::operand_paths::gathered) { // only linear operands can be read
            EXPECT_EQ(fault(c, 0), "");
            EXPECT_EQ(fault(c, 1), "");
        }
        const auto found = by_name(c.step, c.fast[0].values);
        for (const auto& [name, values] : naive_step(c.step, c.given[0])) {
            if (found.count(name) != 0) { EXPECT_EQ(found.at(name), values) << name; }
        }
        EXPECT_EQ(beyond_bound(c.step.definition, c.given[1], by_name(c.step, c.fast[1].values)), "");
        const auto& y = found.at("Y");
        not_zero += std::any_of(y.begin(), y.end(), [](float v) { return v != 0; }) ? 1 : 0;
    }
    EXPECT_GT(not_zero, 40u);
}

INSTANTIATE_TEST_SUITE_P(seeds, training_steps_of_random_networks, testing::Range(1u, 9u));

// ---- named layers

struct named_step {
    const char* layer;
    std::uint64_t batch;
    std::optional<std::uint64_t> block;
    workloads::step_residency residency = workloads::step_residency::automatic;

    friend std::ostream& operator<<(std::ostream& out, const named_step& s) { return out << s.layer; }
};

class training_steps_of_layers : public training_steps, public testing::WithParamInterface<named_step> {};

TEST_P(training_steps_of_layers, are_the_ordered_sums)
{
    const auto& named = workloads::find_named_layer(GetParam().layer);
    auto layer = named.layer;
    layer.batch = GetParam().batch;
    const auto tree = workloads::search_sequences(workloads::forward_network(layer), {}).best.front().tree;
    workloads::step_settings settings;
    settings.block = GetParam().block;
    settings.residency = GetParam().residency;
    add(whole_network(layer), workloads::step_graph(layer, tree, !named.first), tree, !named.first, settings,
        fetta::device_limits{});
    std::mt19937 random(5);
    m_cases.back().given = {real_numbers(random, m_cases.back().step.definition)};
    run(fetta::device_limits{}, 0);
    const auto& c = m_cases.back();
    EXPECT_EQ(fault(c, 0), "");
    EXPECT_EQ(beyond_bound(c.step.definition, c.given[0], by_name(c.step, c.fast[0].values)), "");
}

using workloads::step_residency;
INSTANTIATE_TEST_SUITE_P(
    layers, training_steps_of_layers,
    testing::Values(named_step{"ucf-ttm", 6, 1}, named_step{"ucf-ttm", 3, {}, step_residency::spill},
                    named_step{"ucf-ttm", 5, 1, step_residency::micro_batch}, named_step{"atis-tt", 32, {}},
                    named_step{"atis-tt", 12, 3, step_residency::batch_blocked}, named_step{"ucf-tr", 3, 1},
                    named_step{"ucf-ht", 3, 1}, named_step{"ucf-bt", 3, 1}, named_step{"bert-tt-attention", 20, {}}),
    [](const auto& test) {
        std::string name = test.param.layer;
        const auto residency = static_cast<std::size_t>(test.param.residency);
        if (residency != 0) { name += std::string("-") + workloads::step_residency_values[residency].name; }
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

} // namespace
