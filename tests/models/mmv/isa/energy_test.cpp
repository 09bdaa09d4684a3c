// The energy of an MMU/VCU pair, recomputed by hand from the figures of the technologies.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/mmv/isa/energy.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace costs;
using namespace isa;
using mmv::device_energy;
using mmv::energy_parameters;
using mmv::event;

double pj(const energy_model& model, event e) { return model.costs[static_cast<std::size_t>(e)].pj; }
bool estimate(const energy_model& model, event e) { return model.costs[static_cast<std::size_t>(e)].estimate; }

double leakage_mw(const energy_model& model)
{
    double sum = 0;
    for (const auto& l : model.leakage) { sum += l.mw; }
    return sum;
}

/// Sides of a cell of two ports by those of one.
const double two_ports = std::sqrt(2.0);

// At 45 nm, in um^2 and mW. A multiply-add and an element of int64 are estimated from those of int8 and f64.
double placed(double nand2) { return 1.2 * 0.798 * nand2; }
double nand2_of(const char* block, const char* format) { return find_gates(block, format)->nand2; }
const double int64_mac_um2 = placed((nand2_of("mac", "int8") - 32 * 7.0) * 64 / 2 + 64 * 7);
const double int64_element_um2 = int64_mac_um2 + placed(nand2_of("systolic_element", "f64") - nand2_of("mac", "f64"));
const double bank_um = two_ports * std::sqrt(65536 * 0.346 / (0.4 + 0.2 / 3));
const double scratchpad_um2 = 16 * bank_um * bank_um + 2 * 8 * 16 * 64 * 0.64 * 0.64; // two crossbars of 8 x 16 words
const double ports_um2 = placed((4 + 4) * 64 * 4);                                    // of the array, f64 or int64
constexpr double logic_mw = 14.9e-6, sram_mw = 38.9e-6;                               // per um^2

/// side 4, 8 lanes, 16 banks of 8 KiB with two ports: 4 stages.
mmv::energy_parameters small(element_type format = element_type::int64)
{
    mmv::energy_parameters g;
    g.side = 4;
    g.format = format;
    g.lanes = 8;
    g.scratchpad_bytes = 16 * 8192;
    g.banks = 16;
    g.bank_ports = 2;
    return g;
}

class mmv_energy_at : public testing::TestWithParam<const char*> {
protected:
    double value(const std::string& key, const char* unit = "pJ") const { return t.number(key, unit).value; }
    technology t = load_technology(GetParam());
};
INSTANTIATE_TEST_SUITE_P(technologies, mmv_energy_at, testing::Values("45nm", "7nm"),
                         [](const auto& tested) { return std::string("t") + tested.param; });

TEST_P(mmv_energy_at, every_cost_is_what_its_figures_make)
{
    for (const auto format : systolic_formats) {
        const std::string name(element_type_name(format));
        const bool half = name == "bf16" || name == "f16";
        const std::string word = name == "int8" ? "int32" : half ? "f32" : name;
        const double element_bits = name == "int8"       ? 8
                                    : half               ? 16
                                    : name == "c128"     ? 128
                                    : name.back() == '2' ? 32
                                                         : 64;
        const double word_bits = name == "int8" || half ? 32 : element_bits;
        const double read = value("energy.cell.register_read.64bit") / 64;
        const double write = value("energy.cell.register_write.64bit") / 64;
        const auto vector = [&](const std::string& work) { return value("energy.vector." + work + "." + word); };
        const auto model = mmv::device_energy(t, small(format));
        // Banks of 8 KiB, a third of the way (on a logarithmic scale) from 4 to 32 KiB; over 16 of them and the
        // switches of 8 lanes.
        const double bank_um = two_ports * std::sqrt(65536 * value("area.sram_bit", "um^2") / (0.4 + 0.2 / 3));
        const double switch_um = 4 * value("wire.pitch", "um"), crossbars = 2;
        const double side_um =
            std::sqrt(16 * bank_um * bank_um + crossbars * 8 * 16 * word_bits * switch_um * switch_um);
        const double wires_um = side_um + (16 + 8) * switch_um;
        const double access = two_ports * value("energy.sram.access_64bit.8192") * word_bits / 64 +
                              word_bits * wires_um / 1000 * value("wire.on_chip", "fJ/bit/mm") / 1000;
        const std::pair<event, double> expected[] = {
            {event::mac, value("energy.cell.mac." + name) + element_bits * read + (element_bits + word_bits) * write},
            {event::weight_write, 2.5 * element_bits * write},
            {event::lane_add, vector("add")},
            {event::lane_multiply, vector("multiply")},
            {event::lane_logic, vector("logic")},
            {event::lane_move, vector("move")},
            {event::revspec_op, 4 * vector("revspec") + vector("add")},
            {event::compact_op, 4 * vector("compact") + vector("move")},
            {event::revert_op, 4 * vector("revert") + vector("add")},
            {event::scalar_op, value("energy.scalar.op." + word)},
            {event::scratchpad_read, access},
            {event::scratchpad_write, access}};
        for (const auto& [e, cost] : expected) {
            EXPECT_NEAR(pj(model, e), cost, 1e-12 * cost) << name << " " << mmv::events.events[int(e)].name;
            EXPECT_TRUE(estimate(model, e));
        }
        double leaks = 0;
        for (const auto& area : mmv::device_area(t, small(format)).areas) {
            const char* kind = area.component == "scratchpad" ? "leakage.die.sram" : "leakage.die.logic";
            leaks += area.um2 * 1e-6 * value(kind, "nW/um^2");
        }
        EXPECT_NEAR(leakage_mw(model), leaks, 1e-12 * leaks) << name;
    }
}

