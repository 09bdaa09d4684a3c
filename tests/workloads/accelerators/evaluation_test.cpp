#include <algorithm>
#include <numeric>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "accelerators/lpddr4.h"

using namespace tensorloom;
using namespace tensorloom::workloads;
using test::settings_of;

namespace {

contraction_graph step_of(const char* name)
{
    const auto& named = find_named_layer(name);
    const auto tree = named_sequence(forward_network(named.layer), "csse-macs");
    return step_graph(named.layer, *tree, !named.first);
}

evaluation evaluated(const char* machine, const contraction_graph& graph, const evaluation_settings& settings)
{
    const auto found = evaluate(find_accelerator(machine), graph, costs::load_technology("fetta-7nm"), settings);
    EXPECT_TRUE(found) << machine;
    return found.value_or(evaluation());
}

template <class Member> std::uint64_t sum_of(const evaluation& e, Member member)
{
    return std::accumulate(e.contractions.begin(), e.contractions.end(), std::uint64_t{0},
                           [member](std::uint64_t sum, const auto& c) { return sum + c.*member; });
}

void expect_sums(const evaluation& e)
{
    using row = evaluated_contraction;
    EXPECT_EQ(sum_of(e, &row::compute_cycles), e.compute_cycles);
    EXPECT_EQ(sum_of(e, &row::conflict_cycles), e.conflict_cycles);
    EXPECT_EQ(sum_of(e, &row::reorder_cycles), e.reorder_cycles);
    EXPECT_EQ(sum_of(e, &row::dram_cycles), e.dram_cycles);
    EXPECT_EQ(sum_of(e, &row::macs), e.macs);
    EXPECT_EQ(sum_of(e, &row::read_bytes) + e.rest_read_bytes, e.read_bytes);
    EXPECT_EQ(sum_of(e, &row::written_bytes) + e.rest_written_bytes, e.written_bytes);
    EXPECT_EQ(sum_of(e, &row::sram_rows) + e.rest_sram_rows, e.sram_rows);
    EXPECT_LT(e.rest_read_bytes, e.read_bytes); // a difference below 0 would be huge
    EXPECT_LT(e.rest_written_bytes, e.written_bytes);
    EXPECT_LT(e.rest_sram_rows, e.sram_rows);
    EXPECT_EQ(e.counts[fetta::event::mac], e.macs);
    EXPECT_GE(e.cycles, e.compute_cycles + e.conflict_cycles);
    EXPECT_NEAR(e.utilisation, static_cast<double>(e.macs) / 256 / static_cast<double>(e.cycles), 1e-12);
    double pj = 0, of_rows = 0;
    for (const auto& part : e.energy) { pj += part.pj; }
    EXPECT_NEAR(pj, e.energy_pj, 1e-6 * pj);
    EXPECT_EQ(e.energy.back().component, "dram_background");
    for (const auto& c : e.contractions) {
        of_rows += c.energy_pj;
        EXPECT_GT(c.utilisation(), 0);
        EXPECT_LE(c.utilisation(), 1);
    }
    double constant = e.energy.back().pj;
    for (const auto& part : e.energy) {
        constant += part.component == "others" || part.component == "leakage" ? part.pj : 0;
    }
    EXPECT_GT(of_rows, 0);
    EXPECT_LE(of_rows, (pj - constant) * (1 + 1e-9));
}

TEST(evaluation, parts_sum_to_totals)
{
    for (const char* layer : {"ucf-ttm", "atis-tt"}) {
        const auto graph = step_of(layer);
        for (const auto& machine : accelerators()) {
            // The layouts of fetta-networks are searched, which takes long.
            const bool is_large = machine.reordering == data_reordering::permuted && layer != std::string("atis-tt");
            if (!machine.trains || is_large) { continue; }
            SCOPED_TRACE(machine.name + ", " + layer);
            for (const auto residency :
                 {evaluated_residency::blocked, evaluated_residency::kept, evaluated_residency::spilled}) {
                SCOPED_TRACE("residency " + std::to_string(static_cast<int>(residency)));
                const auto e = evaluated(machine.name.c_str(), graph, settings_of(residency));
                expect_sums(e);
                EXPECT_GE(e.macs, graph.macs());
            }
            const auto apart = evaluate_apart(machine, graph, costs::load_technology("fetta-7nm"), settings_of());
            expect_sums(apart);
            EXPECT_EQ(apart.macs, graph.macs());
        }
    }
}

// Whatever the rule: a cap or a factor for all.
TEST(evaluation, more_conflicts_are_never_faster)
{
    const auto graph = step_of("ucf-ttm");
    const auto cycles = [&](const char* machine, line_layouts layouts, double most, double fixed) {
        auto s = settings_of();
        s.layouts = layouts;
        s.most_conflicts = most;
        s.fixed_conflicts = fixed;
        return evaluated(machine, graph, s).cycles;
    };
    for (const char* machine : {"tpu", "sigma"}) {
        const std::uint64_t ideal = cycles(machine, line_layouts::ideal, 16, 0);
        for (const auto layouts : {line_layouts::natural, line_layouts::searched}) {
            EXPECT_EQ(cycles(machine, layouts, 1, 0), ideal);
            std::uint64_t before = ideal, fixed_before = ideal;
            for (const double most : {2.0, 4.0, 8.0, 16.0}) {
                const auto capped = cycles(machine, layouts, most, 0), fixed = cycles(machine, layouts, 16, most);
                EXPECT_GE(capped, before) << machine << ", at most " << most;
                EXPECT_GE(fixed, fixed_before) << machine << ", " << most;
                EXPECT_GE(fixed, capped);
                before = capped;
                fixed_before = fixed;
            }
        }
        EXPECT_GT(cycles(machine, line_layouts::natural, 16, 0), 3 * ideal / 2) << machine;
    }
    EXPECT_GT(cycles("tpu", line_layouts::searched, 16, 0), 3 * cycles("tpu", line_layouts::ideal, 16, 0) / 2);
}

TEST(evaluation, a_tpu_that_reorders_through_dram_is_faster_and_takes_more_energy)
{
    const auto graph = step_of("ucf-ttm");
    const auto tpu = evaluated("tpu", graph, settings_of()), offchip = evaluated("tpu-offchip", graph, settings_of());
    EXPECT_LT(offchip.cycles, tpu.cycles);
    EXPECT_GT(offchip.energy_pj, tpu.energy_pj);
    EXPECT_GT(offchip.read_bytes, tpu.read_bytes);
    EXPECT_EQ(offchip.conflict_cycles, 0u);
    // What is not moved for contractions is the same for both: cores, lists, program.
    const auto spilled = settings_of(evaluated_residency::spilled);
    EXPECT_EQ(evaluated("tpu", graph, spilled).rest_read_bytes,
              evaluated("tpu-offchip", graph, spilled).rest_read_bytes);
    EXPECT_EQ(evaluated("tpu", graph, spilled).rest_written_bytes,
              evaluated("tpu-offchip", graph, spilled).rest_written_bytes);
    EXPECT_EQ(evaluated("tpu", graph, spilled).rest_sram_rows, evaluated("tpu-offchip", graph, spilled).rest_sram_rows);
    EXPECT_EQ(tpu.reorder_cycles, 0u);
}

TEST(evaluation, tiles_that_are_loaded_one_after_the_other_are_slower)
{
    const auto graph = step_of("ucf-ttm");
    auto s = settings_of();
    const auto hidden = evaluated("tpu", graph, s);
    s.double_buffered = false;
    EXPECT_GT(evaluated("tpu", graph, s).cycles, hidden.cycles);
    for (const char* other : {"fetta", "sigma", "treta"}) {
        EXPECT_EQ(evaluated(other, graph, s).cycles, evaluated(other, graph, settings_of()).cycles) << other;
    }
}

// Layouts that are not searched cost FETTA, too; whole plans have what conflicts are left.
TEST(evaluation, fetta_counts_conflicts_in_whole_plans)
{
    const auto graph = step_of("ucf-ht");
    auto s = settings_of();
    const auto free = evaluated("fetta", graph, s);
    s.whole_plans = true;
    const auto whole = evaluated("fetta", graph, s);
    EXPECT_EQ(free.conflict_cycles, 0u);
    EXPECT_EQ(whole.conflict_cycles, 50688u); // of the device
    s.layouts = line_layouts::natural;
    const auto natural = evaluated("fetta", graph, s);
    EXPECT_LT(free.cycles, whole.cycles);
    EXPECT_LT(whole.cycles, natural.cycles);
}

TEST(evaluation, intermediates_that_are_kept_are_not_moved)
{
    const auto graph = step_of("ucf-tt");
    const auto kept = evaluated("tpu", graph, settings_of(evaluated_residency::kept));
    const auto spilled = evaluated("tpu", graph, settings_of(evaluated_residency::spilled));
    std::uint64_t saved = 0; // each is written once, and read by every contraction that uses it
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        const bool between = graph.maker(t) && graph.is_batched(t) && !graph.users(t).empty();
        if (between && graph.elements(t) <= 131072) { saved += 2 * graph.elements(t) * (1 + graph.users(t).size()); }
    }
    EXPECT_GT(saved, 0u);
    EXPECT_EQ(kept.blocks, spilled.blocks);
    EXPECT_EQ(
        sum_of(spilled, &evaluated_contraction::read_bytes) + sum_of(spilled, &evaluated_contraction::written_bytes) -
            sum_of(kept, &evaluated_contraction::read_bytes) - sum_of(kept, &evaluated_contraction::written_bytes),
        saved);
}

