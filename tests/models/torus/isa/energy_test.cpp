#include <tensorloom/models/torus/isa/energy.h>
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace costs;
using torus::axis;
using torus::event;

// A multiply-add of float64 with three registers of 64 bits has 900 um^2, wires included.
const double nand2_um2 = 900 / 1.2 / (find_gates("mac", "f64")->nand2 + 3 * 64 * 4.0);

// Round figures, none an estimate.
technology round_figures()
{
    return technology::from_text(
        "schema: tensorloom-technology-1\nname: t\nprocess: p\n"
        "energy:\n"
        "  cell:\n"
        "    mac: {f64: {value: 20, unit: pJ, source: s}, bf16: {value: 2, unit: pJ, source: s}}\n"
        "    register_read: {64bit: {value: 0.5, unit: pJ, source: s}}\n"
        "    register_write: {64bit: {value: 0.25, unit: pJ, source: s}}\n"
        "  sram: {access_64bit: {8192: {value: 8, unit: pJ, source: s}, 32768: {value: 16, unit: pJ, source: s}}}\n"
        "wire: {on_chip: {value: 100, unit: fJ/bit/mm, source: s}, via: {value: 4, unit: fJ/bit, source: s}}\n"
        "area: {sram_bit: {value: 0.2, unit: um^2, source: s}, nand2: {value: " +
            shortest_text(nand2_um2) +
            ", unit: um^2, source: s}}\n"
            "leakage: {die: {logic: {value: 1000, unit: nW/um^2, source: s}, sram: {value: 500, unit: nW/um^2, source: "
            "s}}}\n",
        "t.yaml");
}

// 27 nodes with a memory of 50 doubles: 4 x 2 x 2 x 2 and 18 coefficients.
torus::energy_parameters small_torus()
{
    torus::energy_parameters g;
    g.side = 3;
    g.block = {2, 2, 2};
    g.coefficient_elements = 18;
    g.mac_latency = 1;
    return g;
}

double pj(const energy_model& model, event e) { return model.costs[static_cast<std::size_t>(e)].pj; }
bool estimate(const energy_model& model, event e) { return model.costs[static_cast<std::size_t>(e)].estimate; }

TEST(torus_energy, node_memory)
{
    torus::energy_parameters g;
    EXPECT_EQ(torus::node_memory_words(g), 4u + 3u);
    g.block = {4, 4, 4};
    EXPECT_EQ(torus::node_memory_words(g), 4u * 64 + 3u * 16);
    EXPECT_EQ(torus::node_memory_bytes(g), 8u * 304);
    g.receives_beside_work = true;
    EXPECT_EQ(torus::node_memory_words(g), 6u * 64 + 3u * 16);
    g.coefficient_elements = 47; // less than a block of each
    EXPECT_EQ(torus::node_memory_words(g), 6u * 64 + 3u * 16);
    g.coefficient_elements = 1000;
    EXPECT_EQ(torus::node_memory_words(g), 6u * 64 + 1000);
    g = {};
    g.block = {2, 3, 5};
    EXPECT_EQ(torus::node_memory_words(g), 4u * 30 + 4 + 9 + 25);
    g.format = element_type::bf16; // sums of 4 bytes, coefficients of 2
    EXPECT_EQ(torus::node_memory_bytes(g), 4u * 30 * 4 + 38u * 2);
}

TEST(torus_energy, a_node_is_as_large_as_its_cells_and_its_memory)
{
    auto g = small_torus();
    // 3200 bits of 0.2 um^2, of which 0.4 is used: 1600 um^2 beside a cell of 900.
    EXPECT_NEAR(torus::node_pitch_um(round_figures(), g).value, 50, 1e-9);
    EXPECT_TRUE(torus::node_pitch_um(round_figures(), g).estimate);
    g.macs_per_cycle = 4;
    g.coefficient_elements = 168; // 12,800 bits
    EXPECT_NEAR(torus::node_pitch_um(round_figures(), g).value, 100, 1e-9);
}

TEST(torus_energy, longest_wire)
{
    auto g = small_torus();
    g.side = 8;
    EXPECT_NEAR(torus::longest_wire_um(round_figures(), g).value, 2 * 50, 1e-9);
    g.folded = false;
    EXPECT_NEAR(torus::longest_wire_um(round_figures(), g).value, 7 * 50, 1e-9);
    g.side = 1;
    EXPECT_EQ(torus::longest_wire_um(round_figures(), g).value, 0);
}