// Arithmetic at 45 nm, accesses to registers of 0.3 pJ per 64 bits; at 7 nm all of it scaled as the multiply-adds.
TEST_P(mmv_energy_at, figures_of_lanes_follow_from_those_of_operations)
{
    const double scale = GetParam() == std::string("7nm") ? 0.2274 / 1.6 : 1;
    EXPECT_NEAR(value("energy.vector.multiply_add.f64"), scale * (18 + 2 + 3 * 0.3), 1e-9);
    EXPECT_NEAR(value("energy.vector.function.f64"), scale * (6 * (18 + 2) + 3 * 0.3), 1e-9);
    EXPECT_NEAR(value("energy.vector.multiply_add.f32"), scale * (3.7 + 0.9 + 3 * 0.15), 1e-9);
    EXPECT_NEAR(value("energy.vector.function.f32"), scale * (6 * (3.7 + 0.9) + 3 * 0.15), 1e-9);
    for (const auto* key : {"multiply_add.f64", "function.f64", "multiply_add.f32", "function.f32"}) {
        EXPECT_TRUE(t.number(std::string("energy.vector.") + key, "pJ").estimate) << key;
    }
    struct operations {
        const char* word;
        double bits, add, multiply;
    };
    for (const auto& [word, bits, add, multiply] :
         {operations{"int32", 32, 0.1, 3.1}, operations{"int64", 64, 0.2, 12.4}, operations{"f64", 64, 2, 18},
          operations{"f32", 32, 0.9, 3.7}, operations{"c128", 128, 2 * 2, 4 * 18 + 2 * 2}}) {
        const double access = 0.3 * bits / 64;
        const double integer_add = 0.1 * bits / 32;
        const double gates = 2 * integer_add / 5;
        const std::pair<const char*, double> expected[] = {
            {"vector.add", add + 3 * access},
            {"vector.multiply", multiply + 3 * access},
            {"vector.logic", integer_add + 3 * access},
            {"vector.move", 2 * access},
            {"vector.revspec", gates},
            {"vector.compact", gates + access},
            {"vector.revert", gates + access},
            {"scalar.op", value(std::string("energy.cell.mac.") + word) / scale / 2 + 3 * access}};
        for (const auto& [key, figure] : expected) {
            const std::string full = std::string("energy.") + key + "." + word;
            EXPECT_NEAR(value(full), scale * figure, 1e-9 * figure) << full;
            EXPECT_TRUE(t.number(full, "pJ").estimate) << full;
        }
    }
}

TEST(mmv_energy_model, events_without_a_component_cost_nothing_and_the_others_something)
{
    auto g = small(element_type::f64);
    g.blocks = vector::all_functional_blocks;
    const auto model = mmv::device_energy(load_technology("45nm"), g);
    ASSERT_EQ(model.costs.size(), mmv::event_count);
    EXPECT_EQ(model.events.events, mmv::events.events);
    for (std::size_t e = 0; e < mmv::event_count; ++e) {
        EXPECT_EQ(model.costs[e].pj > 0, *mmv::events.events[e].component != '\0') << mmv::events.events[e].name;
    }
}

