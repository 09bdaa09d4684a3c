// Energy of a FETTA against the rows of the paper's Table III, and by hand from the figures of the technologies.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace costs;
using fetta::device_energy;
using fetta::energy_settings;
using fetta::event;

double pj(const energy_model& model, event e) { return model.costs[static_cast<std::size_t>(e)].pj; }
bool estimate(const energy_model& model, event e) { return model.costs[static_cast<std::size_t>(e)].estimate; }

/// Energy by component of one cycle of 1 ns with these counts.
std::vector<component_energy> cycle_of(const energy_model& model,
                                       const std::vector<std::pair<event, unsigned>>& counted)
{
    fetta::counts counts;
    for (const auto& [e, n] : counted) { counts[e] = n; }
    std::vector<component_energy> energies;
    add_energy(energies, model, counts.data(), 1);
    return energies;
}

double of(const std::vector<component_energy>& energies, const std::string& component)
{
    for (const auto& e : energies) {
        if (e.component == component) { return e.pj; }
    }
    ADD_FAILURE() << "no component " << component;
    return 0;
}

/// Table III: power at 1 GHz in mW, area in um^2, and leakage of this area in mW, of 3.72 nW/um^2 of logic and 9.75 of
/// SRAM.
struct row {
    double mw, um2, leaks;
};
constexpr row engines{58.22, 26685.70, 26685.70 * 3.72e-6}, distribution{1.37, 1283.16, 1283.16 * 3.72e-6},
    reduction{4.88, 7756.40, 7756.40 * 3.72e-6}, memory{22.34, 113942.40, 113942.40 * 9.75e-6},
    accumulators{7.33, 25820.96, 25820.96 * 9.75e-6}, vector_unit{8.45, 13904.87, 13904.87 * 3.72e-6};
constexpr double table_leakage =
    engines.leaks + distribution.leaks + reduction.leaks + memory.leaks + accumulators.leaks + vector_unit.leaks;

/// Gather and scatter buffers of the paper's FETTA in 7nm, which the table does not have: 64 rows of 4 words, of 16
/// bits in both gather buffers and of 32 in the scatter buffer, in flip-flops of 4 NAND2; a switch of 4 x 4 wire
/// pitches for each of their bits and each of 64 lanes. A word drives the wires past 320 switches.
constexpr double buffer_word_pj = 16 * 320 * 4 * 0.048e-3 * 60e-3;
constexpr double buffer_bits = 64 * 4 * (2 * 16 + 32);
constexpr double buffer_um2 = buffer_bits * (4 * 1.2 * 0.05832 + 64 * (4 * 0.048) * (4 * 0.048));
constexpr double buffer_leakage = buffer_um2 * 3.72e-6;

/// The cycle of Table III as it is read: everything works.
const std::vector<std::pair<event, unsigned>> table_cycle = {{event::mac, 256},
                                                             {event::ia_element, 64},
                                                             {event::ia_row_read, 16},
                                                             {event::reduction_element, 64},
                                                             {event::accumulator_psum, 64},
                                                             {event::vector_op, 64}};

void expect_table(const std::vector<component_energy>& cycle)
{
    // mW at 1 GHz: pJ per cycle
    EXPECT_NEAR(of(cycle, "engines"), engines.mw - engines.leaks, 1e-9);
    EXPECT_NEAR(of(cycle, "reduction_network"), reduction.mw - reduction.leaks, 1e-9);
    EXPECT_NEAR(of(cycle, "distribution_network"), distribution.mw - distribution.leaks, 1e-9);
    EXPECT_NEAR(of(cycle, "vector_unit"), vector_unit.mw - vector_unit.leaks, 1e-9);
    EXPECT_NEAR(of(cycle, "unified_memory"), memory.mw - memory.leaks, 1e-9);
    EXPECT_NEAR(of(cycle, "accumulation_unit"), accumulators.mw - accumulators.leaks, 1e-9);
    EXPECT_NEAR(of(cycle, "others"), 2.70, 1e-9);
    EXPECT_NEAR(of(cycle, "leakage"), table_leakage + buffer_leakage, 1e-9);
    EXPECT_EQ(of(cycle, "buffers"), 0);
}