TEST(torus_energy, of_multiply_adds_registers_and_memory)
{
    const auto model = torus::device_energy(round_figures(), small_torus());
    EXPECT_EQ(model.events.events, torus::events.events);
    const double access = 2.5 / std::sqrt(2.0); // 8 pJ x sqrt(400 / 8192)
    EXPECT_EQ(pj(model, event::mac), 20);
    EXPECT_NEAR(pj(model, event::register_read), 0.5 + access / 2, 1e-12);
    EXPECT_NEAR(pj(model, event::register_write), 0.25 + access / 2, 1e-12);
    for (const auto e : {event::block_read, event::block_write, event::coefficient_copy}) {
        EXPECT_NEAR(pj(model, e), access, 1e-12);
        EXPECT_TRUE(estimate(model, e));
    }
    EXPECT_FALSE(estimate(model, event::mac));
    EXPECT_EQ(pj(model, event::compare), 20); // at most
    EXPECT_TRUE(estimate(model, event::compare));
}

TEST(torus_energy, a_word_from_memory_serves_as_many_multiply_adds_as_a_block_is_long)
{
    auto g = small_torus();
    g.block = {2, 4, 8};
    g.coefficient_elements = 8192 / 8 - 4 * 64; // in all the 8 KiB that cost 8 pJ
    const double share = (1.0 / 2 + 1.0 / 4 + 1.0 / 8) / 3;
    const auto model = torus::device_energy(round_figures(), g);
    EXPECT_NEAR(pj(model, event::register_read), 0.5 + 8 * share, 1e-12);
    EXPECT_TRUE(estimate(model, event::register_read)); // how often is an assumption
}

TEST(torus_energy, blocks_of_one_element_lie_in_registers)
{
    auto g = small_torus();
    g.block = {1, 1, 1};
    const auto model = torus::device_energy(round_figures(), g);
    EXPECT_EQ(pj(model, event::register_read), 0.5);
    EXPECT_EQ(pj(model, event::register_write), 0.25);
    EXPECT_EQ(pj(model, event::block_read), 0.5);
    EXPECT_FALSE(estimate(model, event::register_read));
    ASSERT_EQ(model.leakage.size(), 1u);
    EXPECT_NEAR(model.leakage[0].mw, 27 * 0.9, 1e-9); // a cell of 900 um^2
}

TEST(torus_energy, links_cost_bits_times_the_pitch_of_nodes_and_tiers_are_stacked_along_r)
{
    auto g = small_torus();
    const auto in_plane = {event::link_word_pitch_q, event::link_word_pitch_s, event::line_word_pitch_q,
                           event::line_word_pitch_s};
    const auto model = torus::device_energy(round_figures(), g);
    for (const auto e : in_plane) { EXPECT_NEAR(pj(model, e), 64 * 5e-3, 1e-12); } // 0.05 mm at 100 fJ per bit and mm
    EXPECT_NEAR(pj(model, event::link_word_pitch_r), 64 * 4e-3, 1e-12);

    g.vertical = axis::s;
    const auto other = torus::device_energy(round_figures(), g);
    EXPECT_NEAR(pj(other, event::link_word_pitch_r), 64 * 5e-3, 1e-12);
    EXPECT_NEAR(pj(other, event::link_word_pitch_s), 64 * 4e-3, 1e-12);
    EXPECT_NEAR(pj(other, event::line_word_pitch_s), 64 * 4e-3, 1e-12);
    EXPECT_NEAR(pj(other, event::line_word_pitch_q), 64 * 5e-3, 1e-12);

    g.vertical.reset(); // three planes of axis S as fields of 2 x 2
    const auto flat = torus::device_energy(round_figures(), g);
    EXPECT_NEAR(pj(flat, event::link_word_pitch_q), 64 * 10e-3, 1e-12);
    EXPECT_NEAR(pj(flat, event::link_word_pitch_r), 64 * 10e-3, 1e-12);
    EXPECT_NEAR(pj(flat, event::link_word_pitch_s), 64 * 5e-3, 1e-12);
    EXPECT_NEAR(torus::longest_wire_um(round_figures(), g).value, 2 * 100, 1e-9);
}

TEST(torus_energy, further_cycles_of_a_multiply_add_have_registers)
{
    auto g = small_torus();
    const auto tech = load_technology("45nm");
    const double mac = pj(torus::device_energy(tech, g), event::mac);
    const double area = torus::device_area(tech, g).areas[0].um2;
    g.mac_latency = 3;
    EXPECT_NEAR(pj(torus::device_energy(tech, g), event::mac) - mac, 2 * 0.3, 1e-12);
    EXPECT_NEAR(torus::device_area(tech, g).areas[0].um2 - area, 27 * 1.2 * 0.798 * 2 * 128 * 4, 1e-6);
    EXPECT_NEAR(pj(torus::device_energy(tech, g), event::compare), mac, 1e-12);
}