TEST(mmv_energy_model, of_a_small_job_by_hand)
{
    mmv::counts counts;
    counts[event::mac] = 100;
    counts[event::weight_write] = 16;
    counts[event::lane_add] = 10;
    counts[event::compact_op] = 3;
    counts[event::scalar_op] = 7;
    counts[event::scratchpad_read] = 30;
    counts[event::scratchpad_write] = 20;
    counts[event::cpu_op] = 1000;
    std::vector<component_energy> energies;
    add_energy(energies, mmv::device_energy(load_technology("45nm"), small(element_type::f64)), counts.data(), 50);
    const auto of = [&](const std::string& component) {
        double sum = 0;
        for (const auto& e : energies) { sum += e.component == component ? e.pj : 0; }
        return sum;
    };
    EXPECT_NEAR(of("matrix_unit"), 100 * 20.9 + 16 * 0.75, 1e-9);
    EXPECT_NEAR(of("vector_unit"), 10 * 2.9 + 3 * (4 * 0.38 + 0.6), 1e-9);
    EXPECT_NEAR(of("scalar_unit"), 7 * 10.9, 1e-9);
    // A bank of cells with one port is 0.220432 mm wide; 2 x 8 x 16 x 64 switches of 0.64 um.
    const double side_mm = std::sqrt(16 * 2 * 0.220432 * 0.220432 + 16384 * 0.64e-3 * 0.64e-3);
    EXPECT_NEAR(of("scratchpad"), 50 * (two_ports * 10 + 64 * (side_mm + 24 * 0.64e-3) * 0.06), 1e-3);
    const double lane = 2.9 + 1.1 + 18.9 + (4 * 0.08 + 2.9) + (4 * 0.38 + 0.6) + (4 * 0.38 + 2.9);
    const double f64_mac_um2 = placed(nand2_of("mac", "f64")); // 20 pJ
    const double logic_um2 = 16 * placed(nand2_of("systolic_element", "f64")) + f64_mac_um2 * (8 * lane + 10.9) / 20;
    EXPECT_NEAR(of("leakage"), 50 * ((logic_um2 + ports_um2) * logic_mw + scratchpad_um2 * sram_mw), 1e-9);
    EXPECT_NEAR(total_pj(energies),
                of("matrix_unit") + of("vector_unit") + of("scalar_unit") + of("scratchpad") + of("leakage"), 1e-9);
}

// At the same size a bank of more is smaller and cheaper, and the switches of all of them are a longer way.
TEST(mmv_energy_model, more_banks_of_one_scratchpad_are_not_free)
{
    const auto tech = load_technology("45nm");
    const auto access = [&](unsigned banks) {
        auto g = small();
        g.lanes = 64;
        g.scratchpad_bytes = 1 << 20;
        g.banks = banks;
        return pj(mmv::device_energy(tech, g), event::scratchpad_read);
    };
    EXPECT_GT(access(16384), access(1024));
    EXPECT_GT(access(65536), access(16384));
    EXPECT_GT(access(1), access(8)) << "one large bank";
}

// Four at a time, as the vector unit moves them: a cell of four ports has sides of 1 + 3 x 0.414.
TEST(mmv_energy_model, words_that_a_bank_moves_at_a_time_make_each_dearer)
{
    const auto tech = load_technology("45nm");
    const auto access = [&](unsigned ports) {
        auto g = small();
        g.bank_ports = ports;
        return pj(mmv::device_energy(tech, g), event::scratchpad_read);
    };
    for (const unsigned ports : {1u, 2u, 4u}) {
        const double sides = 1 + (ports - 1) * (two_ports - 1), bank = sides * bank_um / two_ports;
        const double side_um = std::sqrt(16 * bank * bank + ports * 8 * 16 * 64 * 0.64 * 0.64);
        EXPECT_NEAR(access(ports), sides * 10 + 64 * (side_um + 24 * 0.64) * 60e-6, 1e-9) << ports;
    }
    EXPECT_EQ(energy_parameters().bank_ports, 4u);
}

