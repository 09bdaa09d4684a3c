// The weight-stationary rival of FETTA, run: every golden step on a systolic array of 16 x 16 bf16 elements takes
// exactly the cycles that the evaluation of accelerators says of a TPU, with weights loaded beside the stream and
// without, and gives the sums in the order of its tiles.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/blocks/systolic_array.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include "models/blocks/array_bench.h"
#include "models/blocks/product_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arithmetic::bfloat16;

std::vector<product_sizes> golden_steps()
{
    std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/golden_step_cycles.csv");
    std::string header;
    std::getline(file, header);
    std::vector<product_sizes> steps;
    std::uint64_t m = 0, n = 0, k = 0, cycles = 0;
    char comma = 0;
    for (product_sizes s{}; file >> s.batch >> comma >> m >> comma >> n >> comma >> k >> comma >> cycles;) {
        steps.push_back({s.batch, m, n, k});
    }
    return steps;
}

// What the evaluation says of an array that holds W, each row of X in so many cycles.
double evaluated_cycles(const product_sizes& s, bool streaming, unsigned row_cycles)
{
    auto machine = workloads::find_accelerator("tpu");
    machine.double_buffered = streaming;
    const workloads::array_product product{s.batch, s.rows, s.columns, s.depth};
    workloads::line_factors factors;
    factors.x = row_cycles;
    return workloads::loops_of(machine, workloads::held_tensor::weight, product).cycles(machine, factors);
}

class weight_stationary_rival_test : public sim_test {
protected:
    blocks::systolic_array& array(bool streaming, blocks::fidelity model)
    {
        m_arrays.push_back(blocks::make_systolic_array(("array_" + std::to_string(m_arrays.size())).c_str(),
                                                       settings(streaming, model), m_stop));
        return *m_arrays.back();
    }
    static blocks::systolic_array_config settings(bool streaming, blocks::fidelity model)
    {
        blocks::systolic_array_config c;
        c.format = base::element_type::bf16;
        c.streaming = streaming;
        c.model = model;
        c.clock_period = array_period();
        return c;
    }

    bus::stop_request m_stop;
    std::vector<std::unique_ptr<blocks::systolic_array>> m_arrays;
    std::mt19937_64 m_random{7};
};

TEST_F(weight_stationary_rival_test, takes_the_cycles_of_the_evaluation_in_every_golden_step)
{
    constexpr std::uint64_t most_detailed = 5000; // cycles
    const auto steps = golden_steps();
    ASSERT_EQ(steps.size(), 83u);
    for (const bool streaming : {false, true}) {
        for (const auto model : {blocks::fidelity::fast, blocks::fidelity::detailed}) { array(streaming, model); }
    }
    unsigned detailed_runs = 0;
    simulate([&] {
        for (const auto& s : steps) {
            const product_bench<bfloat16> bench(s, m_random, ordinary_element<bfloat16, std::mt19937_64>);
            std::uint64_t none = 0;
            const auto expected = bench.expected(16, none);
            for (std::size_t a = 0; a < m_arrays.size(); ++a) {
                const bool streaming = a >= 2, detailed = a % 2 == 1;
                const double evaluated = evaluated_cycles(s, streaming, 1);
                if (detailed && evaluated > most_detailed) { continue; }
                auto run = bench;
                const auto tiles = run.tiles(settings(streaming, blocks::fidelity::fast));
                ASSERT_EQ(static_cast<double>(m_arrays[a]->multiply(tiles).cycles), evaluated)
                    << s.batch << " x " << s.rows << " x " << s.columns << " over " << s.depth << ", array " << a;
                ASSERT_TRUE(same_bits(run.result, expected));
                detailed_runs += detailed ? 1 : 0;
            }
        }
    });
    EXPECT_GT(detailed_runs, 60u);
}

// Lines of X in another order: each row comes through in several cycles.
TEST_F(weight_stationary_rival_test, waits_for_rows_as_long_as_the_evaluation_says)
{
    auto& fast = array(true, blocks::fidelity::fast);
    auto& detailed = array(true, blocks::fidelity::detailed);
    simulate([&] {
        for (const product_sizes s : {product_sizes{1, 96, 9, 40}, {2, 5, 20, 33}, {1, 16, 16, 40}, {3, 7, 16, 16}}) {
            for (const unsigned row_cycles : {1u, 2u, 5u, 16u}) {
                product_bench<bfloat16> bench(s, m_random, ordinary_element<bfloat16, std::mt19937_64>);
                auto tiles = bench.tiles(settings(true, blocks::fidelity::fast));
                for (auto& tile : tiles) { tile.rows.pace.row_cycles = row_cycles; }
                const double evaluated = evaluated_cycles(s, true, row_cycles);
                EXPECT_EQ(static_cast<double>(fast.multiply(tiles).cycles), evaluated) << s.rows << ", " << row_cycles;
                EXPECT_EQ(static_cast<double>(detailed.multiply(tiles).cycles), evaluated) << s.rows;
            }
        }
    });
}

// The table of an accelerator holds the operand of fewer cycles: a contraction by itself, its tensors in ideal orders.
TEST_F(weight_stationary_rival_test, the_table_has_the_cycles_of_the_better_of_both_operands)
{
    auto& fast = array(true, blocks::fidelity::fast);
    const auto technology = costs::load_technology("fetta-7nm");
    workloads::evaluation_settings rules;
    rules.layouts = workloads::line_layouts::ideal;
    rules.update = false;
    const std::vector<product_sizes> steps{{1, 96, 9, 40}, {1, 40, 4, 16}, {1, 128, 64, 16}, {1, 12, 12, 240}};
    simulate([&] {
        for (const auto& s : steps) {
            std::uint64_t fewest = ~std::uint64_t{0};
            for (const bool turned : {false, true}) {
                const product_sizes as = turned ? product_sizes{s.batch, s.columns, s.rows, s.depth} : s;
                product_bench<bfloat16> bench(as, m_random, ordinary_element<bfloat16, std::mt19937_64>);
                const auto outcome = fast.multiply(bench.tiles(settings(true, blocks::fidelity::fast)));
                fewest = std::min(fewest, outcome.cycles);
            }
            const auto graph = workloads::product_graph(s.batch, s.rows, s.columns, s.depth);
            const auto found = workloads::evaluate_apart(workloads::find_accelerator("tpu"), graph, technology, rules);
            EXPECT_EQ(found.compute_cycles, fewest) << s.rows << " x " << s.columns << " over " << s.depth;
            EXPECT_EQ(found.conflict_cycles, 0u);
        }
    });
}

} // namespace