// Two or three products of the batch's rows with W; the update moves every parameter as master (4 bytes in, 4 out),
// gradient (4 out of the product, 4 in) and weight (2 out).
TEST(evaluation, dense_layers_move_their_weights)
{
    const auto& layer = find_named_layer("ucf-ttm").layer;
    const std::uint64_t parameters = std::uint64_t{57600} * 1024;
    for (const bool with_dx : {false, true}) {
        const auto graph = dense_graph(layer, with_dx);
        for (const char* machine : {"tpu", "fetta"}) {
            auto s = settings_of();
            s.layouts = line_layouts::ideal;
            const auto found = evaluate_apart(find_accelerator(machine), graph, costs::load_technology("fetta-7nm"), s);
            EXPECT_EQ(found.macs, (with_dx ? 3 : 2) * dense_macs(layer));
            EXPECT_EQ(found.contractions.size(), with_dx ? 3u : 2u);
            EXPECT_EQ(found.rest_read_bytes, 8 * parameters);
            EXPECT_EQ(found.rest_written_bytes, 6 * parameters);
            EXPECT_GE(found.read_bytes, (with_dx ? 12 : 10) * parameters);
            EXPECT_GE(found.written_bytes, 10 * parameters);
            EXPECT_GT(found.cycles, found.macs / 256 + 14 * parameters / 26);
            s.training = false;
            const auto forward = evaluate_apart(find_accelerator(machine), graph, costs::load_technology("fetta-7nm"), s);
            EXPECT_EQ(forward.macs, dense_macs(layer));
            EXPECT_EQ(forward.rest_written_bytes, 0u);
        }
    }
}

// Of a small layer, beside every candidate.
TEST(best_sequence, is_the_best_of_all_candidates_on_the_accelerator)
{
    auto layer = find_named_layer("atis-tt").layer;
    layer.batch = 8;
    const auto network = forward_network(layer);
    search_request request;
    request.top = 4;
    const auto technology = costs::load_technology("fetta-7nm");
    for (const char* name : {"fetta", "tpu"}) {
        const auto& machine = find_accelerator(name);
        const auto cost = [&](const contraction_tree& tree) {
            return evaluate(machine, step_graph(layer, tree, true), technology, settings_of())->cycles;
        };
        std::uint64_t fewest = ~std::uint64_t{0};
        for (const auto& tree : candidates_of(network, request).trees) { fewest = std::min(fewest, cost(tree)); }
        const auto best = best_sequence(machine, layer, true, mapping_objective::latency, technology, settings_of());
        EXPECT_EQ(cost(best), fewest) << name;
    }
}

} // namespace