TEST(fetta_table_3, rates_times_energies_are_its_rows)
{
    const auto cycle = cycle_of(fetta::device_energy(load_technology("fetta-7nm"), {}), table_cycle);
    expect_table(cycle);
    EXPECT_EQ(cycle.size(), 9u);
    EXPECT_NEAR(total_pj(cycle), 105.29 + buffer_leakage, 1e-9);
    energy_settings paper;
    paper.has_buffers = false;
    const auto without = cycle_of(fetta::device_energy(load_technology("fetta-7nm"), paper), table_cycle);
    EXPECT_NEAR(total_pj(without), 105.29, 1e-9);
    EXPECT_NEAR(total_pj(without) - of(without, "others"), 102.59, 1e-9); // what the paper prints as the total
}

TEST(fetta_buffers, cost_registers_and_wires)
{
    const auto model = fetta::device_energy(load_technology("fetta-7nm"), {});
    EXPECT_NEAR(pj(model, event::buffer_row), 2 * 0.0426375, 1e-12);
    EXPECT_NEAR(pj(model, event::buffer_word), buffer_word_pj, 1e-12);
    EXPECT_TRUE(estimate(model, event::buffer_row) && estimate(model, event::buffer_word));
    energy_settings s;
    s.limits.side = 8;
    s.limits.engines = 4;
    const auto wide = fetta::device_energy(load_technology("fetta-7nm"), s);
    EXPECT_NEAR(pj(wide, event::buffer_row), 2 * pj(model, event::buffer_row), 1e-12);
    EXPECT_NEAR(pj(wide, event::buffer_word), buffer_word_pj * (4 * 64 + 32) / 320, 1e-12);
}

TEST(fetta_table_3, other_readings_give_the_same_rows_at_their_own_rates)
{
    energy_settings s;
    s.distributed_elements = 128;
    s.memory_rows = 32;
    const auto both = cycle_of(fetta::device_energy(load_technology("fetta-7nm"), s), {{event::mac, 256},
                                                                                       {event::ia_element, 64},
                                                                                       {event::ib_element, 64},
                                                                                       {event::ia_row_read, 16},
                                                                                       {event::ib_row_read, 16},
                                                                                       {event::reduction_element, 64},
                                                                                       {event::accumulator_psum, 64},
                                                                                       {event::vector_op, 64}});
    expect_table(both);
    s = {};
    s.table_psum = s.limits.psum = element_type::bf16;
    const auto narrow = fetta::device_energy(load_technology("fetta-7nm"), s);
    expect_table(cycle_of(narrow, table_cycle));
}

TEST(fetta_table_3, leakage_is_part_of_it_at_work_or_not_and_full_activity_stays_as_it_is)
{
    const auto model = fetta::device_energy(load_technology("fetta-7nm"), {});
    EXPECT_NEAR(total_pj(cycle_of(model, table_cycle)), 105.29 + buffer_leakage, 1e-9);
    const auto idle = cycle_of(model, {});
    EXPECT_NEAR(total_pj(idle), table_leakage + buffer_leakage + 2.70, 1e-9);
    const auto half = cycle_of(model, {{event::mac, 128}});
    EXPECT_NEAR(total_pj(half) - total_pj(idle), (engines.mw - engines.leaks) / 2, 1e-9);
    energy_settings s;
    s.distributed_elements = 128;
    s.memory_rows = 32;
    s.clock_ghz = 2; // leaks as at 1 GHz
    EXPECT_NEAR(total_pj(cycle_of(fetta::device_energy(load_technology("fetta-7nm"), s), {})),
                table_leakage + buffer_leakage + 2 * 2.70, 1e-9);
}

TEST(fetta_table_3, leakage_is_scaled_and_nothing_else)
{
    auto tech = load_technology("fetta-7nm");
    tech.scale_leakage(3);
    const auto cycle = cycle_of(fetta::device_energy(tech, {}), table_cycle);
    EXPECT_NEAR(of(cycle, "leakage"), 3 * (table_leakage + buffer_leakage), 1e-9);
    EXPECT_NEAR(of(cycle, "engines"), engines.mw - engines.leaks, 1e-9);
}

TEST(fetta_table_3, leakage_knows_its_blocks)
{
    const auto model = fetta::device_energy(load_technology("fetta-7nm"), {});
    const std::pair<const char*, double> parts[] = {{"engines", engines.leaks},
                                                    {"distribution_network", distribution.leaks},
                                                    {"reduction_network", reduction.leaks},
                                                    {"unified_memory", memory.leaks},
                                                    {"accumulation_unit", accumulators.leaks},
                                                    {"vector_unit", vector_unit.leaks},
                                                    {"buffers", buffer_leakage},
                                                    {"others", 2.70}};
    ASSERT_EQ(model.leakage.size(), std::size(parts));
    for (std::size_t p = 0; p < std::size(parts); ++p) {
        EXPECT_EQ(model.leakage[p].part, parts[p].first);
        EXPECT_NEAR(model.leakage[p].mw, parts[p].second, 1e-9) << parts[p].first;
    }
}