TEST(mmv_energy_model, scale_is_on_the_vector_unit_alone)
{
    const auto tech = load_technology("45nm");
    auto g = small();
    const auto once = mmv::device_energy(tech, g);
    g.vector_scale = 2;
    const auto twice = mmv::device_energy(tech, g);
    for (std::size_t e = 0; e < mmv::event_count; ++e) {
        const bool vector = mmv::events.events[e].component == std::string("vector_unit");
        EXPECT_DOUBLE_EQ(twice.costs[e].pj, (vector ? 2 : 1) * once.costs[e].pj) << mmv::events.events[e].name;
    }
    g.vector_scale = 0;
    const auto none = mmv::device_energy(tech, g);
    EXPECT_NEAR(leakage_mw(twice) - leakage_mw(once), leakage_mw(once) - leakage_mw(none), 1e-12);
    const double logic_um2 = 16 * int64_element_um2 + int64_mac_um2 * 7.2 / 12.6;
    EXPECT_NEAR(leakage_mw(none), (logic_um2 + ports_um2) * logic_mw + scratchpad_um2 * sram_mw, 1e-9);
}

TEST(mmv_energy_model, stages_reach_every_lane_and_bank)
{
    const auto tech = load_technology("45nm");
    for (const auto& [lanes, banks, stages] :
         {std::tuple{1u, 1u, 0}, std::tuple{2u, 1u, 1}, std::tuple{3u, 4u, 2}, std::tuple{5u, 4u, 3},
          std::tuple{64u, 64u, 6}, std::tuple{65536u, 4096u, 16}}) {
        auto g = small();
        g.lanes = lanes;
        g.banks = banks;
        EXPECT_NEAR(pj(mmv::device_energy(tech, g), event::compact_op), stages * 0.38 + 0.6, 1e-12)
            << lanes << " " << banks;
    }
}

TEST(mmv_energy_model, blocks_that_are_absent_do_not_leak)
{
    const auto tech = load_technology("45nm");
    auto g = small(element_type::f64);
    g.blocks = vector::all_functional_blocks;
    const auto all = leakage_mw(mmv::device_energy(tech, g));
    const std::pair<vector::functional_block, double> blocks[] = {
        {vector::functional_block::multiplier, 18.9},        {vector::functional_block::revspec, 4 * 0.08 + 2.9},
        {vector::functional_block::compact, 4 * 0.38 + 0.6}, {vector::functional_block::revert, 4 * 0.38 + 2.9},
        {vector::functional_block::activation, 120.9},       {vector::functional_block::reduction, 2.9},
        {vector::functional_block::multiply_add, 20.9},      {vector::functional_block::conversion, 1.1}};
    for (const auto& [block, cost] : blocks) {
        g.blocks = static_cast<std::uint8_t>(vector::all_functional_blocks & ~vector::block_bit(block));
        const double um2 = 8 * placed(nand2_of("mac", "f64")) * cost / 20;
        EXPECT_NEAR(all - leakage_mw(mmv::device_energy(tech, g)), um2 * logic_mw, 1e-9);
    }
}

TEST(mmv_energy_model, figures_of_real_numbers_are_wanted_only_where_there_are_some)
{
    const auto tech = load_technology("45nm");
    auto g = small(); // int64
    g.blocks = vector::all_functional_blocks;
    EXPECT_EQ(pj(mmv::device_energy(tech, g), event::lane_function), 0);
    EXPECT_EQ(pj(mmv::device_energy(tech, small(element_type::f64)), event::lane_function), 0); // no block
    g.format = element_type::f64;
    EXPECT_EQ(pj(mmv::device_energy(tech, g), event::lane_function), 120.9);
    EXPECT_EQ(pj(mmv::device_energy(tech, g), event::lane_multiply_add), 20.9);
}

TEST(mmv_energy_model, parts_leak_by_their_number)
{
    const auto tech = load_technology("45nm");
    auto g = small();
    const double before = leakage_mw(mmv::device_energy(tech, g));
    g.scalar_ops = 5;
    EXPECT_NEAR(leakage_mw(mmv::device_energy(tech, g)) - before, 4 * int64_mac_um2 * 7.2 / 12.6 * logic_mw, 1e-9);
    g = small();
    g.side = 8; // revspec has twice the selects
    const double more_um2 = 48 * int64_element_um2 + 8 * int64_mac_um2 * 4 * 0.08 / 12.6 + ports_um2;
    EXPECT_NEAR(leakage_mw(mmv::device_energy(tech, g)) - before, more_um2 * logic_mw, 1e-9);
}

