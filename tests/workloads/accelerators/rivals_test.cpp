#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/accelerators/baseline_array.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "accelerators/lpddr4.h"

using namespace tensorloom;
using namespace tensorloom::workloads;
using fetta::event;

namespace {

std::vector<contraction_work> works_of(const char* machine, const contraction_graph& graph,
                                       const evaluation_settings& settings)
{
    return array_of(find_accelerator(machine), settings)
        ->work_of(graph, std::vector<contraction_form>(graph.contractions.size()));
}

contraction_graph batched_step_of(const char* name)
{
    const auto& layer = find_named_layer(name).layer;
    return with_batch(step_graph(layer, *named_sequence(forward_network(layer), "csse-macs"), true), 4);
}

TEST(accelerators, have_names_of_their_own)
{
    std::set<std::string> names;
    for (const auto& a : accelerators()) {
        EXPECT_TRUE(names.insert(a.name).second) << a.name;
        EXPECT_FALSE(a.meaning.empty()) << a.name;
        EXPECT_FALSE(a.holds.empty()) << a.name;
        EXPECT_EQ(find_accelerator(a.name).meaning, a.meaning);
        EXPECT_TRUE(a.trains || a.sequence != nullptr) << a.name;
    }
    EXPECT_EQ(accelerators().front().name, "fetta");
    try {
        find_accelerator("gpu");
        FAIL();
    } catch (const base::input_error& e) {
        EXPECT_NE(std::string(e.what()).find("found accelerator 'gpu', expected one of fetta, tpu"), std::string::npos)
            << e.what();
    }
}

// Those of inference, for every layer that they take.
TEST(accelerators, contract_their_layers_in_their_order)
{
    unsigned sequences = 0;
    for (const auto& a : accelerators()) {
        for (const auto& named : named_layers()) {
            if (a.sequence == nullptr || !a.takes(named.layer.format)) { continue; }
            const auto tree = a.sequence(named.layer);
            EXPECT_NO_THROW(check_tree(forward_network(named.layer), tree)) << a.name << ", " << named.name;
            ++sequences;
        }
    }
    EXPECT_GT(sequences, 30u);
    const auto macs = [](const char* machine, const char* layer) {
        const auto& of = find_named_layer(layer).layer;
        return costs_of(forward_network(of), find_accelerator(machine).sequence(of)).macs;
    };
    EXPECT_EQ(macs("tie", "ucf-ttm"), 185991168u);
    EXPECT_EQ(macs("ette", "ucf-tt"), 23857920u);
    EXPECT_EQ(macs("tetrix", "ucf-tr"), 246441600u);
    const auto ht = find_named_layer("ucf-ht").layer;
    EXPECT_EQ(tree_text(forward_network(ht), find_accelerator("fdht").sequence(ht)),
              "((((((X.U4).U3).B3_4).U2).U1).B1_2).B1_4");
    auto nm = find_named_layer("ucf-tt").layer;
    nm.order = core_order::nm;
    EXPECT_EQ(tree_text(forward_network(nm), find_accelerator("ette").sequence(nm)).substr(0, 12), "((((((X.G1).");
}

double array_cycles(const char* machine, const contraction_graph& graph, line_layouts layouts)
{
    evaluation_settings s;
    s.memory = test::lpddr4();
    s.layouts = layouts;
    double sum = 0;
    for (const auto& w : works_of(machine, graph, s)) {
        sum += static_cast<double>(w.cycles + w.conflicts) + w.reorder_cycles;
    }
    return sum;
}

// The array alone: what one order for all uses costs, and what it saves to choose it.
TEST(line_layouts, ideal_ones_take_least_and_natural_ones_most)
{
    for (const char* machine : {"tpu", "tpu-offchip", "sigma", "treta", "tetrix"}) {
        bool any_saved = false;
        for (const char* layer : {"ucf-ttm", "ucf-tt", "ucf-ht", "ucf-bt", "atis-tt"}) {
            const auto graph = batched_step_of(layer);
            const auto cycles = [&](line_layouts layouts) { return array_cycles(machine, graph, layouts); };
            const double ideal = cycles(line_layouts::ideal), searched = cycles(line_layouts::searched);
            const double natural = cycles(line_layouts::natural);
            EXPECT_LE(ideal, searched) << machine << ", " << layer;
            EXPECT_LE(searched, natural) << machine << ", " << layer;
            any_saved = any_saved || searched < natural;
        }
        EXPECT_TRUE(any_saved) << machine;
    }
}

// Every order of every tensor's modes, taken for the natural one: T is used twice, once over its samples.
TEST(line_layouts, searched_ones_are_about_the_best_of_all_orders)
{
    contraction_graph graph;
    graph.modes = {{"i", 12}, {"j", 20}, {"k", 8}, {"l", 6}, {"m", 10}, {"none", 1}};
    graph.batch = 5;
    graph.tensors = {{"X", {0, 1, 2}, {}}, {"W", {2, 3}, {}},    {"T", {0, 1, 3}, {}}, {"V", {3, 4}, {}},
                     {"Y", {0, 1, 4}, {}}, {"D", {0, 1, 4}, {}}, {"dV", {3, 4}, {}}};
    graph.contractions = {{step_phase::fp, 0, 1, 2}, {step_phase::fp, 2, 3, 4}, {step_phase::wg, 2, 5, 6}};
    for (const char* machine : {"tpu", "tpu-offchip", "sigma"}) {
        double best = std::numeric_limits<double>::infinity();
        auto permuted = graph;
        const std::function<void(std::size_t)> permute = [&](std::size_t t) {
            if (t == permuted.tensors.size()) {
                best = std::min(best, array_cycles(machine, permuted, line_layouts::natural));
                return;
            }
            auto& modes = permuted.tensors[t].modes;
            std::sort(modes.begin(), modes.end());
            do {
                permute(t + 1);
            } while (std::next_permutation(modes.begin(), modes.end()));
        };
        permute(0);
        const double searched = array_cycles(machine, graph, line_layouts::searched);
        EXPECT_GE(searched, best * (1 - 1e-9)) << machine;
        EXPECT_LE(searched, best * 1.05) << machine;
    }
}

// Y[m,n] = X[k,m] W[k,n], k a sum over the batch: the array wants X along k, where it lies along m.
contraction_graph turned_product(std::uint64_t k, std::uint64_t m, std::uint64_t n)
{
    contraction_graph graph;
    graph.modes = {{"k", k}, {"m", m}, {"n", n}};
    graph.batch = 0;
    graph.tensors = {{"X", {0, 1}, {}}, {"W", {0, 2}, {}}, {"Y", {1, 2}, {}}};
    graph.contractions = {{step_phase::wg, 0, 1, 2}};
    return graph;
}

TEST(baseline_array, reads_sixteen_lines_for_one_that_lies_across)
{
    evaluation_settings s;
    s.memory = test::lpddr4();
    const auto graph = turned_product(64, 128, 128);
    const auto works = works_of("tpu", graph, s);
    // 4 x 8 tiles, 128 rows of 16 lines each; either operand may pass.
    EXPECT_EQ(works[0].cycles, 4u * 8 * 128 + 46);
    EXPECT_EQ(works[0].conflicts, 4u * 8 * 128 * 15);
    EXPECT_EQ(works[0].counts[event::ia_row_read], 4u * 16 * 4 * 8 * 128);
    EXPECT_EQ(works[0].in_other_order, 1u);
    s.most_conflicts = 4;
    EXPECT_EQ(works_of("tpu", graph, s)[0].conflicts, 4u * 8 * 128 * 3);
    s.fixed_conflicts = 2;
    EXPECT_EQ(works_of("tpu", graph, s)[0].conflicts, 4u * 8 * 128);
}

TEST(baseline_array, reorders_an_operand_through_memory_once)
{
    evaluation_settings s;
    s.memory = test::lpddr4();
    const auto graph = turned_product(64, 128, 256);
    const auto work = works_of("tpu-offchip", graph, s)[0];
    const std::uint64_t bytes = 2 * 64 * 128; // the smaller operand passes
    EXPECT_EQ(work.conflicts, 0u);
    EXPECT_EQ(work.reordered_bytes, bytes);
    EXPECT_EQ(work.in_other_order, 1u);
    EXPECT_DOUBLE_EQ(work.reorder_cycles, 2 * (47 + static_cast<double>(bytes) / 23.8));
    s.run_cycles = 30; // of each line of 16 elements
    EXPECT_DOUBLE_EQ(works_of("tpu-offchip", graph, s)[0].reorder_cycles,
                     2 * (47 + static_cast<double>(bytes) / 23.8) + 30 * 64 * 128 / 16);
}

TEST(baseline_array, one_that_looks_ahead_leaves_what_is_between_in_registers)
{
    const auto& layer = find_named_layer("atis-tt").layer;
    const auto& ette = find_accelerator("ette");
    const auto graph = network_graph(forward_network(layer), ette.sequence(layer));
    evaluation_settings s;
    s.layouts = line_layouts::ideal;
    const auto works = works_of("ette", graph, s);
    for (std::size_t c = 0; c < works.size(); ++c) {
        const auto& of = graph.contractions[c];
        const auto& n = works[c].counts;
        EXPECT_EQ(n[event::result_row_write] == 0, c + 1 < works.size()) << c;
        EXPECT_EQ(n[event::ia_row_read] == 0, c > 0) << graph.tensors[of.a].name; // X, then what was made of it
        EXPECT_GT(n[event::ib_row_read], 0u);
    }
}

// Sums of K are not added between engines: K = 4096 x 1 x 1 leaves all but one of them idle.
TEST(baseline_array, engines_without_networks_do_not_share_a_sum)
{
    evaluation_settings s;
    s.layouts = line_layouts::ideal;
    const auto graph = turned_product(4096, 4, 4);
    const std::uint64_t fetta = works_of("fetta", graph, s)[0].cycles, treta = works_of("treta", graph, s)[0].cycles;
    EXPECT_GE(treta, 4096u);
    EXPECT_LT(fetta, 4096u / 8);
}

// 64 products of a batch share nothing: no copies. One product of 64 x 64 in 4 x 4 parts: each operand in four engines.
TEST(baseline_array, engines_without_networks_write_copies)
{
    evaluation_settings s;
    s.layouts = line_layouts::ideal;
    contraction_graph graph;
    graph.modes = {{"b", 64}, {"m", 16}, {"n", 16}, {"k", 16}};
    graph.batch = 0;
    graph.tensors = {{"X", {0, 1, 3}, {}}, {"W", {0, 3, 2}, {}}, {"Y", {0, 1, 2}, {}}};
    graph.contractions = {{step_phase::fp, 0, 1, 2}};
    EXPECT_EQ(works_of("treta", graph, s)[0].counts[event::result_row_write],
              works_of("fetta", graph, s)[0].counts[event::result_row_write]);
    const auto square = turned_product(256, 64, 64);
    EXPECT_GT(works_of("treta", square, s)[0].counts[event::result_row_write],
              works_of("fetta", square, s)[0].counts[event::result_row_write]);
}

} // namespace