class fetta_energy_at : public testing::TestWithParam<const char*> {
protected:
    double value(const std::string& key) const { return t.number("energy." + key, "pJ").value; }
    /// The part of the power of a block that is not leakage. At 45 nm no power of a block is published.
    static double working(const row& block)
    {
        return GetParam() == std::string("45nm") ? 1 : 1 - block.leaks / block.mw;
    }
    technology t = load_technology(GetParam());
};
INSTANTIATE_TEST_SUITE_P(technologies, fetta_energy_at, testing::Values("45nm", "fetta-7nm"),
                         [](const auto& tested) { return std::string(tested.index == 0 ? "t45nm" : "fetta_7nm"); });

TEST_P(fetta_energy_at, every_charged_event_has_its_figure)
{
    const auto model = fetta::device_energy(t, {});
    const double row_pj = working(memory) * value("unified_sram.row_16_per_cycle.64bit");
    const std::pair<event, double> expected[] = {
        {event::mac, working(engines) * value("contraction_engine.mac.bf16")},
        {event::padding_mac, working(engines) * value("contraction_engine.mac.bf16")},
        {event::ia_element, working(distribution) * value("distribution.element_64_per_cycle.bf16")},
        {event::ib_element, working(distribution) * value("distribution.element_64_per_cycle.bf16")},
        {event::reduction_element, working(reduction) * value("reduction.element.f32")},
        {event::accumulator_psum, working(accumulators) * value("accumulator.psum_update.f32")},
        {event::ia_row_read, row_pj},
        {event::ib_row_read, row_pj},
        {event::result_row_write, row_pj},
        {event::load_row, row_pj},
        {event::store_row, row_pj},
        {event::vector_word_read, row_pj / 2},
        {event::vector_word_write, row_pj / 2},
        {event::vector_op, working(vector_unit) * value("vector.operation.any")}};
    for (const auto& [e, expected_pj] : expected) { EXPECT_NEAR(pj(model, e), expected_pj, 1e-12); }
    for (std::size_t e = 0; e < fetta::event_count; ++e) {
        const bool charged = *model.events.events[e].component != '\0';
        EXPECT_EQ(model.costs[e].pj > 0, charged) << model.events.events[e].name;
    }
}

TEST_P(fetta_energy_at, other_formats_and_sizes_are_scaled_and_estimates)
{
    energy_settings s;
    s.limits = {64, 8, 65536, 1024, element_type::f32, element_type::f32};
    const auto model = fetta::device_energy(t, s);
    EXPECT_NEAR(pj(model, event::mac), working(engines) * (value("contraction_engine.mac.f32")), 1e-12);
    EXPECT_NEAR(pj(model, event::ib_element),
                working(distribution) * (value("distribution.element_64_per_cycle.f32") * 7 / 5), 1e-12);
    EXPECT_NEAR(pj(model, event::reduction_element), working(reduction) * (value("reduction.element.f32") * 6 / 4),
                1e-12);
    EXPECT_NEAR(pj(model, event::accumulator_psum),
                working(accumulators) *
                    (value("accumulator.psum_update.f32") * t.sram_access(1024).pj / t.sram_access(8192).pj),
                1e-12);
    const double bank = t.sram_access(65536).pj / t.sram_access(32768).pj;
    EXPECT_NEAR(pj(model, event::ia_row_read),
                working(memory) * (2 * bank * value("unified_sram.row_16_per_cycle.64bit")), 1e-12);
    EXPECT_NEAR(pj(model, event::vector_word_read),
                working(memory) * (bank * value("unified_sram.row_16_per_cycle.64bit") / 2), 1e-12);
    for (const event e : {event::ib_element, event::reduction_element, event::ia_row_read, event::vector_word_write}) {
        EXPECT_TRUE(estimate(model, e));
    }
}