// int64: an element and a sum have 64 bits; a multiply-add takes 12.6 pJ.
TEST(mmv_area, of_a_small_device_by_hand)
{
    auto g = small();
    g.vector_scale = 2; // of energies alone
    const auto plan = mmv::device_area(load_technology("45nm"), g);
    const double lane = 1.1 + 1.1 + 13.3 + (4 * 0.08 + 1.1) + (4 * 0.38 + 0.6) + (4 * 0.38 + 1.1); // pJ
    const std::pair<const char*, double> parts[] = {{"matrix_unit", 16 * int64_element_um2},
                                                    {"vector_unit", 8 * int64_mac_um2 * lane / 12.6},
                                                    {"scalar_unit", int64_mac_um2 * 7.2 / 12.6},
                                                    {"scratchpad", scratchpad_um2},
                                                    {"array_ports", ports_um2}};
    ASSERT_EQ(plan.areas.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(plan.areas[i].component, parts[i].first);
        EXPECT_NEAR(plan.areas[i].um2, parts[i].second, 1e-9 * parts[i].second) << parts[i].first;
        EXPECT_TRUE(plan.areas[i].estimate);
    }
    EXPECT_NEAR(plan.longest_line_um, 2 * std::sqrt(parts[3].second), 1e-9);
    EXPECT_EQ(plan.settling_cycles, 1);
    EXPECT_EQ(plan.path_cycles, 1);
}

TEST(mmv_area, of_an_array_is_synthesized_where_its_element_is)
{
    auto g = small(element_type::f32);
    const auto tech = load_technology("45nm");
    const auto plain = mmv::device_area(tech, g);
    EXPECT_NEAR(plain.areas[0].um2, 16 * 1.2 * 0.798 * find_gates("systolic_element", "f32")->nand2, 1e-6);
    EXPECT_TRUE(plain.areas[0].synthesized);
    EXPECT_FALSE(plain.areas[0].estimate);
    EXPECT_FALSE(plain.areas[1].synthesized);
    EXPECT_EQ(plain.path_gates, find_gates("mac", "f32")->levels);
    g.pipeline_depth = 3; // two more registers for operand and sum of 32 bits
    const auto deep = mmv::device_area(tech, g);
    EXPECT_NEAR(deep.areas[0].um2 - plain.areas[0].um2, 16 * 1.2 * 0.798 * 2 * 64 * 4, 1e-6);
    EXPECT_TRUE(deep.areas[0].estimate);
    EXPECT_FALSE(deep.areas[0].synthesized);
    EXPECT_EQ(deep.path_cycles, 3);
    g.pipeline_depth = 1;
    g.streaming = true; // a second weight of 32 bits
    const auto streaming = mmv::device_area(tech, g);
    EXPECT_NEAR(streaming.areas[0].um2 - plain.areas[0].um2, 16 * 1.2 * 0.798 * 32 * 4, 1e-6);
    EXPECT_TRUE(streaming.areas[0].estimate);
}

TEST(mmv_energy_model, errors)
{
    const auto tech = load_technology("45nm");
    const auto error = [&](const mmv::energy_parameters& g) {
        return message_of([&] { mmv::device_energy(tech, g); });
    };
    auto g = small();
    g.side = 0;
    EXPECT_EQ(error(g), "side: found 0, expected 1 or more");
    g = small();
    g.lanes = 0;
    EXPECT_EQ(error(g), "lanes: found 0, expected 1 or more");
    g = small();
    g.banks = 0;
    EXPECT_EQ(error(g), "banks: found 0, expected 1 or more");
    g = small();
    g.scalar_ops = 0;
    EXPECT_EQ(error(g), "scalar operations per cycle: found 0, expected 1 or more");
    g = small();
    g.scratchpad_bytes = 15;
    EXPECT_EQ(error(g), "bytes of a bank: found 0, expected 1 or more");
    for (const double scale : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        g = small();
        g.vector_scale = scale;
        EXPECT_THAT(error(g), testing::StartsWith("vector scale: found "));
    }
    g = small(element_type::c64);
    EXPECT_EQ(error(g), "technology 45nm: missing key energy.vector.add.c64 (pJ)");
}

} // namespace
} // namespace tensorloom::test