TEST(torus_area, of_memory_port_and_links_goes_with_what_they_move)
{
    auto g = small_torus();
    const auto tech = load_technology("45nm");
    g.load_elements = 8;
    const auto plan = torus::device_area(tech, g);
    EXPECT_EQ(plan.areas.back().component, "memory_port");
    EXPECT_NEAR(plan.areas.back().um2, 1.2 * 0.798 * 2 * 8 * 64 * 4, 1e-6);
    g.load_elements = 0;
    g.link_words = 2;
    const auto linked = torus::device_area(tech, g);
    EXPECT_EQ(linked.areas.back().component, "links");
    EXPECT_NEAR(linked.areas.back().um2, 27 * 1.2 * 0.798 * 3 * 2 * 64 * 7, 1e-6);
}

TEST(torus_energy, narrow_elements_have_wide_sums)
{
    auto g = small_torus();
    g.format = element_type::bf16;
    g.coefficient_elements = (8192 - 4 * 8 * 4) / 2; // 8 KiB in all
    const auto model = torus::device_energy(round_figures(), g);
    EXPECT_EQ(pj(model, event::mac), 2);
    EXPECT_NEAR(pj(model, event::register_read), 0.25 + 4.0 / 2, 1e-12); // of 32 bits
    EXPECT_NEAR(pj(model, event::block_read), 2, 1e-12);                 // of 16
    EXPECT_NEAR(pj(model, event::link_word_pitch_r), 16 * 4e-3, 1e-12);
}

TEST(torus_energy, cells_and_memories_of_all_nodes_leak)
{
    auto g = small_torus();
    g.macs_per_cycle = 3;
    const auto model = torus::device_energy(round_figures(), g);
    ASSERT_EQ(model.leakage.size(), 2u);
    EXPECT_EQ(model.leakage[0].component, "leakage");
    EXPECT_NEAR(model.leakage[0].mw, 27 * 3 * 0.9, 1e-9);
    EXPECT_EQ(model.leakage[1].component, "leakage");
    EXPECT_NEAR(model.leakage[1].mw, 27 * 0.8, 1e-9); // 1600 um^2
}

TEST(torus_energy, events_without_a_component_cost_nothing)
{
    const auto model = torus::device_energy(load_technology("45nm"), small_torus());
    ASSERT_EQ(model.costs.size(), torus::event_count);
    for (std::size_t e = 0; e < torus::event_count; ++e) {
        const auto& definition = torus::events.events[e];
        EXPECT_EQ(model.costs[e].pj > 0, *definition.component != '\0') << definition.name;
    }
}

TEST(torus_energy, area)
{
    auto g = small_torus();
    g.macs_per_cycle = 2;
    g.cycles_per_pitch = 3;
    const auto plan = torus::device_area(round_figures(), g);
    ASSERT_EQ(plan.areas.size(), 2u);
    EXPECT_EQ(plan.areas[0].component, "nodes");
    EXPECT_NEAR(plan.areas[0].um2, 27 * 2 * 900, 1e-9);
    EXPECT_EQ(plan.areas[0].tiers, 3u);
    EXPECT_EQ(plan.areas[1].component, "node_memory");
    EXPECT_NEAR(plan.areas[1].um2, 27 * 1600, 1e-9);
    EXPECT_EQ(plan.areas[1].tiers, 3u);
    EXPECT_NEAR(plan.longest_line_um, 2 * std::sqrt(3400), 1e-9);
    EXPECT_EQ(plan.settling_cycles, 6);
    g.vertical.reset();
    g.block = {1, 1, 1};
    g.coefficient_elements = 0;
    const auto flat = torus::device_area(round_figures(), g);
    ASSERT_EQ(flat.areas.size(), 1u); // the memory is registers
    EXPECT_EQ(flat.areas[0].tiers, 1u);
}

TEST(torus_energy, errors)
{
    const auto error = [](torus::energy_parameters g, const technology& tech) {
        return message_of([&] { torus::device_energy(tech, g); });
    };
    auto g = small_torus();
    g.side = 0;
    EXPECT_EQ(error(g, round_figures()), "side: found 0, expected 1 or more");
    g = small_torus();
    g.block[1] = 0;
    EXPECT_EQ(error(g, round_figures()), "block along mode 2: found 0, expected 1 or more");
    g = small_torus();
    g.macs_per_cycle = 0;
    EXPECT_EQ(error(g, round_figures()), "multiply-adds per cycle: found 0, expected 1 or more");
    g = small_torus();
    g.format = element_type::c64;
    EXPECT_EQ(error(g, round_figures()), "technology t.yaml: missing key energy.cell.mac.c64 (pJ)");
}

} // namespace
} // namespace tensorloom::test