TEST_P(fetta_energy_at, partial_sums_of_another_format_than_the_table_has_are_estimates)
{
    energy_settings s;
    s.limits.psum = element_type::bf16;
    auto model = fetta::device_energy(t, s);
    EXPECT_NEAR(pj(model, event::mac), working(engines) * (value("contraction_engine.mac_bf16_sum.bf16")), 1e-12);
    EXPECT_NEAR(pj(model, event::reduction_element), working(reduction) * (value("reduction.element.bf16")), 1e-12);
    EXPECT_NEAR(pj(model, event::accumulator_psum), working(accumulators) * (value("accumulator.psum_update.bf16")),
                1e-12);
    EXPECT_TRUE(estimate(model, event::mac) && estimate(model, event::reduction_element));
    s.limits.psum = element_type::f32;
    s.table_psum = element_type::bf16;
    model = fetta::device_energy(t, s);
    EXPECT_NEAR(pj(model, event::mac), working(engines) * (value("contraction_engine.mac.bf16") * 1.6 / 1.1), 1e-12);
    EXPECT_NEAR(pj(model, event::reduction_element), working(reduction) * (value("reduction.element.f32") * 2), 1e-12);
    EXPECT_NEAR(pj(model, event::accumulator_psum), working(accumulators) * (value("accumulator.psum_update.f32") * 2),
                1e-12);
    EXPECT_TRUE(estimate(model, event::mac) && estimate(model, event::accumulator_psum));
}

TEST_P(fetta_energy_at, a_multiply_add_registers_its_sum_in_every_cycle_but_the_last)
{
    energy_settings s;
    s.limits.mac_latency = 4;
    const double registered = 3 * value("cell.register_write.64bit");
    const auto f32 = fetta::device_energy(t, s);
    EXPECT_NEAR(pj(f32, event::mac), working(engines) * (value("contraction_engine.mac.bf16") + registered / 2), 1e-12);
    EXPECT_EQ(pj(f32, event::padding_mac), pj(f32, event::mac));
    EXPECT_TRUE(estimate(f32, event::mac));
    s.limits.psum = element_type::bf16;
    const auto bf16 = fetta::device_energy(t, s);
    EXPECT_NEAR(pj(bf16, event::mac),
                working(engines) * (value("contraction_engine.mac_bf16_sum.bf16") + registered / 4), 1e-12);
}

TEST_P(fetta_energy_at, a_share_of_a_multiply_add_goes_into_zeros)
{
    energy_settings s;
    s.padding_share = 0.25;
    const auto model = fetta::device_energy(t, s);
    EXPECT_DOUBLE_EQ(pj(model, event::padding_mac), pj(model, event::mac) / 4);
    EXPECT_TRUE(estimate(model, event::padding_mac));
    EXPECT_DOUBLE_EQ(pj(model, event::mac), working(engines) * value("contraction_engine.mac.bf16"));
}

TEST_P(fetta_energy_at, others_take_the_same_every_cycle_whatever_the_clock)
{
    energy_settings s;
    s.clock_ghz = 0.5;
    t.scale_leakage(0);
    const auto model = fetta::device_energy(t, s);
    std::vector<component_energy> energies;
    add_energy(energies, model, fetta::counts().data(), 2000); // 1000 cycles
    EXPECT_DOUBLE_EQ(total_pj(energies), 1000 * value("other.cycle.all"));
}

TEST(fetta_energy_marks, are_on_all_but_others_because_leakage_is_estimated)
{
    const auto model = fetta::device_energy(load_technology("fetta-7nm"), {});
    for (const event e : {event::mac, event::reduction_element, event::vector_op, event::ia_element}) {
        EXPECT_TRUE(estimate(model, e));
    }
    for (const auto& l : model.leakage) { EXPECT_EQ(l.estimate, l.component == "leakage"); }
}

TEST(fetta_energy_input, says_what_is_wrong)
{
    const technology t = load_technology("fetta-7nm");
    const std::pair<std::function<void(energy_settings&)>, const char*> cases[] = {
        {[](energy_settings& s) { s.limits.side = 5; }, "side is 5"},
        {[](energy_settings& s) { s.lanes = 0; }, "lanes: found 0, expected 1 or more"},
        {[](energy_settings& s) { s.clock_ghz = 0; }, "clock: found 0.000000 GHz"},
        {[](energy_settings& s) { s.distributed_elements = 96; }, "distributed elements: found 96, expected 64 or 128"},
        {[](energy_settings& s) { s.memory_rows = 64; }, "memory rows: found 64, expected 16 or 32"},
        {[](energy_settings& s) { s.table_psum = element_type::f64; }, "partial sums of the table: found f64"},
        {[](energy_settings& s) { s.padding_share = -0.5; }, "padding share: found -0.5"}};
    for (const auto& [change, text] : cases) {
        energy_settings s;
        change(s);
        EXPECT_THAT(message_of([&] { fetta::device_energy(t, s); }), testing::HasSubstr(text));
    }
}

} // namespace
} // namespace tensorloom::test
